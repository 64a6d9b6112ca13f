# libzwang: the layers as one shared and one static library. Only zw_ symbols leave it.
get_property(layers GLOBAL PROPERTY zwang_layers)
get_property(libraries GLOBAL PROPERTY zwang_link_libraries)
set(objects "")
foreach(layer ${layers})
  list(APPEND objects $<TARGET_OBJECTS:${layer}>)
endforeach()

add_library(zwang SHARED ${objects})
add_library(zwang_static STATIC ${objects})
set_target_properties(zwang PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/zwang.map)
set_target_properties(zwang_static PROPERTIES
  OUTPUT_NAME zwang ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_link_options(zwang PRIVATE
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/zwang.map -Wl,--no-undefined)
foreach(library zwang zwang_static)
  target_include_directories(${library} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${library} PRIVATE ${libraries} m)
  if(ZWANG_SANITIZE)
    target_link_options(${library} PUBLIC -fsanitize=${ZWANG_SANITIZE})
  endif()
endforeach()
if(ZWANG_SANITIZE) # the sanitizers' run time is found when the program starts
  get_target_property(options zwang LINK_OPTIONS)
  list(REMOVE_ITEM options -Wl,--no-undefined)
  list(TRANSFORM options REPLACE "(.*)zwang.map,?-Wl,--no-undefined" "\\1zwang.map")
  set_target_properties(zwang PROPERTIES LINK_OPTIONS "${options}")
endif()

# Installation: header, libraries, CMake package, pkg-config file.
install(TARGETS zwang EXPORT zwang LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS zwang_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/zwang.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT zwang NAMESPACE zwang:: FILE zwang-config.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/zwang)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/zwang-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/zwang-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/zwang)
# The file finds its prefix from where it lies, so that `cmake --install --prefix` may say another.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(ZWANG_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(ZWANG_PC_PREFIX "\${pcfiledir}/${up}")
endif()
configure_file(cmake/zwang.pc.in zwang.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/zwang.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
