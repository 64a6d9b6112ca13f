zwang_shelves(program bytecode native)

# Memory for machine code is asked for with mmap, or there is none.
include(CheckSymbolExists)
check_symbol_exists(mmap sys/mman.h ZWANG_HAS_MMAP)
if(ZWANG_HAS_MMAP)
  list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/src/kernel/native/executable_none.c)
else()
  list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/src/kernel/native/executable.c)
endif()

# Machine code is that of one processor; on those without an emitter it is never executed.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/src/kernel/native/x86.c)
else()
  list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/src/kernel/native/a64.c)
endif()

# The machine in lanes is compiled once per instruction set, under another name each time; `plain` is the
# one for any processor.
set(wide_source ${PROJECT_SOURCE_DIR}/src/kernel/bytecode/wide_machine.c)
list(REMOVE_ITEM sources ${wide_source})

function(zwang_wide variant lanes)
  add_library(zwang_wide_${variant} OBJECT ${wide_source})
  target_link_libraries(zwang_wide_${variant} PRIVATE zwang_flags)
  target_include_directories(zwang_wide_${variant} PRIVATE ${own_folders}
    ${PROJECT_BINARY_DIR}/layers/base ${PROJECT_BINARY_DIR}/layers/expr)
  target_compile_definitions(zwang_wide_${variant} PRIVATE ZK_VARIANT=${variant} ZB_LANES=${lanes})
  # vectors are passed to inlined functions only: no ABI to keep
  target_compile_options(zwang_wide_${variant} PRIVATE -Wno-psabi ${ARGN})
  set_property(GLOBAL APPEND PROPERTY zwang_layers zwang_wide_${variant})
endfunction()

zwang_wide(plain 2)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT ZWANG_PLAIN_KERNELS)
  zwang_wide(avx2 4 -mavx2)
  zwang_wide(avx512 8 -mavx512f -mavx512dq -mavx512vl)
  target_compile_definitions(zwang_kernel PRIVATE ZK_HAVE_AVX)
endif()
