# Compiler flags of every target: warnings are errors, arithmetic is exact to the bit.
add_library(zwang_flags INTERFACE)
target_compile_options(zwang_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wdouble-promotion -Wmissing-prototypes
  -Wstrict-prototypes -Wundef -Wvla -Wcast-qual -Werror
  # no contraction, no fast-math: the same operations give the same bits everywhere
  -ffp-contract=off -fno-math-errno)
# gcc 12 for AArch64 ends with internal errors in its vectorizer of loops; what matters is vectors in the source
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  target_compile_options(zwang_flags INTERFACE -fno-tree-loop-vectorize)
endif()
target_compile_definitions(zwang_flags INTERFACE _POSIX_C_SOURCE=200809L)
target_include_directories(zwang_flags INTERFACE ${PROJECT_SOURCE_DIR}/include)
# Hardening: what the compiler and the linker have of it. Sanitizers bring checks of their own.
option(ZWANG_HARDEN "guards of stacks, calls and relocations" ON)
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
set(hardening -fstack-protector-strong -fstack-clash-protection)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND hardening -fcf-protection=full)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  list(APPEND hardening -mbranch-protection=standard)
endif()
if(ZWANG_HARDEN AND NOT ZWANG_SANITIZE AND NOT ZWANG_FUZZ)
  foreach(flag ${hardening})
    string(MAKE_C_IDENTIFIER "ZWANG_HAS${flag}" has)
    check_c_compiler_flag("-Werror ${flag}" ${has})
    if(${has})
      target_compile_options(zwang_flags INTERFACE ${flag})
    endif()
  endforeach()
  # needs an optimiser; the level that the system's compiler may have set before is replaced
  target_compile_options(zwang_flags INTERFACE
    $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
endif()
foreach(flag -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
  string(MAKE_C_IDENTIFIER "ZWANG_HAS${flag}" has)
  check_linker_flag(C "${flag}" ${has})
  if(${has})
    add_link_options(${flag})
  endif()
endforeach()
include(CheckPIESupported)
check_pie_supported()

if(ZWANG_SMALL_TABLES)
  target_compile_definitions(zwang_flags INTERFACE ZB_SMALL_TABLES)
endif()
if(ZWANG_FUZZ) # coverage everywhere; the fuzz targets link the fuzzer itself
  target_compile_options(zwang_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(ZWANG_SANITIZE)
  target_compile_options(zwang_flags INTERFACE -fsanitize=${ZWANG_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(zwang_flags INTERFACE -fsanitize=${ZWANG_SANITIZE})
endif()
