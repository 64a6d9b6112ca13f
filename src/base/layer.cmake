zwang_shelves(memory text numeric threads)

# The headers lie in the root: base.h shows all of them to the layers above, which see no shelf.
# Threads by POSIX, or the file that says there are none.
list(REMOVE_ITEM sources
  ${PROJECT_SOURCE_DIR}/src/base/threads/thread.c
  ${PROJECT_SOURCE_DIR}/src/base/threads/thread_none.c)

option(ZWANG_THREADS "Ensembles and large systems in several threads" ON)
if(ZWANG_THREADS)
  set(THREADS_PREFER_PTHREAD_FLAG ON)
  find_package(Threads)
endif()
if(ZWANG_THREADS AND CMAKE_USE_PTHREADS_INIT)
  list(APPEND sources ${PROJECT_SOURCE_DIR}/src/base/threads/thread.c)
  set_property(GLOBAL APPEND PROPERTY zwang_link_libraries Threads::Threads)
  set(threads_flags -pthread)
else()
  list(APPEND sources ${PROJECT_SOURCE_DIR}/src/base/threads/thread_none.c)
  set(threads_flags "")
endif()
set(ZWANG_THREADS_FLAGS "${threads_flags}" CACHE INTERNAL "for who links libzwang.a: zwang.pc.in")
