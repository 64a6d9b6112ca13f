/*
 * Watches a run: an interrupt or the limit of time ends it between two steps, and its progress is
 * shown. The first signal only leaves a note; a second one, after a moment, ends the process at
 * once.
 *
 * The clock is not read at every look: a step can be shorter than that. While 16 looks take less
 * than a few milliseconds it is read at every sixteenth.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "run_command.h"

enum { MOST_STRIDE = 16, SIGNALS = 3 };
static const int ends[SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

static const double same_signal = 0.2; /* seconds */
static volatile sig_atomic_t caught;
static struct sigaction before[SIGNALS];
static bool taken[SIGNALS];

static void put_back(void)
{
    for (int k = 0; k < SIGNALS; k++)
        if (taken[k]) (void)sigaction(ends[k], &before[k], NULL);
}

static double clock_now(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The same interrupt may come twice, to the process and to its group. */
static void note(int signal_number)
{
    static volatile double first;
    if (!caught) {
        first = clock_now();
        caught = signal_number;
    } else if (clock_now() - first > same_signal) {
        put_back();
        (void)raise(signal_number);
    }
}

void run_watch_start(run_watch *w, const run_times *times, double limit, bool quiet)
{
    struct sigaction action = {.sa_handler = note};
    *w = (run_watch){.from = times->start, .until = times->end, .limit = limit, .stride = 1};
    progress_open(&w->bar, quiet);
    caught = 0;
    for (int k = 0; k < SIGNALS; k++)
        taken[k] = sigaction(ends[k], NULL, &before[k]) == 0 && before[k].sa_handler != SIG_IGN;
    for (int k = 0; k < SIGNALS; k++)
        if (taken[k]) (void)sigaction(ends[k], &action, NULL);
}

void run_watch_end(run_watch *w)
{
    progress_end(&w->bar);
    if (!caught) put_back();
}

/* "12 s", "3 min", "2.5 h" */
static void write_duration(char *text, size_t size, double seconds)
{
    if (seconds < 100)
        (void)snprintf(text, size, "%.0f s", ceil(seconds));
    else if (seconds < 6000)
        (void)snprintf(text, size, "%.0f min", seconds / 60);
    else
        (void)snprintf(text, size, "%.3g h", seconds / 3600);
}

static void show(run_watch *w)
{
    char text[160], left[40] = "?";
    double length = w->until - w->from, part = length > 0 ? (w->t - w->from) / length : 1;
    if (part > 0) write_duration(left, sizeof left, w->seconds * (1 - part) / part);
    (void)snprintf(text, sizeof text, "t = %.4g of %.4g, %.3g steps/s, %s left", w->t, w->until,
                   (double)w->steps / w->seconds, left);
    progress_show(&w->bar, w->seconds, part, text);
}

static void read_clock(run_watch *w)
{
    double now = progress_seconds(&w->bar), passed = now - w->seconds;
    w->seconds = now;
    if (passed > 2e-3)
        w->stride = 1;
    else if (w->stride < MOST_STRIDE)
        w->stride *= 2;
    w->skip = w->stride;
    w->late = now >= w->limit;
    if (progress_due(&w->bar, now)) show(w);
}

static bool look(run_watch *w)
{
    if (--w->skip <= 0) read_clock(w);
    w->stopped = caught != 0;
    return !w->late && !w->stopped;
}

bool run_watch_step(void *self, const zw_progress *p)
{
    run_watch *w = self;
    w->t = p->t;
    w->steps = p->steps;
    return look(w);
}

bool run_watch_row(run_watch *w, double t)
{
    w->t = t;
    return look(w);
}
