/*
 * Showing progress. Nothing in the first second; then a bar ten times a second, or a line every ten
 * seconds.
 */
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

/* Whether standard error is a terminal decides between the bar and lines. */
void progress_open(progress *p, bool quiet)
{
    *p = (progress){.hidden = quiet};
    p->terminal = isatty(STDERR_FILENO) == 1;
    (void)clock_gettime(CLOCK_MONOTONIC, &p->start);
}

double progress_seconds(const progress *p)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - p->start.tv_sec) + 1e-9 * (double)(now.tv_nsec - p->start.tv_nsec);
}

bool progress_due(const progress *p, double seconds)
{
    double wait = !p->shown ? 1.0 : p->terminal ? 0.1 : 10.0;
    return !p->hidden && seconds - p->last >= wait;
}

/* part: how much of the whole is done, from 0 to 1. Clears to the end of the line: the text may be
 * shorter than the one before. */
static void show_bar(double part, const char *text)
{
    static const char full[] = "##############################",
                      empty[] = "                              ";
    int width = (int)sizeof full - 1;
    int done = part > 0 ? (int)(part * width) : 0;
    if (done > width) done = width;
    fprintf(stderr, "\r[%.*s%.*s] %s\033[K", done, full, width - done, empty, text);
    (void)fflush(stderr);
}

/* A bar is drawn over the one before; elsewhere each is a line of its own. */
void progress_show(progress *p, double seconds, double part, const char *text)
{
    p->last = seconds;
    p->shown = true;
    if (p->terminal)
        show_bar(part, text);
    else
        fprintf(stderr, "zwang: %s\n", text);
}

/* A single thing has no progress to show. */
void progress_start(progress *p, const char *unit, int64_t total, bool quiet)
{
    progress_open(p, quiet || total <= 1);
    p->unit = unit;
    p->total = total;
}

/* The clock is read each time, the text written only when it is due. */
void progress_step(progress *p, int64_t done)
{
    char text[100];
    if (p->hidden) return;
    double now = progress_seconds(p);
    if (!progress_due(p, now)) return;
    (void)snprintf(text, sizeof text, "%lld of %lld %s", (long long)done, (long long)p->total,
                   p->unit);
    progress_show(p, now, (double)done / (double)p->total, text);
}

void progress_end(progress *p)
{
    if (p->shown && p->terminal) fputs("\r\033[K", stderr);
}
