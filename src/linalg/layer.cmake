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

# OpenBLAS is opened at run time by its soname (lapack.c): the build only has to find it.
find_package(PkgConfig)
if(ZWANG_LAPACK AND PkgConfig_FOUND)
  pkg_check_modules(OPENBLAS openblas)
endif()
set(ZWANG_LAPACK_SONAME "" CACHE INTERNAL "the library that lapack.c opens; empty: none")
if(OPENBLAS_FOUND)
  find_library(OPENBLAS_FILE openblas HINTS ${OPENBLAS_LIBRARY_DIRS})
  if(OPENBLAS_FILE AND CMAKE_OBJDUMP)
    execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${OPENBLAS_FILE}
                    OUTPUT_VARIABLE openblas_headers ERROR_QUIET)
  endif()
  if(openblas_headers MATCHES "SONAME +([^ \n]+)")
    set(ZWANG_LAPACK_SONAME ${CMAKE_MATCH_1} CACHE INTERNAL "")
  else() # since its first release
    set(ZWANG_LAPACK_SONAME libopenblas.so.0 CACHE INTERNAL "")
  endif()
  find_package(Threads REQUIRED)
  list(APPEND sources ${PROJECT_SOURCE_DIR}/src/linalg/lapack.c)
  target_compile_definitions(zwang_linalg PRIVATE ZA_LAPACK_LIBRARY="${ZWANG_LAPACK_SONAME}")
  set_property(GLOBAL APPEND PROPERTY zwang_link_libraries ${CMAKE_DL_LIBS} Threads::Threads)
  set(lapack_flags -ldl -pthread)
else()
  set(lapack_flags "")
  list(APPEND sources ${PROJECT_SOURCE_DIR}/src/linalg/lapack_none.c)
endif()
list(JOIN lapack_flags " " lapack_flags)
set(ZWANG_LAPACK_FLAGS "${lapack_flags}" CACHE INTERNAL "for who links libzwang.a: zwang.pc.in")
