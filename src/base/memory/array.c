/*
 * How arrays grow: to twice their capacity, or to what is needed if that is more, so that n
 * pushes copy fewer than 2 n elements. Close to the budget the capacity grows only as far as
 * the budget allows. Invariant: data has room for exactly `capacity` elements, which is what
 * zb_array_free tells the allocator.
 *
 * One function serves pointers of every type. It reads and writes the caller's pointer with
 * memcpy, which may alias anything; all it assumes is that object pointers share one
 * representation.
 */
#include "array.h"

#include <string.h>

#ifdef ZB_SMALL_TABLES
enum { FIRST_CAPACITY = 1 };
#else
enum { FIRST_CAPACITY = 8 };
#endif

_Static_assert(sizeof(void *) == sizeof(char **) && sizeof(void *) == sizeof(double *),
               "object pointers must share one representation");

/* The capacity to grow to, at least `need`: twice the old one where the budget
 * allows; elements of `size` bytes. */
static int32_t next_array_capacity(const zb_memory *memory, int32_t capacity, int32_t need,
                                   size_t size)
{
    int32_t next = capacity > INT32_MAX / 2 ? INT32_MAX : 2 * capacity;
    if (next < FIRST_CAPACITY) next = FIRST_CAPACITY;
    size_t allowed = zb_room(memory) / size;
    if ((size_t)(next - capacity) > allowed) next = capacity + (int32_t)allowed;
    return next > need ? next : need;
}

/* The array is changed only after the memory is there. */
bool zb_array_grow(zb_memory *memory, void *place, int32_t *capacity, int32_t count, int32_t more,
                   size_t size)
{
    /* A negative number can only come from an overflow in the caller. */
    if (more < 0 || more > INT32_MAX - count) {
        memory->failure = ZW_ERR_MEMORY;
        return false;
    }
    int32_t need = count + more;
    if (need <= *capacity) return true;

    void *data;
    memcpy(&data, place, sizeof data);
    int32_t next = next_array_capacity(memory, *capacity, need, size);
    data = zb_resize(memory, data, zb_product((size_t)*capacity, size),
                     zb_product((size_t)next, size));
    if (!data) return false;
    memcpy(place, &data, sizeof data);
    *capacity = next;
    return true;
}
