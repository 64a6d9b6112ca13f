/*
 * $BROWSER is a list of programs with colons between them, as of xdg-utils; a %s in one stands for
 * the file. No shell reads it. A browser that stays is left alone; one that fails within a second
 * or two has not opened anything.
 */
#include "browser.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Waits a moment for the process. False: it has failed. */
static bool wait_a_moment(pid_t child)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    for (int k = 0; k < 75; k++) {
        int status;
        pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (ended < 0 && errno != EINTR) return true;
        (void)nanosleep(&pause, NULL);
    }
    return true;
}

static bool start_program(char *const *words)
{
    pid_t child;
    return posix_spawnp(&child, words[0], NULL, NULL, words, environ) == 0 && wait_a_moment(child);
}

/* One program of the list with its words. */
static bool open_by(const char *program, size_t length, const char *file)
{
    enum { most = 16 };
    char *words[most + 2], *copy = strndup(program, length), *name = strdup(file), *rest = NULL;
    int count = 0;
    bool placed = false, done = false;
    for (char *word = copy ? strtok_r(copy, " ", &rest) : NULL; word && count < most;
         word = strtok_r(NULL, " ", &rest)) {
        bool here = strcmp(word, "%s") == 0;
        words[count++] = here ? name : word;
        placed = placed || here;
    }
    if (!placed && count > 0) words[count++] = name;
    words[count] = NULL;
    if (count > 0 && name) done = start_program(words);
    free(copy);
    free(name);
    return done;
}

bool browser_open(const char *file)
{
    const char *list = getenv("BROWSER");
    while (list && *list) {
        size_t length = strcspn(list, ":");
        if (open_by(list, length, file)) return true;
        list += length + (list[length] == ':');
    }
    return open_by("xdg-open", strlen("xdg-open"), file);
}
