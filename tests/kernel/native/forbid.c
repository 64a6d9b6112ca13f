/*
 * A filter of system calls; see forbid.h. What is refused ends with EPERM.
 */
#include "forbid.h"

#ifdef __linux__
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { LOW = 0 };
#else
enum { LOW = 4 };
#endif

#define ARGUMENT(i) (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (i) + LOW)
#define NUMBER (uint32_t) offsetof(struct seccomp_data, nr)
#define LOAD(at) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (at))
#define IF_EQUAL(x, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(x), (yes), (no))
#define IF_BITS(x, yes, no) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (uint32_t)(x), (yes), (no))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
/* Refused if that was asked for. */
#define VERDICT(asked)                                                                             \
    BPF_STMT(BPF_RET | BPF_K, (asked) ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_ALLOW)

bool forbid(unsigned what)
{
    /* One instruction a line; jumps count the instructions they leave out. */
    /* clang-format off */
    struct sock_filter program[] = {
        LOAD(NUMBER),
        IF_EQUAL(SYS_memfd_create, 0, 1), /* a file in memory */
            VERDICT(what & FORBID_FILE),
        IF_EQUAL(SYS_mprotect, 1, 0), /* a change of protection */
        IF_EQUAL(SYS_pkey_mprotect, 0, 4),
            LOAD(ARGUMENT(2)),
            IF_BITS(PROT_EXEC, 0, 1),
                VERDICT(what & FORBID_CHANGE),
            ALLOW,
        IF_EQUAL(SYS_mmap, 0, 5), /* a mapping, of a file or not */
            LOAD(ARGUMENT(2)),
            IF_BITS(PROT_EXEC, 0, 3),
                LOAD(ARGUMENT(4)),
                IF_EQUAL(-1, 0, 2),
                    VERDICT(what & FORBID_RUN_ELSE),
        ALLOW,
                    VERDICT(what & FORBID_RUN_FILE),
    };
    /* clang-format on */
    struct sock_fprog filter = {sizeof program / sizeof *program, program};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}
#else
bool forbid(unsigned what)
{
    (void)what;
    return false;
}
#endif
