/*
 * without_code COMMAND ARGUMENT...: runs a command on a system that refuses to make memory
 * executable; the code of programs and libraries, which lies in files, may be mapped. Status 77
 * where the system at hand cannot be made so.
 */
#include <stdio.h>
#include <unistd.h>

#include "forbid.h"

int main(int argc, char **argv)
{
    if (argc < 2) return 2;
    if (!forbid(FORBID_FILE | FORBID_RUN_ELSE | FORBID_CHANGE)) return 77;
    execv(argv[1], argv + 1);
    perror(argv[1]);
    return 2;
}
