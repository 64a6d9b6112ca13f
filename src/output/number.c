/*
 * Doubles as text: the fewest of 15, 16 and 17 significant digits that are read back as the same
 * double, laid out as %g does, some fifteen times as fast as printf and strtod find them.
 *
 * A number m 2^e of 17 digits before the point is V = m 2^e 10^p, 10^16 <= V < 10^17, where p = 16
 * - k and k is the decimal exponent. It is found with 64 bits behind the point from 128 bits of
 * 10^p; half the distance to the next double becomes H = 2^e 10^p / 2 in the same units. To n
 * digits the number is V rounded to a multiple of 10^(17 - n), and that is read back as the number
 * when it is nearer than H (on the lower side of a power of two, than H / 2).
 *
 * V and H are too small by less than `margin` units of 2^-64. Whatever is as near to a tie or a
 * limit as that, and all subnormal numbers, is left to base, slow and exact: of random doubles
 * about one in 10^18, and among numbers with few bits (halves, quarters) those of 17 digits and
 * more.
 *
 * The powers are computed when a result is opened, by multiplying and dividing by ten in 192 bits:
 * the errors of all steps together stay below 2^-180.
 */
#include "inside.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum { margin = 8 };

/* ------------------------------------------------------------------ powers */

/* The number (limb[0] 2^192 + limb[1] 2^128 + limb[2] 2^64 + limb[3]) 2^exponent. */
typedef struct big {
    uint64_t limb[4];
    int32_t exponent;
} big;

static void double_limbs(big *b)
{
    for (int i = 0; i < 4; i++) b->limb[i] = b->limb[i] << 1 | (i < 3 ? b->limb[i + 1] >> 63 : 0);
    b->exponent--;
}

/* The first bit into its place, and away with the last limb. */
static void normalise(big *b)
{
    while (!(b->limb[0] >> 63)) double_limbs(b);
    b->limb[3] = 0;
}

static void times_ten(big *b)
{
    wide carry = 0;
    for (int i = 3; i >= 0; i--) {
        carry += (wide)b->limb[i] * 10;
        b->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    for (int i = 3; i > 0; i--) b->limb[i] = b->limb[i] >> 4 | b->limb[i - 1] << 60;
    b->limb[0] = b->limb[0] >> 4 | (uint64_t)carry << 60;
    b->exponent += 4;
    normalise(b);
}

static void by_ten(big *b)
{
    wide rest = 0;
    for (int i = 0; i < 4; i++) {
        rest = rest << 64 | b->limb[i];
        b->limb[i] = (uint64_t)(rest / 10);
        rest %= 10;
    }
    normalise(b);
}

static void keep(zo_powers *powers, int32_t p, const big *b)
{
    powers->of[p - zo_least_power] =
        (zo_power){.high = b->limb[0], .low = b->limb[1], .exponent = b->exponent + 128};
}

void zo_powers_init(zo_powers *powers)
{
    const big one = {.limb = {UINT64_C(1) << 63}, .exponent = -255};
    big b = one;
    for (int32_t p = 0; p <= zo_greatest_power; p++) {
        keep(powers, p, &b);
        times_ten(&b);
    }
    b = one;
    for (int32_t p = -1; p >= zo_least_power; p--) {
        by_ten(&b);
        keep(powers, p, &b);
    }
}

/* ------------------------------------------------------------------ digits */

/* A number scaled to 17 digits before the point; 64 bits behind it. */
typedef struct scaled {
    wide V, above, below; /* above, below: how far one may go */
    int32_t k;
} scaled;

typedef struct decimal {
    uint64_t digits; /* `count` of them */
    int32_t count, k;
} decimal;

static scaled scale_by(const zo_powers *powers, uint64_t m, int32_t e, int32_t k)
{
    const zo_power *power = &powers->of[16 - k - zo_least_power];
    wide product = (wide)m * power->high + ((wide)m * power->low >> 64);
    /* V = product 2^(64 + e + exponent), wanted in units of 2^-64. */
    int32_t shift = -(e + power->exponent + 128);
    wide half = ((wide)power->high << 64 | power->low) >> (shift + 54);
    return (scaled){.V = product >> shift, .above = half, .below = half, .k = k};
}

/* value = (m / 2^11) 2^(e + 11), m with its first bit set. */
static scaled scale(const zo_powers *powers, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int32_t binary = (int32_t)(bits >> 52 & 0x7ff) - 1023;
    uint64_t m = (fraction | UINT64_C(1) << 52) << 11;
    /* log10 2 times the exponent, rounded down: k or one less. 2^2136 is just above 10^643. */
    int32_t k = (int32_t)((binary + 2136) * INT64_C(1292913986) >> 32) - 643;
    scaled s = scale_by(powers, m, binary - 63, k);
    if (s.V >> 64 >= UINT64_C(100000000000000000)) s = scale_by(powers, m, binary - 63, k + 1);
    if (fraction == 0 && binary > -1022) s.below >>= 1;
    return s;
}

typedef enum verdict { READ_BACK, OTHER, UNSURE } verdict;

/* Rounds to a multiple of `unit`: is it read back as the number? */
static verdict round_to(const scaled *s, uint64_t unit, uint64_t *digits)
{
    uint64_t whole = (uint64_t)(s->V >> 64);
    uint64_t quotient = whole / unit;
    wide rest = (wide)(whole - quotient * unit) << 64 | (uint64_t)s->V;
    wide half = (wide)unit << 63;
    bool up = rest > half;
    wide distance = up ? 2 * half - rest : rest;
    wide limit = up ? s->above : s->below;
    *digits = quotient + up;
    if (distance > limit + margin) return OTHER;
    bool tie = (up ? rest - half : half - rest) <= margin;
    return tie || distance + margin >= limit ? UNSURE : READ_BACK;
}

/* False: not sure. */
static bool shortest(const scaled *s, decimal *d)
{
    static const uint64_t unit[] = {100, 10, 1};
    static const uint64_t end[] = {UINT64_C(1000000000000000), UINT64_C(10000000000000000),
                                   UINT64_C(100000000000000000)};
    for (int i = 0; i < 3; i++) {
        verdict v = round_to(s, unit[i], &d->digits);
        if (v == UNSURE) return false;
        if (v == OTHER) continue;
        d->count = 15 + i;
        d->k = s->k;
        if (d->digits == end[i]) {
            d->digits /= 10;
            d->k++;
        }
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------ layout */

/* All digits as characters; how many there are without the zeros at the end. */
static int32_t spell(const decimal *d, char digits[17])
{
    uint64_t rest = d->digits;
    for (int32_t i = d->count - 1; i >= 0; i--) {
        digits[i] = (char)('0' + rest % 10);
        rest /= 10;
    }
    int32_t count = d->count;
    while (count > 1 && digits[count - 1] == '0') count--;
    return count;
}

static char *put(char *to, const char *from, int32_t count)
{
    memcpy(to, from, (size_t)count);
    return to + count;
}

/* d.ddde-308 */
static char *lay_scientific(char *to, const char *digits, int32_t count, int32_t k)
{
    *to++ = digits[0];
    if (count > 1) *to++ = '.';
    to = put(to, digits + 1, count - 1);
    *to++ = 'e';
    *to++ = k < 0 ? '-' : '+';
    k = k < 0 ? -k : k;
    if (k >= 100) *to++ = (char)('0' + k / 100);
    *to++ = (char)('0' + k / 10 % 10);
    *to++ = (char)('0' + k % 10);
    return to;
}

static char *lay(char *to, const decimal *d)
{
    static const char zeros[] = "0.0000000000000000";
    char digits[17];
    int32_t count = spell(d, digits);
    if (d->k < -4 || d->k >= d->count) return lay_scientific(to, digits, count, d->k);
    if (d->k < 0) return put(put(to, zeros, 1 - d->k), digits, count);
    if (count <= d->k + 1) return put(put(to, digits, count), zeros + 2, d->k + 1 - count);
    to = put(to, digits, d->k + 1);
    *to++ = '.';
    return put(to, digits + d->k + 1, count - d->k - 1);
}

static size_t slowly(double value, char text[zo_number_size])
{
    char buffer[ZB_DOUBLE_SIZE];
    size_t length = zb_print_double(value, buffer);
    memcpy(text, buffer, length);
    return length;
}

size_t zo_number(const zo_powers *powers, double value, char text[zo_number_size])
{
    decimal d = {.digits = 0, .count = 1, .k = 0};
    if (value != 0) {
        if (!isnormal(value)) return slowly(value, text);
        scaled s = scale(powers, value);
        if (!shortest(&s, &d)) return slowly(value, text);
    }
    char *to = text;
    if (signbit(value)) *to++ = '-';
    return (size_t)(lay(to, &d) - text);
}
