/*
 * Opening libraries at run time (POSIX: dlopen). In builds that open none this file is left out.
 */
#include "shared_library.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

void *za_library_open(const char *name)
{
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

void za_library_close(void *library)
{
    if (library) (void)dlclose(library);
}

/* POSIX lets dlsym's result be a pointer to a function, C has no conversion for it. */
bool za_library_find(void *library, const char *name, void *field, size_t size)
{
    void *address = dlsym(library, name);
    if (address) memcpy(field, &address, size);
    return address != NULL;
}

/* Each thread of OpenBLAS asks for 128 MB, again and again where it does not get them: under a
 * limit that leaves less it would hang. */
static bool has_room(int resource)
{
    const rlim_t base = (rlim_t)1 << 30, share = (rlim_t)256 << 20;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
    return limit.rlim_cur >= base + share * (rlim_t)(processors > 0 ? processors : 1);
}

bool za_library_room(void)
{
    return has_room(RLIMIT_AS) && has_room(RLIMIT_DATA);
}
