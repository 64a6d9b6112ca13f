/*
 * Reading a whole file into memory. A regular file is judged by its size before a byte is read;
 * what has no size (a pipe, a terminal) is read until it ends or is too long.
 */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "same_file.h"

static const size_t limit = (size_t)1 << 30;
static const size_t first_size = (size_t)1 << 16;

/* The functions refuse_... report and are always false. */
static bool refuse_input_size(const input *in, message_log *log)
{
    zw_diagnostic place = {.file = in->name, .help = "split a list of problems into several files"};
    message_report(log, MSG_TOO_LARGE, &place, "the input is larger than 1 GiB");
    return false;
}

static bool refuse_input_memory(const input *in, message_log *log)
{
    zw_diagnostic place = {.file = in->name};
    message_report(log, MSG_MEMORY, &place, "there is not enough memory to read the input");
    return false;
}

/* error: the errno. help: or NULL. */
static bool refuse_unreadable(const input *in, int error, const char *help, message_log *log)
{
    zw_diagnostic place = {.file = in->name, .help = help};
    if (strcmp(in->name, "-") == 0)
        message_report(log, MSG_READ, &place, "standard input cannot be read: %s", strerror(error));
    else
        message_report(log, MSG_READ, &place, "the file cannot be read: %s", strerror(error));
    return false;
}

/* Room to expect: the size of a regular file and one byte to see its end, else a first guess.
 * 0 when it is too large. */
static size_t find_expected_size(int file)
{
    struct stat about;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size <= 0)
        return first_size;
    return (size_t)about.st_size > limit ? 0 : (size_t)about.st_size + 1;
}

/* The room doubles when it is full. False after a report; what has been read is then still
 * owned. */
static bool read_to_end(int file, input *in, message_log *log)
{
    size_t room = find_expected_size(file);
    if (room == 0) return refuse_input_size(in, log);
    in->text = malloc(room + 1);
    if (!in->text) return refuse_input_memory(in, log);
    for (;;) {
        ssize_t got = read(file, in->text + in->length, room - in->length);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return refuse_unreadable(in, errno, NULL, log);
        if (got == 0) break;
        in->length += (size_t)got;
        if (in->length > limit) return refuse_input_size(in, log);
        if (in->length < room) continue;
        char *larger = realloc(in->text, 2 * room + 1);
        if (!larger) return refuse_input_memory(in, log);
        in->text = larger;
        room *= 2;
    }
    in->text[in->length] = '\0';
    return true;
}

/* "-" is standard input, which stays open. */
bool input_read(const char *name, const char *help, input *in, message_log *log)
{
    *in = (input){.name = name};
    bool standard = strcmp(name, "-") == 0;
    int file = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) return refuse_unreadable(in, errno, help, log);
    bool done =
        same_file_note(file, name, log) ? read_to_end(file, in, log) : refuse_input_memory(in, log);
    if (!standard) (void)close(file);
    if (!done) input_clear(in);
    return done;
}

void input_clear(input *in)
{
    free(in->text);
    in->text = NULL;
    in->length = 0;
}
