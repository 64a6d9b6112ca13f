# Compiler flags of every target: warnings are errors, arithmetic is exact to the bit.
add_library(zwang_flags INTERFACE)
target_compile_options(zwang_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wdouble-promotion -Wmissing-prototypes
  -Wstrict-prototypes -Wundef -Wvla -Wcast-qual -Werror
  # no contraction, no fast-math: the same operations give the same bits everywhere
  -ffp-contract=off -fno-math-errno)
target_compile_definitions(zwang_flags INTERFACE _POSIX_C_SOURCE=200809L)
target_include_directories(zwang_flags INTERFACE ${PROJECT_SOURCE_DIR}/include)
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
