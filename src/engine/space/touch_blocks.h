/*
 * Blocks of contact space (gauss/contact.h): candidates that share no coordinate, directly or over M
 * and equations, do not feel each other. Which coordinates belong together by M, W and equations is
 * known when a space is taken; candidates of a moment join some of these.
 *
 * Memory follows the candidates: what all of them together would need is taken at once where it is
 * little, and else as moments ask for it.
 */
#ifndef ZR_TOUCH_BLOCKS_H
#define ZR_TOUCH_BLOCKS_H

#include "touch_space.h"

zw_status zr_open_blocks(zw_sim *sim);
void zr_close_blocks(zw_sim *sim);

/* Candidates are those that touch, and their frictions; numbers of rows, blocks and joints. With
 * `anew` blocks are found and memory is there for them; else they are parts of those before. */
zw_status zr_choose_candidates(zw_sim *sim, const bool *touching, bool anew);

#endif
