/*
 * base: what every layer stands on, on four shelves.
 *
 *     memory    the counted allocator over the caller's callback, arenas, growable arrays, hashing
 *     text      growing text, UTF-8, numbers and tables of them as text and back, diagnostics and how they are shown,
 *               the names of what zwang.h lists
 *     numeric   elementary functions with the same bits everywhere, machine epsilon, what the
 *               processor can do
 *     threads   threads, locks, a team of threads that wait for work, the clock
 *
 * Status codes are those of zwang.h.
 */
#ifndef ZB_BASE_H
#define ZB_BASE_H

#include "array.h"
#include "clock.h"
#include "cpu.h"
#include "csv.h"
#include "diag.h"
#include "elementary.h"
#include "eps.h"
#include "finite.h"
#ifdef ZB_LANES
#include "elementary_lanes.h"
#endif
#include "hash.h"
#include "list_names.h"
#include "memory.h"
#include "status.h"
#include "suggest.h"
#include "team.h"
#include "text.h"
#include "thread.h"
#include "utf8.h"

#endif
