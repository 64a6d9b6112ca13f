#include "plan.h"
zw_status zg_solve_form(zw_gauss *g, zw_form form, const double *Q, const double *b,
                        const double *C, zw_gauss_answer *answer)
{
    (void)form;
    return zg_solve(g, Q, b, C, answer);
}
