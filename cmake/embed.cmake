# Writes a C file that holds files by name:
#   cmake -DTYPE=text -DNAME=table -DHEADER=text.h -DOUTPUT=FILE.c "-DFILES=a.zw;b.zw" -P embed.cmake
# It defines `const TYPE NAME[]`; HEADER declares that and the struct TYPE of name, file, text and length:
# `file` is the name of the file, `name` the same without its ending. The last entry has none. The bytes
# go through hexadecimal, so that no sign in the files means anything to CMake.
set(arrays "")
set(rows "")
set(number 0)
foreach(file ${FILES})
  file(READ ${file} hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR length "${digits} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(REGEX REPLACE "(0x0a,)" "\\1\n" hex "${hex}") # a line of the file is a line here
  string(APPEND arrays "static const unsigned char text_${number}[] = {\n${hex}0};\n")
  get_filename_component(stem ${file} NAME_WE)
  get_filename_component(base ${file} NAME)
  string(APPEND rows "    {\"${stem}\", \"${base}\", (const char *)text_${number}, ${length}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT}
  "/* Made by cmake/embed.cmake. */\n"
  "#include \"${HEADER}\"\n\n"
  "${arrays}\n"
  "const ${TYPE} ${NAME}[] = {\n${rows}    {0}};\n")
