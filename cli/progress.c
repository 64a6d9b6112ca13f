/*
 * Progress. Nothing in the first second; then a bar ten times a second, or a line every ten.
 */
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

void progress_start(progress *p, const char *unit, int64_t total, bool quiet)
{
    *p = (progress){.unit = unit, .total = total, .hidden = quiet || total <= 1};
    p->terminal = isatty(STDERR_FILENO) == 1;
    (void)clock_gettime(CLOCK_MONOTONIC, &p->start);
}

static void show_bar(const progress *p, int64_t done)
{
    static const char full[] = "##############################",
                      empty[] = "                              ";
    int width = (int)sizeof full - 1;
    int part = (int)((double)done / (double)p->total * width);
    fprintf(stderr, "\r[%.*s%.*s] %lld of %lld %s", part, full, width - part, empty,
            (long long)done, (long long)p->total, p->unit);
    (void)fflush(stderr);
}

void progress_step(progress *p, int64_t done)
{
    if (p->hidden) return;
    double now = seconds_since(&p->start);
    double wait = !p->shown ? 1.0 : p->terminal ? 0.1 : 10.0;
    if (now - p->last < wait) return;
    p->last = now;
    p->shown = true;
    if (p->terminal)
        show_bar(p, done);
    else
        fprintf(stderr, "zwang: %lld of %lld %s\n", (long long)done, (long long)p->total, p->unit);
}

void progress_end(progress *p)
{
    if (p->shown && p->terminal) fputs("\r\033[K", stderr);
}
