# A layer is a folder under src/ compiled as its own target. Its include path holds the
# public header <folder>.h of the layers it may use, each in a folder of forwarding
# headers, and nothing else of ours: a forbidden include does not compile.
#
# A layer may have shelves: subfolders that zwang_shelves lists in its layer.cmake, lowest first. A file
# includes headers of its own shelf, of those below it and of the layer's root; tools/check_layers
# enforces the order. What lies in the root itself stands above all shelves.
set_property(GLOBAL PROPERTY zwang_layers "")

# zwang_shelves(name...): in a layer.cmake, before anything that compiles.
macro(zwang_shelves)
  foreach(shelf ${ARGN})
    list(APPEND own_folders ${PROJECT_SOURCE_DIR}/src/${name}/${shelf})
  endforeach()
endmacro()

function(zwang_layer name)
  cmake_parse_arguments(LAYER "" "" "USES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.c)
  set(own_folders ${PROJECT_SOURCE_DIR}/src/${name})
  set(optional ${PROJECT_SOURCE_DIR}/src/${name}/layer.cmake)
  add_library(zwang_${name} OBJECT)
  if(EXISTS ${optional})
    include(${optional}) # edits `sources`, may list shelves and add object files of its own
  endif()
  target_sources(zwang_${name} PRIVATE ${sources})
  target_link_libraries(zwang_${name} PRIVATE zwang_flags)
  target_include_directories(zwang_${name} PRIVATE ${own_folders})
  set_property(GLOBAL PROPERTY zwang_folders_${name} ${own_folders})
  set(shown ${PROJECT_BINARY_DIR}/layers/${name})
  file(CONFIGURE OUTPUT ${shown}/${name}.h
       CONTENT "#include \"${PROJECT_SOURCE_DIR}/src/${name}/${name}.h\"\n" @ONLY)
  # What a layer's own header shows is visible to those above it.
  target_include_directories(zwang_${name} INTERFACE ${shown})
  foreach(used ${LAYER_USES})
    if(NOT TARGET zwang_${used})
      message(FATAL_ERROR "layer ${name} uses ${used}, which stands above it or does not exist")
    endif()
    get_target_property(paths zwang_${used} INTERFACE_INCLUDE_DIRECTORIES)
    target_include_directories(zwang_${name} PRIVATE ${paths})
    target_include_directories(zwang_${name} INTERFACE ${paths})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY zwang_layers zwang_${name})
endfunction()

# For tests and benchmarks of the insides: the folders of these layers on the target's include path.
function(zwang_see_layers target)
  foreach(layer ${ARGN})
    get_property(folders GLOBAL PROPERTY zwang_folders_${layer})
    target_include_directories(${target} PRIVATE ${folders})
  endforeach()
endfunction()
