/*
 * A library with one of the functions of LAPACK that lapack.c looks for and not the others:
 * test_loading.c. Nobody may call it.
 */
#include <stdlib.h>

__attribute__((visibility("default"))) void dpotrf_(void);

void dpotrf_(void)
{
    abort();
}
