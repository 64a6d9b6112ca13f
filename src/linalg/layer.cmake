zwang_shelves(dense sparse)

# kernels.c, cod.c, small.c, sweeps.c and supernodal_kernels.c are compiled once per instruction set,
# under another name each time;
# lapack.c is chosen here, or the file that says LAPACK is not there.
set(kernel_sources
  ${PROJECT_SOURCE_DIR}/src/linalg/dense/kernels.c
  ${PROJECT_SOURCE_DIR}/src/linalg/dense/cod.c
  ${PROJECT_SOURCE_DIR}/src/linalg/dense/small.c
  ${PROJECT_SOURCE_DIR}/src/linalg/dense/sweeps.c
  ${PROJECT_SOURCE_DIR}/src/linalg/sparse/supernodal_kernels.c)
list(REMOVE_ITEM sources ${kernel_sources})
foreach(file dense/lapack dense/lapack_none dense/shared_library)
  list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/src/linalg/${file}.c)
endforeach()

function(zwang_kernels variant)
  add_library(zwang_kernels_${variant} OBJECT ${kernel_sources})
  target_link_libraries(zwang_kernels_${variant} PRIVATE zwang_flags)
  target_include_directories(zwang_kernels_${variant} PRIVATE ${own_folders} ${PROJECT_BINARY_DIR}/layers/base)
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

# LAPACK is opened at run time by its soname: the build only has to find it.
# A soname is what the library itself says; `usual` where that cannot be read.
function(zwang_soname file usual result)
  if(CMAKE_OBJDUMP)
    execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${file} OUTPUT_VARIABLE headers ERROR_QUIET)
  endif()
  if(headers MATCHES "SONAME +([^ \n]+)")
    set(usual ${CMAKE_MATCH_1})
  endif()
  set(${result} ${usual} CACHE INTERNAL "a library that is opened at run time")
endfunction()

# Opened, not linked: the file of that name with the library's soname, or the one that ends with _none
# where that is empty.
set(opens_libraries NO)
macro(zwang_opened shelf name soname)
  string(TOUPPER ${name} upper)
  if("${soname}" STREQUAL "")
    list(APPEND sources ${PROJECT_SOURCE_DIR}/src/linalg/${shelf}/${name}_none.c)
  else()
    list(APPEND sources ${PROJECT_SOURCE_DIR}/src/linalg/${shelf}/${name}.c)
    target_compile_definitions(zwang_linalg PRIVATE ZA_${upper}_LIBRARY="${soname}")
    set(opens_libraries YES)
  endif()
endmacro()

set(ZWANG_LAPACK_SONAME "" CACHE INTERNAL "")

find_package(PkgConfig)
if(ZWANG_LAPACK AND PkgConfig_FOUND)
  pkg_check_modules(OPENBLAS openblas)
  if(OPENBLAS_FOUND)
    find_library(OPENBLAS_FILE openblas HINTS ${OPENBLAS_LIBRARY_DIRS})
    zwang_soname("${OPENBLAS_FILE}" libopenblas.so.0 ZWANG_LAPACK_SONAME)
  endif()
endif()
zwang_opened(dense lapack "${ZWANG_LAPACK_SONAME}")

set(opened_flags "")
if(opens_libraries)
  find_package(Threads REQUIRED)
  list(APPEND sources ${PROJECT_SOURCE_DIR}/src/linalg/dense/shared_library.c)
  set_property(GLOBAL APPEND PROPERTY zwang_link_libraries ${CMAKE_DL_LIBS} Threads::Threads)
  set(opened_flags "-ldl -pthread")
endif()
set(ZWANG_LAPACK_FLAGS "${opened_flags}" CACHE INTERNAL "for who links libzwang.a: zwang.pc.in")
