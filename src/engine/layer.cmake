zwang_shelves(words compile conditions fuse state roads solve motors start refuse vary run way space contact carry ensemble picture report check verdict study members export)

# Steps of a crowd (crowd_step.c) are compiled once for each width and instruction
# set, under another name each time; ZR_VECTOR is how many doubles a register of it holds.
set(step_source ${PROJECT_SOURCE_DIR}/src/engine/ensemble/crowd_step.c)
list(REMOVE_ITEM sources ${step_source})

function(zwang_steps variant width vector)
  set(target zwang_steps_${variant}_${width})
  add_library(${target} OBJECT ${step_source})
  target_link_libraries(${target} PRIVATE zwang_flags)
  target_include_directories(${target} PRIVATE ${own_folders})
  foreach(used ${LAYER_USES})
    target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/layers/${used})
  endforeach()
  target_compile_definitions(${target} PRIVATE
    ZR_VARIANT=${variant} ZR_WIDTH=${width} ZR_VECTOR=${vector})
  # vectors are passed to inlined functions only: no ABI to keep
  target_compile_options(${target} PRIVATE -Wno-psabi ${ARGN})
  set_property(GLOBAL APPEND PROPERTY zwang_layers ${target})
endfunction()

zwang_steps(plain 4 2)
zwang_steps(plain 8 2)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT ZWANG_PLAIN_KERNELS)
  zwang_steps(avx2 4 4 -mavx2)
  zwang_steps(avx2 8 4 -mavx2)
  zwang_steps(avx512 8 8 -mavx512f -mavx512dq -mavx512vl -mprefer-vector-width=512)
  target_compile_definitions(zwang_engine PRIVATE ZR_HAVE_X86)
endif()

# lib/*.zw, the modules that come with the library, become part of it.
file(GLOB module_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/*.zw)
set(shipped ${PROJECT_BINARY_DIR}/shipped.c)
add_custom_command(OUTPUT ${shipped}
  COMMAND ${CMAKE_COMMAND} -DTYPE=zr_shipped_file -DNAME=zr_shipped -DHEADER=shipped.h -DOUTPUT=${shipped}
          "-DFILES=${module_files}" -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${module_files} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  COMMENT "Embedding lib" VERBATIM)
list(APPEND sources ${shipped})

# What exported models have in common, and our elementary functions, for those that do without math.h.
file(GLOB export_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/engine/export/text/*.txt)
list(APPEND export_files ${PROJECT_SOURCE_DIR}/src/base/elementary.h
     ${PROJECT_SOURCE_DIR}/src/base/numeric/elementary.c)
set(export_texts ${PROJECT_BINARY_DIR}/export_texts.c)
add_custom_command(OUTPUT ${export_texts}
  COMMAND ${CMAKE_COMMAND} -DTYPE=zr_export_text -DNAME=zr_export_texts -DHEADER=export_texts.h
          -DOUTPUT=${export_texts} "-DFILES=${export_files}" -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${export_files} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  COMMENT "Embedding texts of export" VERBATIM)
list(APPEND sources ${export_texts})
