# kernel: memory for machine code is asked for with mmap, or there is none.
include(CheckSymbolExists)
check_symbol_exists(mmap sys/mman.h ZWANG_HAS_MMAP)
if(ZWANG_HAS_MMAP)
  list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/src/kernel/executable_none.c)
else()
  list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/src/kernel/executable.c)
endif()

# Machine code is that of one processor; on those without an emitter it is never run.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/src/kernel/x86.c)
else()
  list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/src/kernel/a64.c)
endif()

# The machine in lanes is compiled once per instruction set, under another name each time.
set(lanes_source ${PROJECT_SOURCE_DIR}/src/kernel/lanes_machine.c)
list(REMOVE_ITEM sources ${lanes_source})

function(zwang_lanes variant lanes)
  add_library(zwang_lanes_${variant} OBJECT ${lanes_source})
  target_link_libraries(zwang_lanes_${variant} PRIVATE zwang_flags)
  target_include_directories(zwang_lanes_${variant} PRIVATE
    ${PROJECT_BINARY_DIR}/layers/base ${PROJECT_BINARY_DIR}/layers/expr)
  target_compile_definitions(zwang_lanes_${variant} PRIVATE ZK_VARIANT=${variant} ZB_LANES=${lanes})
  # vectors are passed to inlined functions only: no ABI to keep
  target_compile_options(zwang_lanes_${variant} PRIVATE -Wno-psabi ${ARGN})
  set_property(GLOBAL APPEND PROPERTY zwang_layers zwang_lanes_${variant})
endfunction()

zwang_lanes(plain 2)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT ZWANG_PLAIN_KERNELS)
  zwang_lanes(avx2 4 -mavx2)
  zwang_lanes(avx512 8 -mavx512f -mavx512dq -mavx512vl)
  target_compile_definitions(zwang_kernel PRIVATE ZK_HAVE_AVX)
endif()
