/*
 * Arenas under AddressSanitizer: what an arena has not handed out, or has taken back, is
 * poisoned, and a gap is left after each piece, so that a step outside a piece is found as it
 * would be with malloc. Without the sanitizer all of this is nothing.
 */
#ifndef ZB_POISON_H
#define ZB_POISON_H

#if defined(__SANITIZE_ADDRESS__)
#define ZB_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ZB_ADDRESS_SANITIZER
#endif
#endif

#ifdef ZB_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#define ZB_POISON(address, size) ASAN_POISON_MEMORY_REGION((address), (size))
#define ZB_UNPOISON(address, size) ASAN_UNPOISON_MEMORY_REGION((address), (size))
/* Bytes to leave unused behind a piece when `left` are left. */
#define ZB_GAP(left) ((left) < 16 ? (left) : 16)
#else
#define ZB_POISON(address, size) ((void)(address), (void)(size))
#define ZB_UNPOISON(address, size) ((void)(address), (void)(size))
#define ZB_GAP(left) 0
#endif

#endif
