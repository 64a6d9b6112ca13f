zwang_shelves(steppers crowd events)

# Attempts of one member (attempt_pairs.c) and sweeps over its stages (gauss_sweep.c) are compiled
# once for each instruction set, steps of a
# crowd (crowd_adapt.c, crowd_pairs.c) once for each width and instruction set, under another name
# each time; ZI_VECTOR is how many doubles a register of it holds, `plain` is for any processor.
set(crowd_sources
  ${PROJECT_SOURCE_DIR}/src/motion/crowd/crowd_adapt.c
  ${PROJECT_SOURCE_DIR}/src/motion/crowd/crowd_pairs.c)
set(attempt_sources ${PROJECT_SOURCE_DIR}/src/motion/steppers/attempt_pairs.c)
set(sweep_sources ${PROJECT_SOURCE_DIR}/src/motion/steppers/gauss_sweep.c)
list(REMOVE_ITEM sources ${crowd_sources} ${attempt_sources} ${sweep_sources})

function(zwang_motion_variant target variant)
  target_link_libraries(${target} PRIVATE zwang_flags)
  target_include_directories(${target} PRIVATE ${own_folders} ${PROJECT_BINARY_DIR}/layers/base)
  target_compile_definitions(${target} PRIVATE ZI_VARIANT=${variant})
  # vectors are passed to inlined functions only: no ABI to keep
  target_compile_options(${target} PRIVATE -Wno-psabi ${ARGN})
  set_property(GLOBAL APPEND PROPERTY zwang_layers ${target})
endfunction()

function(zwang_attempts variant)
  add_library(zwang_attempts_${variant} OBJECT ${attempt_sources})
  zwang_motion_variant(zwang_attempts_${variant} ${variant} ${ARGN})
endfunction()

function(zwang_sweeps variant)
  add_library(zwang_sweeps_${variant} OBJECT ${sweep_sources})
  target_compile_definitions(zwang_sweeps_${variant} PRIVATE ZI_HAVE_X86)
  zwang_motion_variant(zwang_sweeps_${variant} ${variant} ${ARGN})
endfunction()

function(zwang_crowd variant width vector)
  set(target zwang_crowd_${variant}_${width})
  add_library(${target} OBJECT ${crowd_sources})
  target_compile_definitions(${target} PRIVATE ZI_WIDTH=${width} ZI_VECTOR=${vector})
  zwang_motion_variant(${target} ${variant} ${ARGN})
endfunction()

zwang_attempts(plain)
zwang_sweeps(plain)
zwang_crowd(plain 4 2)
zwang_crowd(plain 8 2)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT ZWANG_PLAIN_KERNELS)
  zwang_attempts(avx2 -mavx2)
  zwang_sweeps(avx2 -mavx2)
  zwang_sweeps(avx512 -mavx512f -mavx512dq -mavx512vl -mprefer-vector-width=512)
  zwang_crowd(avx2 4 4 -mavx2)
  zwang_crowd(avx2 8 4 -mavx2)
  zwang_crowd(avx512 8 8 -mavx512f -mavx512dq -mavx512vl -mprefer-vector-width=512)
  target_compile_definitions(zwang_motion PRIVATE ZI_HAVE_X86)
endif()

# The file of the method bdf is chosen here, or the one that says it is not there. SUNDIALS is
# looked for file by file: its own CMake package asks for OpenMP and names PETSc, which nothing here
# needs. Its library cvode holds the vectors and dense matrices too.
list(REMOVE_ITEM sources
  ${PROJECT_SOURCE_DIR}/src/motion/steppers/bdf.c
  ${PROJECT_SOURCE_DIR}/src/motion/steppers/bdf_none.c)

set(sundials_version "")
if(ZWANG_SUNDIALS)
  find_path(SUNDIALS_INCLUDE sundials/sundials_config.h)
  find_library(SUNDIALS_CVODE sundials_cvode)
  if(SUNDIALS_INCLUDE AND SUNDIALS_CVODE) # 7 changed the functions; before 6 there are no contexts
    file(STRINGS ${SUNDIALS_INCLUDE}/sundials/sundials_config.h sundials_version
         REGEX "^#define SUNDIALS_VERSION_MAJOR 6$")
  endif()
endif()

if(sundials_version)
  list(APPEND sources ${PROJECT_SOURCE_DIR}/src/motion/steppers/bdf.c)
  target_include_directories(zwang_motion SYSTEM PRIVATE ${SUNDIALS_INCLUDE})
  set_property(GLOBAL APPEND PROPERTY zwang_link_libraries ${SUNDIALS_CVODE})
  set_property(GLOBAL PROPERTY zwang_has_bdf 1)
  set(sundials_flags -lsundials_cvode)
else()
  list(APPEND sources ${PROJECT_SOURCE_DIR}/src/motion/steppers/bdf_none.c)
  set_property(GLOBAL PROPERTY zwang_has_bdf 0)
  set(sundials_flags "")
endif()
set(ZWANG_SUNDIALS_FLAGS "${sundials_flags}" CACHE INTERNAL "for who links libzwang.a: zwang.pc.in")
