# libzwang: the layers as one shared and one static library. Only zw_ symbols leave it.
get_property(layers GLOBAL PROPERTY zwang_layers)
get_property(libraries GLOBAL PROPERTY zwang_link_libraries)
set(objects "")
foreach(layer ${layers})
  list(APPEND objects $<TARGET_OBJECTS:${layer}>)
endforeach()

add_library(zwang SHARED ${objects})
add_library(zwang_static STATIC ${objects})

# What a program was linked with must not be replaced by what it cannot run with: of versions 0.x each
# may break the one before, later ones only with their first number. Symbols carry that version, too.
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(ZWANG_ABI ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
else()
  set(ZWANG_ABI ${PROJECT_VERSION_MAJOR})
endif()
set(map ${PROJECT_BINARY_DIR}/zwang.map)
configure_file(cmake/zwang.map.in ${map} @ONLY)
# Libraries of others that lie where the system does not look are found where they were when this was
# built; the file in the build is the one that is installed.
set_target_properties(zwang PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${ZWANG_ABI}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
  BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON
  LINK_DEPENDS ${map})
set_target_properties(zwang_static PROPERTIES
  OUTPUT_NAME zwang ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_link_options(zwang PRIVATE -Wl,--version-script=${map})
if(NOT ZWANG_SANITIZE) # the sanitizers' run time is found when the program starts
  target_link_options(zwang PRIVATE -Wl,--no-undefined)
endif()
foreach(library zwang zwang_static)
  target_include_directories(${library} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${library} PRIVATE ${libraries} m)
  if(ZWANG_SANITIZE)
    target_link_options(${library} PUBLIC -fsanitize=${ZWANG_SANITIZE})
  endif()
endforeach()

# Installation: header, libraries, CMake package with both of them, pkg-config file.
install(TARGETS zwang zwang_static EXPORT zwang
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/zwang.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/zwang)
install(EXPORT zwang NAMESPACE zwang:: FILE zwang-targets.cmake DESTINATION ${package})
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/zwang-config-version.cmake
  COMPATIBILITY SameMinorVersion)
set(ZWANG_NEEDS_THREADS OFF)
if("Threads::Threads" IN_LIST libraries)
  set(ZWANG_NEEDS_THREADS ON)
endif()
configure_file(cmake/zwang-config.cmake.in zwang-config.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/zwang-config.cmake ${PROJECT_BINARY_DIR}/zwang-config-version.cmake
  DESTINATION ${package})

# The file finds its prefix from where it lies, so that `cmake --install --prefix` may say another. A
# folder that was given as an absolute path is where it is.
file(RELATIVE_PATH up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" up "${up}")
set(ZWANG_PC_PREFIX "\${pcfiledir}/${up}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(ZWANG_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
endif()
foreach(folder LIBDIR INCLUDEDIR)
  set(ZWANG_PC_${folder} "\${prefix}/${CMAKE_INSTALL_${folder}}")
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${folder}}")
    set(ZWANG_PC_${folder} "${CMAKE_INSTALL_${folder}}")
  endif()
endforeach()
configure_file(cmake/zwang.pc.in zwang.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/zwang.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Takes away what the last installation from this build put anywhere.
add_custom_target(uninstall
  COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
          -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake
  COMMENT "Uninstalling" VERBATIM)
