/*
 * Distances from slip where no rows depend on each other.
 */
#include <math.h>

#include "../contact.h"

bool zg_stick_margins(zg_contact_space *space, const zg_instant *instant, const zg_mode *mode,
                      const zg_contact_tolerance *tolerance, const double *x, double *margin,
                      double *best)
{
    (void)space;
    (void)tolerance;
    for (int32_t i = 0; best && i < instant->rows; i++) best[i] = x[i];
    for (int32_t f = 0; f < instant->frictions; f++) {
        const zg_friction *is = &instant->friction[f];
        double square = 0.0;
        margin[f] = 0.0;
        if (mode->friction[f] != ZG_STICK || is->contact < 0) continue;
        for (int32_t j = 0; j < is->width; j++) square += x[is->first + j] * x[is->first + j];
        margin[f] = is->mu_static * x[instant->contact[is->contact].normal] - sqrt(square);
    }
    return true;
}
