/*
 * Output that is never half there. The text is complete before the first byte is written; a file
 * is written under a temporary name in the same folder, brought to disk and renamed, so that its
 * final name holds either what it held before or the whole text. A full disk or a reader that
 * has gone is an error with a sentence.
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The temporary file while it exists, so that an interrupt removes it. */
static char temporary[PATH_MAX];

static void remove_temporary(int signal_number)
{
    (void)unlink(temporary);
    (void)raise(signal_number); /* SA_RESETHAND: now it ends the process as usual */
}

static void guard_temporary(bool on)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_flags = (int)SA_RESETHAND};
    action.sa_handler = on ? remove_temporary : SIG_DFL;
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        struct sigaction now;
        if (sigaction(ends[k], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            (void)sigaction(ends[k], &action, NULL);
    }
}

void output_protect_streams(void)
{
    /* The wrong direction on purpose: writing to a stream that was closed fails, as it should. */
    static const int directions[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int k = 0; k < 3; k++)
        if (fcntl(k, F_GETFD) == -1 && errno == EBADF) (void)open("/dev/null", directions[k]);
    (void)signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of write, not a silent death */
}

/* Always false. name "-": standard output. */
static bool refuse(const char *name, int error, message_log *log)
{
    if (strcmp(name, "-") == 0)
        message_report(log, MSG_WRITE, &(zw_diagnostic){.file = "zwang"},
                       "standard output cannot be written: %s", strerror(error));
    else
        message_report(log, MSG_WRITE, &(zw_diagnostic){.file = name},
                       "the file cannot be written: %s", strerror(error));
    return false;
}

static bool write_all(int file, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t done = write(file, text, length);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return false;
        text += done;
        length -= (size_t)done;
    }
    return true;
}

/* Permissions of the new file: those of the one it replaces, or the usual ones. */
static mode_t permissions(const struct stat *old)
{
    if (old) return old->st_mode & 07777;
    mode_t mask = umask(0);
    (void)umask(mask);
    return 0666 & ~mask;
}

/* Writes through `temporary`, which the caller has named; errno tells why it is false. */
static bool replace(const char *path, const struct stat *old, const char *text, size_t length)
{
    int file = mkstemp(temporary);
    if (file < 0) return false;
    guard_temporary(true);
    bool done =
        write_all(file, text, length) && fchmod(file, permissions(old)) == 0 && fsync(file) == 0;
    int error = errno;
    if (close(file) != 0 && done) {
        done = false;
        error = errno;
    }
    if (done && rename(temporary, path) != 0) {
        done = false;
        error = errno;
    }
    if (!done) (void)unlink(temporary);
    guard_temporary(false);
    errno = error;
    return done;
}

/* Puts FOLDER/.zwang-XXXXXX beside `path` into `temporary`. */
static bool name_temporary(const char *path)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash + 1 - path) : 0;
    int length = snprintf(temporary, sizeof temporary, "%.*s.zwang-XXXXXX", folder, path);
    if (length > 0 && (size_t)length < sizeof temporary) return true;
    errno = ENAMETOOLONG;
    return false;
}

/* A device, a pipe: there is nothing to replace. */
static bool write_directly(const char *name, const char *text, size_t length)
{
    int file = open(name, O_WRONLY | O_CLOEXEC);
    if (file < 0) return false;
    bool done = write_all(file, text, length);
    int error = errno;
    if (close(file) != 0 && done) return false;
    errno = error;
    return done;
}

static bool write_file(const char *name, const char *text, size_t length)
{
    struct stat about;
    if (stat(name, &about) != 0) {
        /* a new file; a link that leads nowhere is not followed but replaced */
        return name_temporary(name) && replace(name, NULL, text, length);
    }
    if (S_ISDIR(about.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (!S_ISREG(about.st_mode)) return write_directly(name, text, length);
    /* behind a link: the file it leads to is replaced, and the link stays */
    char *path = realpath(name, NULL);
    bool done = path && name_temporary(path) && replace(path, &about, text, length);
    int error = errno;
    free(path);
    errno = error;
    return done;
}

bool output_write(const char *name, const char *text, size_t length, message_log *log)
{
    bool standard = strcmp(name, "-") == 0;
    bool done = standard ? write_all(STDOUT_FILENO, text, length) : write_file(name, text, length);
    return done || refuse(name, errno, log);
}

bool output_flush(message_log *log)
{
    return (fflush(stdout) == 0 && !ferror(stdout)) || refuse("-", errno, log);
}
