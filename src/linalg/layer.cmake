# linalg: kernels.c, cod.c and small.c are compiled once per instruction set, under another name each
# time;
# LAPACK's file is chosen here, or the one that says it is not there.
set(kernel_sources
  ${PROJECT_SOURCE_DIR}/src/linalg/kernels.c
  ${PROJECT_SOURCE_DIR}/src/linalg/cod.c
  ${PROJECT_SOURCE_DIR}/src/linalg/small.c)
list(REMOVE_ITEM sources
  ${kernel_sources}
  ${PROJECT_SOURCE_DIR}/src/linalg/lapack.c
  ${PROJECT_SOURCE_DIR}/src/linalg/lapack_none.c)

function(zwang_kernels variant)
  add_library(zwang_kernels_${variant} OBJECT ${kernel_sources})
  target_link_libraries(zwang_kernels_${variant} PRIVATE zwang_flags)
  target_include_directories(zwang_kernels_${variant} PRIVATE ${PROJECT_BINARY_DIR}/layers/base)
  target_compile_definitions(zwang_kernels_${variant} PRIVATE ZA_VARIANT=${variant})
  # vectors are passed to inlined functions only: no ABI to keep
  target_compile_options(zwang_kernels_${variant} PRIVATE -Wno-psabi ${ARGN})
  set_property(GLOBAL APPEND PROPERTY zwang_layers zwang_kernels_${variant})
endfunction()

option(ZWANG_PLAIN_KERNELS "Only the kernels without vector instructions" OFF)
zwang_kernels(plain)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT ZWANG_PLAIN_KERNELS)
  zwang_kernels(avx2 -mavx2 -mfma)
  target_compile_definitions(zwang_linalg PRIVATE ZA_HAVE_AVX2)
endif()

find_package(PkgConfig)
if(ZWANG_LAPACK AND PkgConfig_FOUND)
  pkg_check_modules(OPENBLAS IMPORTED_TARGET openblas)
endif()
if(OPENBLAS_FOUND)
  list(APPEND sources ${PROJECT_SOURCE_DIR}/src/linalg/lapack.c)
  set_property(GLOBAL APPEND PROPERTY zwang_link_libraries PkgConfig::OPENBLAS)
else()
  list(APPEND sources ${PROJECT_SOURCE_DIR}/src/linalg/lapack_none.c)
endif()
