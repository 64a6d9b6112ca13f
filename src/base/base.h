/*
 * base: what everything stands on. Status codes are those of zwang.h; memory through one
 * callback with a budget; arenas; growable arrays; hashing; text; UTF-8; diagnostics.
 */
#ifndef ZB_BASE_H
#define ZB_BASE_H

#include "array.h"
#include "clock.h"
#include "cpu.h"
#include "diag.h"
#include "elementary.h"
#include "eps.h"
#include "finite.h"
#ifdef ZB_LANES
#include "elementary_lanes.h"
#endif
#include "hash.h"
#include "memory.h"
#include "status.h"
#include "suggest.h"
#include "team.h"
#include "text.h"
#include "thread.h"
#include "utf8.h"

#endif
