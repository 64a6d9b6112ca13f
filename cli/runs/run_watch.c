/*
 * Watching a run: an interrupt or the limit of time ends it between two steps, and its progress is
 * shown. The first signal is only noted; a second one, after a moment, ends the process at once. With
 * checkpoints the run is held for one when it is time, or when SIGUSR1 asks for it.
 *
 * The clock is not read after every step: a step can be shorter than that takes. While 16 steps
 * take less than a few milliseconds it is read after every sixteenth.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "run_command.h"

enum { MOST_STRIDE = 16, SIGNALS = 5, ENDS = 4 };
/* those that end a run, and the one that asks for a checkpoint */
static const int signals[SIGNALS] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1};

static const double same_signal = 0.2;   /* seconds within which signals count as one */
static volatile sig_atomic_t caught;     /* the signal that was noted; 0: none */
static volatile sig_atomic_t asked;      /* for a checkpoint, by SIGUSR1 */
static struct sigaction before[SIGNALS]; /* what each did before the run */
static bool taken[SIGNALS];              /* those that were not ignored then */

static void restore_signals(void)
{
    for (int k = 0; k < SIGNALS; k++)
        if (taken[k]) (void)sigaction(signals[k], &before[k], NULL);
}

/* Seconds since some fixed moment. */
static double read_monotonic_clock(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The same interrupt may come twice, to the process and to its group. */
static void note_signal(int signal_number)
{
    static volatile double first;
    if (!caught) {
        first = read_monotonic_clock();
        caught = signal_number;
    } else if (read_monotonic_clock() - first > same_signal) {
        restore_signals();
        (void)raise(signal_number);
    }
}

static void note_question(int signal_number)
{
    (void)signal_number;
    asked = 1;
}

/* Signals that the caller ignores stay ignored, SIGUSR1 apart, which without checkpoints does what it
 * did before. */
static void take_signals(bool checkpoints)
{
    struct sigaction action = {.sa_handler = note_signal};
    caught = asked = 0;
    for (int k = 0; k < SIGNALS; k++) {
        bool ends = k < ENDS, found = sigaction(signals[k], NULL, &before[k]) == 0;
        taken[k] = found && (ends ? before[k].sa_handler != SIG_IGN : checkpoints);
    }
    for (int k = 0; k < SIGNALS; k++) {
        if (k == ENDS) action.sa_handler = note_question;
        if (taken[k]) (void)sigaction(signals[k], &action, NULL);
    }
}

void run_watch_start(run_watch *w, const run_times *times, double limit, double pause, bool quiet)
{
    *w = (run_watch){.from = times->start,
                     .until = times->end,
                     .limit = limit,
                     .pause = pause,
                     .stride = 1,
                     .stepped = times->start};
    progress_open(&w->bar, quiet);
    take_signals(pause > 0);
}

void run_watch_end(run_watch *w)
{
    progress_end(&w->bar);
    if (!caught) restore_signals();
}

bool run_watch_caught(void)
{
    return caught != 0;
}

/* "12 s", "3 min", "2.5 h" */
void run_write_duration(char *text, size_t size, double seconds)
{
    if (seconds < 100)
        (void)snprintf(text, size, "%.0f s", ceil(seconds));
    else if (seconds < 6000)
        (void)snprintf(text, size, "%.0f min", seconds / 60);
    else
        (void)snprintf(text, size, "%.3g h", seconds / 3600);
}

/* Simulated time, speed, and the time left if the run goes on as until now. */
static void show_run_progress(run_watch *w)
{
    char text[240], left[40] = "?";
    double length = w->until - w->from, part = length > 0 ? (w->t - w->from) / length : 1;
    if (part > 0) run_write_duration(left, sizeof left, w->seconds * (1 - part) / part);
    (void)snprintf(text, sizeof text, "t = %.4g of %.4g, %.3g steps/s, %s left%s%s", w->t, w->until,
                   (double)w->steps / w->seconds, left, w->trouble ? "; " : "",
                   w->trouble ? w->trouble : "");
    progress_show(&w->bar, w->seconds, part, text);
}

/* Reads the clock, decides how many steps to leave out until it is read again, and shows what is
 * due. */
static void update_clock(run_watch *w)
{
    double now = progress_seconds(&w->bar), passed = now - w->seconds;
    w->seconds = now;
    if (passed > 2e-3)
        w->stride = 1;
    else if (w->stride < MOST_STRIDE)
        w->stride *= 2;
    w->skip = w->stride;
    w->late = now >= w->limit;
    if (w->pause > 0 && now >= w->kept + w->pause) w->due = true;
    if (progress_due(&w->bar, now)) show_run_progress(w);
}

void run_watch_kept(run_watch *w)
{
    w->kept = progress_seconds(&w->bar);
    w->due = false;
    asked = 0;
}

/* False: the limit is reached, an interrupt came, or it is time for a checkpoint. */
static bool may_go_on(run_watch *w)
{
    if (--w->skip <= 0) update_clock(w);
    w->stopped = caught != 0;
    if (asked) w->due = true;
    return !w->late && !w->stopped && !w->due;
}

bool run_watch_step(void *self, const zw_progress *p)
{
    run_watch *w = self;
    w->t = p->t;
    w->step = p->t - w->stepped;
    w->stepped = p->t;
    w->steps = p->steps;
    w->trouble = p->trouble;
    return may_go_on(w);
}

bool run_watch_row(run_watch *w, double t)
{
    w->t = t;
    return may_go_on(w);
}
