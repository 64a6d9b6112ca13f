/*
 * All programs of a model in one list, for those who treat them alike: machine code
 * (machine_code.c) and the listing for people (programs.c).
 */
#ifndef ZR_PROGRAMS_H
#define ZR_PROGRAMS_H

#include "compiled.h"

typedef struct zr_listed {
    zk_program *code;
    const char *what; /* it computes */
    int32_t family;   /* -1: everything in one program */
    int32_t event;    /* from 1 on: whose new values they are; 0: none */
    int32_t root;     /* from 1 on: of the family, the start value; 0: none */
    bool often;       /* a run evaluates it again and again */
    bool fused;       /* the solve is in it: crowds evaluate it in lanes, a member in each */
    const struct zr_fused_form *form; /* of a fused one; NULL: none */
} zr_listed;

/* The list in a fixed order, [count]; NULL: only the count is wanted. */
int32_t zr_list_programs(const zw_model *model, zr_listed *list);

#endif
