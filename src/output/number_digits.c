/*
 * Doubles as text: the fewest of 15, 16 and 17 significant digits that are read back as the same
 * double, laid out as %g does, some fifteen times as fast as printf and strtod find them.
 *
 * A number m 2^e of 17 digits before the point is V = m 2^e 10^p, 10^16 <= V < 10^17, where
 * p = 16 - k and k is the decimal exponent. It is found with 56 bits behind the point from 128 bits
 * of 10^p; half the distance to the next double becomes H = 2^e 10^p / 2 in the same units. To n
 * digits the number is V rounded to a multiple of 10^(17 - n), and that is read back as the number
 * when it is nearer than H (on the lower side of a power of two, than H / 2).
 *
 * V and H are too small by less than `margin` units of 2^-56. Whatever is as near to a tie or a
 * limit as that, and all subnormal numbers, is left to base, slow and exact: of random doubles
 * about one in 10^15, and among numbers with few bits (halves, quarters) those of 17 digits and
 * more. What depends on the digits, which are as good as random, is chosen without a branch: a
 * branch foreseen wrongly costs as much as the rest of the number's arithmetic.
 *
 * The powers are computed as they are needed, from 1 on by multiplying and dividing by ten in 192
 * bits: the errors of all steps together stay below 2^-180. Most results need a dozen of the 633.
 */
#include "format.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* Bits behind the point; how far V and H may be off. */
enum { behind = 56, margin = 4 };

/* ------------------------------------------------------------------ powers */

/* The same number with limbs twice as large. */
static void double_limbs(zo_big *b)
{
    for (int i = 0; i < 4; i++) b->limb[i] = b->limb[i] << 1 | (i < 3 ? b->limb[i + 1] >> 63 : 0);
    b->exponent--;
}

/* Shifts until the first bit of the first limb is set, and cuts off the last limb. */
static void normalise_limbs(zo_big *b)
{
    while (!(b->limb[0] >> 63)) double_limbs(b);
    b->limb[3] = 0;
}

/* By ten, four bits to the right to make room, and normalised. */
static void multiply_by_ten(zo_big *b)
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
    normalise_limbs(b);
}

/* Long division from the first limb on; the rest is cut off. */
static void divide_by_ten(zo_big *b)
{
    wide rest = 0;
    for (int i = 0; i < 4; i++) {
        rest = rest << 64 | b->limb[i];
        b->limb[i] = (uint64_t)(rest / 10);
        rest %= 10;
    }
    normalise_limbs(b);
}

/* Notes 10^p = b, cut off after 128 bits. */
static void keep_power(zo_powers *powers, int32_t p, const zo_big *b)
{
    powers->of[p - zo_least_power] =
        (zo_power){.high = b->limb[0], .low = b->limb[1], .exponent = b->exponent + 128};
}

/* Only 10^0 is known in the beginning: 2^255 2^-255. */
void zo_powers_init(zo_powers *powers)
{
    const zo_big one = {.limb = {UINT64_C(1) << 63}, .exponent = -255};
    powers->first = powers->last = 0;
    powers->smallest = powers->largest = one;
    keep_power(powers, 0, &one);
}

/* Goes on from the powers known to 10^p. */
static void extend_powers(zo_powers *powers, int32_t p)
{
    while (powers->last < p) {
        multiply_by_ten(&powers->largest);
        keep_power(powers, ++powers->last, &powers->largest);
    }
    while (powers->first > p) {
        divide_by_ten(&powers->smallest);
        keep_power(powers, --powers->first, &powers->smallest);
    }
}

static const zo_power *power_of_ten(zo_powers *powers, int32_t p)
{
    if (p < powers->first || p > powers->last) extend_powers(powers, p);
    return &powers->of[p - zo_least_power];
}

/* ------------------------------------------------------------------ digits */

/* A number scaled to 17 digits before the point, and half the distance to its neighbours. */
typedef struct scaled {
    uint64_t whole, fraction; /* in units of 1 and of 2^-56 */
    uint64_t above, below;    /* how far one may go, in units of 2^-56 */
    int32_t k;
} scaled;

/* d.ddd 10^k */
typedef struct decimal {
    uint64_t digits; /* 17 of them, those after the first `count` zero; or 0 */
    int32_t count, k;
} decimal;

static const uint64_t ten_to_17 = UINT64_C(100000000000000000);

/* V and H of the number m 2^e, if its decimal exponent is k; m with its first bit set. */
static scaled scale_by(zo_powers *powers, uint64_t m, int32_t e, int32_t k)
{
    const zo_power *power = power_of_ten(powers, 16 - k);
    wide product = (wide)m * power->high + ((wide)m * power->low >> 64);
    /* V = product 2^(64 + e + exponent): `shift` more than 64 bits are behind the point, 6 to 11 */
    int32_t shift = -(e + power->exponent + 128);
    uint64_t half = power->high >> (shift - 2);
    return (scaled){.whole = (uint64_t)(product >> 64) >> shift,
                    .fraction = (uint64_t)(product >> (shift + 64 - behind)) &
                                ((UINT64_C(1) << behind) - 1),
                    .above = half,
                    .below = half,
                    .k = k};
}

/* The decimal exponent or, seldom, one less. Exponent and fraction as one number with 20 bits
 * behind the point are at most log2 of the value, as log2(1 + x) >= x; that times log10 2 is
 * rounded down. The constant is log10 2 too small by 1e-11, which matters nowhere: but for 1 itself
 * no power of ten is that near to a power of two. 1000 keeps what is shifted positive. */
static int32_t guess_exponent(uint64_t bits)
{
    int64_t log2 = (int64_t)(bits << 1 >> 33) - (INT64_C(1023) << 20);
    return (int32_t)((log2 * INT64_C(1292913986) + (INT64_C(1000) << 52)) >> 52) - 1000;
}

/* value = (m / 2^11) 2^(e + 11), m with its first bit set. */
static scaled scale_number(zo_powers *powers, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int32_t binary = (int32_t)(bits >> 52 & 0x7ff) - 1023;
    uint64_t m = (fraction | UINT64_C(1) << 52) << 11;
    int32_t k = guess_exponent(bits);
    scaled s = scale_by(powers, m, binary - 63, k);
    if (s.whole >= ten_to_17) s = scale_by(powers, m, binary - 63, k + 1);
    if (fraction == 0 && binary > -1022) s.below >>= 1;
    return s;
}

/* Whether rounded digits are read back as the number. */
typedef enum verdict { READ_BACK, OTHER, UNSURE } verdict;

/* Rounds to a multiple of `unit`, to `count` digits: is it read back as the number? Inlined, so
 * that the division is one by a constant. */
static inline verdict round_to(const scaled *s, uint64_t unit, int32_t count, decimal *d)
{
    uint64_t below = s->whole / unit * unit;
    uint64_t rest = (s->whole - below) << behind | s->fraction;
    uint64_t half = unit << (behind - 1);
    uint64_t up = 0 - (uint64_t)(rest > half); /* all bits, or none */
    uint64_t distance = (up & (2 * half - rest)) | (~up & rest);
    uint64_t limit = (up & s->above) | (~up & s->below);
    if (distance > limit + margin) return OTHER;
    d->digits = below + (up & unit);
    d->count = count;
    bool tie = half - distance <= margin;
    return tie || distance + margin >= limit ? UNSURE : READ_BACK;
}

/* The fewest digits that are read back as the number; false: not sure. */
static bool find_shortest(const scaled *s, decimal *d)
{
    verdict v = round_to(s, 100, 15, d);
    if (v == OTHER) v = round_to(s, 10, 16, d);
    if (v == OTHER) v = round_to(s, 1, 17, d);
    d->k = s->k;
    if (d->digits == ten_to_17) {
        d->digits /= 10;
        d->k++;
    }
    return v == READ_BACK;
}

/* ------------------------------------------------------------------ layout */

/* The digits of a number below 10^8 in the bytes of one word, the first in the lowest: halves, then
 * quarters, then eighths, all at once. 2^-n times 10486 and 103 stand for 1 / 100 and 1 / 10, exact
 * for what is that small. */
static uint64_t spread_digits(uint32_t eight)
{
    uint64_t x = eight / 10000 | (uint64_t)(eight % 10000) << 32;
    uint64_t hundreds = (x * 10486 >> 20) & UINT64_C(0x7f0000007f);
    x = hundreds | (x - 100 * hundreds) << 16;
    uint64_t tens = (x * 103 >> 10) & UINT64_C(0xf000f000f000f);
    return tens | (x - 10 * tens) << 8;
}

/* The lowest byte first, in one store. */
static void put_word(char *to, uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(to, &word, sizeof word);
}

typedef struct spelled {
    uint64_t first; /* the first eight characters, as put_word takes them */
    int32_t count;  /* of digits without the zeros at the end */
} spelled;

/* All 17 digits as characters. */
static spelled spell_digits(uint64_t digits, char *to)
{
    const uint64_t zeros = UINT64_C(0x3030303030303030);
    uint64_t high = digits / 100000000, head = high / 100000000;
    uint64_t middle = spread_digits((uint32_t)(high % 100000000));
    uint64_t last = spread_digits((uint32_t)(digits % 100000000));
    to[0] = (char)('0' + head);
    put_word(to + 1, middle | zeros);
    put_word(to + 9, last | zeros);
    int32_t count = last != 0     ? 17 - (int32_t)((unsigned)__builtin_clzll(last) / 8)
                    : middle != 0 ? 9 - (int32_t)((unsigned)__builtin_clzll(middle) / 8)
                                  : 1;
    return (spelled){.first = (head | middle << 8) | zeros, .count = count};
}

/* d.ddde-308; the digits stand at to + 1, `count` of them. */
static char *lay_scientific(char *to, int32_t count, int32_t k)
{
    to[0] = to[1];
    to[1] = '.';
    to += count > 1 ? count + 1 : 1;
    *to++ = 'e';
    *to++ = k < 0 ? '-' : '+';
    k = k < 0 ? -k : k;
    if (k >= 100) *to++ = (char)('0' + k / 100);
    *to++ = (char)('0' + k / 10 % 10);
    *to++ = (char)('0' + k % 10);
    return to;
}

/* The digits stand at to + 1: those before the point one place back, then the point. */
static void insert_point(char *to, uint64_t first, int32_t k)
{
    if (k < 7) { /* in a word, without a branch for each digit */
        uint64_t before = (UINT64_C(1) << 8 * (k + 1)) - 1;
        uint64_t point = (uint64_t)'.' << 8 * (k + 1);
        put_word(to, (first & before) | point | (first & ~before) << 8);
        return;
    }
    memmove(to, to + 1, (size_t)k + 1);
    to[k + 1] = '.';
}

/* Writes the number as %g would lay it out, and returns its end. The digits are always written in
 * full; what is too much is within zo_number_size and written over by whatever follows. */
static char *lay_out_number(char *to, const decimal *d)
{
    static const char zeros[5] = {'0', '.', '0', '0', '0'};
    int32_t k = d->k;
    if (k < 0 && k >= -4) {
        memcpy(to, zeros, sizeof zeros);
        to += 1 - k;
        return to + spell_digits(d->digits, to).count;
    }
    spelled text = spell_digits(d->digits, to + 1);
    if (k < 0 || k >= d->count) return lay_scientific(to, text.count, k);
    insert_point(to, text.first, k);
    return to + (text.count > k + 1 ? text.count : k) + 1;
}

/* By base: printf and strtod. */
static size_t print_slowly(double value, char text[zo_number_size])
{
    char buffer[ZB_DOUBLE_SIZE];
    size_t length = zb_print_double(value, buffer);
    memcpy(text, buffer, length);
    return length;
}

/* Zeros, and normal numbers that are surely right; the rest slowly. */
size_t zo_number(zo_powers *powers, double value, char text[zo_number_size])
{
    decimal d = {.digits = 0, .count = 1, .k = 0};
    if (value != 0) {
        if (!isnormal(value)) return print_slowly(value, text);
        scaled s = scale_number(powers, value);
        if (!find_shortest(&s, &d)) return print_slowly(value, text);
    }
    char *to = text;
    *to = '-';
    to += signbit(value) != 0;
    return (size_t)(lay_out_number(to, &d) - text);
}
