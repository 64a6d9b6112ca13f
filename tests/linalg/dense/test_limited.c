/*
 * Under a limit of address space that leaves OpenBLAS no room it is not loaded: it would wait for
 * memory without end. Large systems are then solved by our own kernels.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "linalg.h"

static void not_loaded(void **state)
{
    (void)state;
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = (rlim_t)512 << 20;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    assert_false(za_lapack_available());
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(not_loaded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
