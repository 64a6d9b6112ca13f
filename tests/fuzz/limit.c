/*
 * A limit on the processor time of one input: a run that would not end becomes an abort, which
 * libFuzzer and ctest report with the input.
 *
 * libFuzzer's own limit (-timeout) goes by the clock on the wall, so that an innocent input fails
 * on a machine that is busy with other things. This one counts what the process itself has used, in
 * itself and in the system (ITIMER_PROF), and is far above what any input takes: no machine is so
 * slow that it decides. How much an input may ask for at all each target limits in steps and sizes.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "fuzz.h"

enum { SECONDS = 60 };

long fuzz_at_work;

static void out_of_time(int signal)
{
    static const char text[] = "fuzz: the input takes more than 60 s of processor time\n";
    (void)signal;
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    abort();
}

static void set_timer(long seconds)
{
    struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    if (setitimer(ITIMER_PROF, &timer, NULL) != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = out_of_time;
    if (sigaction(SIGPROF, &action, NULL) != 0) abort();
    set_timer(SECONDS);
    fuzz_at_work = 1;
    fuzz_target(data, size);
    fuzz_at_work = 0;
    set_timer(0);
    return 0;
}
