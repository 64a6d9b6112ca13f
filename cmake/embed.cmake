# Writes a C file that holds the bytes of files, one after another:
#   cmake -DNAME=array -DOUTPUT=file.c "-DFILES=a.md;b.md" -P embed.cmake
# The array is `const unsigned char NAME[]`, ended by a NUL. The bytes go through hexadecimal, so
# that no sign in the files means anything to CMake.
set(bytes "")
foreach(file ${FILES})
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(REGEX REPLACE "(0x0a,)" "\\1\n" hex "${hex}") # a line of the file is a line here
  string(APPEND bytes "${hex}0x0a,\n")
endforeach()
file(WRITE ${OUTPUT}
  "/* Made by cmake/embed.cmake. */\n"
  "extern const unsigned char ${NAME}[];\n"
  "const unsigned char ${NAME}[] = {\n${bytes}0};\n")
