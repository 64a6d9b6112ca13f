/*
 * Hashes: fixed values (they may end up in files, and results must not depend on the
 * machine), no collisions where there must be none, every input bit changes about half of the
 * result, and the low and high bits are spread evenly.
 */
#include "counting.h"

/* The values come from an independent few lines of Python. */
static void values_never_change(void **state)
{
    (void)state;
    assert_true(zb_hash_scramble(0) == 0);
    /* splitmix64 with seed 0 gives this first; its finaliser is ours */
    assert_true(zb_hash_scramble(UINT64_C(0x9e3779b97f4a7c15)) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(zb_hash_mix(0, 0) == UINT64_C(0x8209b480faed1b10));
    assert_true(zb_hash_mix(1, 2) == UINT64_C(0xfb3867150874e9f3));
    assert_true(zb_hash_bytes("", 0) == UINT64_C(0x8209b480faed1b10));
    assert_true(zb_hash_bytes("theta", 5) == UINT64_C(0x1f39264e13352cd5));
    assert_true(zb_hash_bytes("the quick brown fox", 19) == UINT64_C(0x380f84c7337313c1));
}

/* The definition once more, a byte at a time and without any memory access wider than one. */
static uint64_t by_definition(const unsigned char *bytes, size_t size)
{
    uint64_t hash = zb_hash_mix(0, size);
    for (size_t i = 0; i < size;) {
        uint64_t word = 0;
        for (int k = 0; k < 8 && i < size; k++, i++)
            word += (uint64_t)bytes[i] * (UINT64_C(1) << (8 * k));
        hash = zb_hash_mix(hash, word);
    }
    return hash;
}

static void bytes_at_any_address_and_length(void **state)
{
    (void)state;
    unsigned char text[96];
    for (size_t i = 0; i < sizeof text; i++) text[i] = (unsigned char)(i * 37 + 200);
    for (size_t start = 0; start < 16; start++)
        for (size_t size = 0; start + size <= sizeof text; size++)
            assert_true(zb_hash_bytes(text + start, size) == by_definition(text + start, size));
    assert_true(zb_hash_bytes(NULL, 0) == zb_hash_bytes("", 0));
}

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Asserts that n hashes are all different. */
static void assert_distinct(uint64_t *hashes, size_t n)
{
    qsort(hashes, n, sizeof *hashes, compare);
    for (size_t i = 1; i < n; i++)
        if (hashes[i] == hashes[i - 1]) fail_msg("collision at %zu", i);
}

/* Things that look alike: strings of zeros, prefixes, small integers in both places. */
static void similar_inputs_do_not_collide(void **state)
{
    (void)state;
    static uint64_t hashes[1 << 20];
    static const char zeros[4096];
    size_t n = 0;
    for (size_t size = 0; size < sizeof zeros; size++) hashes[n++] = zb_hash_bytes(zeros, size);
    assert_distinct(hashes, n);

    n = 0;
    for (uint64_t a = 0; a < 1024; a++)
        for (uint64_t b = 0; b < 1024; b++) hashes[n++] = zb_hash_mix(zb_hash_mix(3, a), b);
    assert_distinct(hashes, n);

    n = 0;
    char name[32];
    for (int i = 0; i < 1000000; i++)
        hashes[n++] = zb_hash_bytes(name, (size_t)snprintf(name, sizeof name, "x[%d]", i));
    assert_distinct(hashes, n);
}

/* Flipping one input bit changes each output bit in half of the cases, up to chance. */
static void every_bit_reaches_every_bit(void **state)
{
    (void)state;
    enum { TRIALS = 4096 };
    for (int bit = 0; bit < 128; bit++) {
        int flips[64] = {0};
        for (uint64_t trial = 0; trial < TRIALS; trial++) {
            uint64_t word[2] = {trial, trial * trial + 7};
            uint64_t before = zb_hash_mix(word[0], word[1]);
            word[bit / 64] ^= UINT64_C(1) << (bit % 64);
            uint64_t change = before ^ zb_hash_mix(word[0], word[1]);
            for (int k = 0; k < 64; k++) flips[k] += (int)(change >> k & 1);
        }
        /* six standard deviations of the binomial law */
        for (int k = 0; k < 64; k++) assert_in_range(flips[k], TRIALS / 2 - 192, TRIALS / 2 + 192);
    }
}

/* Counters fall evenly into buckets by any byte of their hash. */
static void bytes_of_the_hash_are_even(void **state)
{
    (void)state;
    enum { KEYS = 1 << 16 };
    for (int shift = 0; shift < 64; shift += 8) {
        int buckets[256] = {0};
        for (uint64_t i = 0; i < KEYS; i++) buckets[zb_hash_mix(0, i) >> shift & 255]++;
        for (int k = 0; k < 256; k++) assert_in_range(buckets[k], 256 - 100, 256 + 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_never_change),
        cmocka_unit_test(bytes_at_any_address_and_length),
        cmocka_unit_test(similar_inputs_do_not_collide),
        cmocka_unit_test(every_bit_reaches_every_bit),
        cmocka_unit_test(bytes_of_the_hash_are_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
