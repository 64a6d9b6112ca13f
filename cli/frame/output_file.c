/*
 * Output that is never half there. A file is written under a temporary name in the same folder,
 * brought to disk and renamed, so that its final name holds either what it held before or
 * everything. A full disk or a reader that has gone is an error with a sentence.
 *
 * A stream gathers bytes in a buffer and sends them off between two rows; only a row of more than a
 * megabyte is cut.
 */
#include "output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "left_over.h"
#include "same_file.h"

enum { BUFFER_SIZE = 1 << 20, MUCH = 1 << 13 };

/* The temporary file while it exists, so that an interrupt removes it; empty otherwise. */
static char temporary[PATH_MAX];

static void remove_temporary(int signal_number)
{
    if (temporary[0]) (void)unlink(temporary);
    (void)raise(signal_number); /* SA_RESETHAND: now it ends the process as usual */
}

/* Signals that the caller ignores stay ignored. */
static void catch_ending_signals(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};
    struct sigaction action = {.sa_flags = (int)SA_RESETHAND};
    action.sa_handler = remove_temporary;
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        struct sigaction now;
        if (sigaction(ends[k], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            (void)sigaction(ends[k], &action, NULL);
    }
}

/* Each standard stream that is closed gets a descriptor on which the use it has fails. */
void output_protect_streams(void)
{
    /* The wrong direction on purpose: writing to a stream that was closed fails, as it should. */
    static const int directions[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int k = 0; k < 3; k++)
        if (fcntl(k, F_GETFD) == -1 && errno == EBADF) (void)open("/dev/null", directions[k]);
    (void)signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of write, not a silent death */
    (void)signal(SIGXFSZ, SIG_IGN); /* and so is a limit for the size of files */
}

/* name "-": standard output. */
bool output_refuse(const char *name, int error, message_log *log)
{
    if (error == ENOMEM)
        message_report(log, MSG_MEMORY, &(zw_diagnostic){.file = name[0] == '-' ? "zwang" : name},
                       "there is not enough memory for the output");
    else if (strcmp(name, "-") == 0)
        message_report(log, MSG_WRITE, &(zw_diagnostic){.file = "zwang"},
                       "standard output cannot be written: %s", strerror(error));
    else
        message_report(log, MSG_WRITE, &(zw_diagnostic){.file = name},
                       "the file cannot be written: %s", strerror(error));
    return false;
}

/* However often write must be called. */
int output_write_bytes(int file, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t done = write(file, text, length);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        text += done;
        length -= (size_t)done;
    }
    return 0;
}

/* ----------------------------------------------------------------------- opening */

/* Those of the file it replaces, but for the bits by which a program gets other rights; or the usual
 * ones. */
mode_t output_permissions(const struct stat *old)
{
    if (old) return old->st_mode & 0777;
    mode_t mask = umask(0);
    (void)umask(mask);
    return 0666 & ~mask;
}

/* Makes .zwang-XXXXXX in the folder of `path`; its name is then in `temporary`. 0, or the errno. */
static int open_temporary(const char *path, int *file)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash + 1 - path) : 0;
    char name[PATH_MAX];
    int length = snprintf(name, sizeof name, "%.*s.zwang-XXXXXX", folder, path);
    if (length <= 0 || (size_t)length >= sizeof name) return ENAMETOOLONG;
    catch_ending_signals();
    left_over_remove(path);
    *file = mkstemp(name);
    if (*file < 0) return errno;
    left_over_hold(*file);
    /* the first byte last: a signal in between sees an empty name */
    memcpy(temporary + 1, name + 1, (size_t)length);
    atomic_signal_fence(memory_order_seq_cst);
    temporary[0] = name[0];
    return 0;
}

/* Opens what the output is to be written to: a device or pipe itself, else a temporary file. 0, or
 * the errno. */
static int open_output_file(output *o)
{
    struct stat about;
    bool old = stat(o->name, &about) == 0;
    if (old && S_ISDIR(about.st_mode)) return EISDIR;
    if (old && !S_ISREG(about.st_mode)) {
        /* a device, a pipe: there is nothing to replace */
        o->file = open(o->name, O_WRONLY | O_CLOEXEC);
        return o->file < 0 ? errno : 0;
    }
    /* behind a link: the file it leads to is replaced, and the link stays; one that leads nowhere
     * is not followed but replaced */
    o->path = old ? realpath(o->name, NULL) : strdup(o->name);
    o->mode = output_permissions(old ? &about : NULL);
    return o->path ? open_temporary(o->path, &o->file) : errno;
}

/* Everything is released again where opening fails. */
bool output_open(output *o, const char *name, message_log *log)
{
    if (!same_file_check(name, log)) return false;
    *o = (output){.name = name, .file = STDOUT_FILENO, .standard = strcmp(name, "-") == 0};
    o->buffer = malloc(BUFFER_SIZE);
    int error = !o->buffer ? ENOMEM : o->standard ? 0 : open_output_file(o);
    if (error == 0) return true;
    free(o->path);
    free(o->buffer);
    return output_refuse(name, error, log);
}

/* ----------------------------------------------------------------------- writing */

/* After a first failure nothing more is written. */
static void send_buffer(output *o)
{
    if (o->error == 0) o->error = output_write_bytes(o->file, o->buffer, o->used);
    o->used = 0;
}

/* More than the buffer holds is written at once. */
bool output_put(void *self, const char *bytes, size_t size)
{
    output *o = self;
    if (size > BUFFER_SIZE - o->used) send_buffer(o);
    if (o->error != 0) return false;
    if (size > BUFFER_SIZE) {
        o->error = output_write_bytes(o->file, bytes, size);
    } else {
        memcpy(o->buffer + o->used, bytes, size);
        o->used += size;
    }
    return o->error == 0;
}

bool output_send_rows(output *o, bool now)
{
    if (o->used >= MUCH || (now && o->used > 0)) send_buffer(o);
    return o->error == 0;
}

/* ----------------------------------------------------------------------- closing */

/* A folder that cannot be opened, or has no such thing as a disk, is no failure: the name is there. */
void output_sync_folder(const char *path)
{
    char folder[PATH_MAX] = ".";
    const char *slash = strrchr(path, '/');
    if (slash && (size_t)(slash + 1 - path) < sizeof folder)
        (void)snprintf(folder, sizeof folder, "%.*s", (int)(slash + 1 - path), path);
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return;
    (void)fsync(file);
    (void)close(file);
}

int output_give_name(int file, mode_t mode, const char *from, const char *to)
{
    int error = fchmod(file, mode) != 0 || fsync(file) != 0 ? errno : 0;
    if (close(file) != 0 && error == 0) error = errno;
    if (error == 0 && rename(from, to) != 0) error = errno;
    if (error == 0) output_sync_folder(to);
    return error;
}

/* Brings the temporary file to disk and gives it its name. 0, or the errno. */
static int give_final_name(output *o)
{
    int file = o->file;
    o->file = -1;
    return output_give_name(file, o->mode, temporary, o->path);
}

/* The temporary file is gone in any case: it has its name, or is removed. */
bool output_close(output *o, bool keep, message_log *log)
{
    if (keep) send_buffer(o);
    if (o->path) {
        if (keep && o->error == 0) o->error = give_final_name(o);
        if (o->file >= 0) (void)close(o->file);
        if (!keep || o->error != 0) (void)unlink(temporary);
        temporary[0] = '\0';
    } else if (!o->standard && close(o->file) != 0 && o->error == 0) {
        o->error = errno;
    }
    free(o->path);
    free(o->buffer);
    return o->error == 0 || output_refuse(o->name, o->error, log);
}

/* A failure in between is reported by output_close. */
bool output_write(const char *name, const char *text, size_t length, message_log *log)
{
    output o;
    if (!output_open(&o, name, log)) return false;
    (void)output_put(&o, text, length);
    return output_close(&o, true, log);
}

bool output_flush(message_log *log)
{
    return (fflush(stdout) == 0 && !ferror(stdout)) || output_refuse("-", errno, log);
}
