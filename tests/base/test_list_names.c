/*
 * Names of the lists of zwang.h: there and back for every value, and what is in no list.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "list_names.h"

/* One value of a list: its name as it stands there, and the value again from it. */
#define THERE_AND_BACK(kind, constant, name)                                                       \
    do {                                                                                           \
        zw_##kind found = (zw_##kind)(constant == 0);                                              \
        assert_string_equal(zb_##kind##_name(constant), name);                                     \
        assert_int_equal(zb_##kind##_find(name, &found), ZW_OK);                                   \
        assert_int_equal(found, constant);                                                         \
        count++;                                                                                   \
    } while (0);
#define SOLVER(constant, value, name, sentence) THERE_AND_BACK(solver, constant, name)
#define FORM(constant, value, name, sentence) THERE_AND_BACK(form, constant, name)
#define METHOD(constant, value, name, sentence) THERE_AND_BACK(method, constant, name)
#define STABILIZE(constant, value, name, sentence) THERE_AND_BACK(stabilize, constant, name)
#define KERNEL(constant, value, name, sentence) THERE_AND_BACK(kernel, constant, name)

/* Past the last value, before the first, and names that are none: nothing is written then. */
#define NOT_LISTED(kind)                                                                           \
    do {                                                                                           \
        zw_##kind kept = (zw_##kind)1;                                                             \
        assert_null(zb_##kind##_name((zw_##kind)count));                                           \
        assert_null(zb_##kind##_name((zw_##kind)(-1)));                                            \
        assert_int_equal(zb_##kind##_find("", &kept), ZW_ERR_ARGUMENT);                            \
        assert_int_equal(zb_##kind##_find("aut", &kept), ZW_ERR_ARGUMENT);                         \
        assert_int_equal(zb_##kind##_find("no such name", &kept), ZW_ERR_ARGUMENT);                \
        assert_int_equal(kept, 1);                                                                 \
    } while (0)

static void solvers(void **state)
{
    (void)state;
    int count = 0;
    ZW_SOLVER_LIST(SOLVER)
    NOT_LISTED(solver);
}

/* The name of an earlier version is read, and only as a solver's. */
static void renamed_solver(void **state)
{
    (void)state;
    zw_solver solver = ZW_SOLVER_AUTO;
    zw_kernel kernel = ZW_KERNEL_AUTO;
    assert_int_equal(zb_solver_find("lanes", &solver), ZW_OK);
    assert_int_equal(solver, ZW_SOLVER_PARTS);
    assert_string_equal(zb_solver_name(solver), "parts");
    assert_int_equal(zb_kernel_find("lanes", &kernel), ZW_ERR_ARGUMENT);
}

static void forms(void **state)
{
    (void)state;
    int count = 0;
    ZW_FORM_LIST(FORM)
    NOT_LISTED(form);
}

static void methods(void **state)
{
    (void)state;
    int count = 0;
    ZW_METHOD_LIST(METHOD)
    NOT_LISTED(method);
}

static void ways_to_stabilize(void **state)
{
    (void)state;
    int count = 0;
    ZW_STABILIZE_LIST(STABILIZE)
    NOT_LISTED(stabilize);
}

static void kernels(void **state)
{
    (void)state;
    int count = 0;
    ZW_KERNEL_LIST(KERNEL)
    NOT_LISTED(kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solvers), cmocka_unit_test(forms),
        cmocka_unit_test(methods), cmocka_unit_test(ways_to_stabilize),
        cmocka_unit_test(kernels), cmocka_unit_test(renamed_solver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
