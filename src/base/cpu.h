/*
 * What the processor at hand can do. All evaluators give the same bits on all of them; they differ
 * in speed only.
 */
#ifndef ZB_CPU_H
#define ZB_CPU_H

typedef enum zb_cpu_level {
    ZB_CPU_PLAIN,  /* what the compiler assumes */
    ZB_CPU_AVX2,   /* x86-64: 4 doubles at once */
    ZB_CPU_AVX512, /* F, DQ, VL: 8 doubles, 32 registers */
} zb_cpu_level;

/* The highest level that this processor has. */
zb_cpu_level zb_cpu(void);

#endif
