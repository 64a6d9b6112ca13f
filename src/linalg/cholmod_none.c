/*
 * Stands in for cholmod.c in builds without CHOLMOD: our own supernodal factor does its work.
 */
#include "sparse.h"

const za_factoring *za_cholmod(void)
{
    return NULL;
}
