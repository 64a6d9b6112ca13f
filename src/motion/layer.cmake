# motion: the file of the method bdf is chosen here, or the one that says it is not there. SUNDIALS is
# looked for file by file: its own CMake package asks for OpenMP and names PETSc, which nothing here
# needs. Its library cvode holds the vectors and dense matrices too.
list(REMOVE_ITEM sources
  ${PROJECT_SOURCE_DIR}/src/motion/bdf.c
  ${PROJECT_SOURCE_DIR}/src/motion/bdf_none.c)

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
  list(APPEND sources ${PROJECT_SOURCE_DIR}/src/motion/bdf.c)
  target_include_directories(zwang_motion SYSTEM PRIVATE ${SUNDIALS_INCLUDE})
  set_property(GLOBAL APPEND PROPERTY zwang_link_libraries ${SUNDIALS_CVODE})
  set_property(GLOBAL PROPERTY zwang_has_bdf 1)
  set(sundials_flags -lsundials_cvode)
else()
  list(APPEND sources ${PROJECT_SOURCE_DIR}/src/motion/bdf_none.c)
  set_property(GLOBAL PROPERTY zwang_has_bdf 0)
  set(sundials_flags "")
endif()
set(ZWANG_SUNDIALS_FLAGS "${sundials_flags}" CACHE INTERNAL "for who links libzwang.a: zwang.pc.in")
