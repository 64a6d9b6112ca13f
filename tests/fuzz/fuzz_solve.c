/*
 * Fuzzes `zwang solve`: any bytes as its input. Whatever they are, the command must answer or
 * refuse with a message; it must not crash, leak, hang, or answer with something that is not
 * JSON. An answer, moreover, must satisfy its own certificate.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "command_solve.h"
#include "fuzz.h"

static void require(int condition)
{
    if (!condition) abort();
}

/* With friction: as many motions as there are, and one acceleration where there is one. */
static void check_motions(const json_t *answer, const json_t *solutions)
{
    size_t count = json_array_size(solutions);
    const json_t *certificate = json_object_get(answer, "certificate");
    require(count <= 2);
    require(count == 1 ? json_is_array(json_object_get(answer, "acceleration"))
                       : json_is_null(json_object_get(answer, "acceleration")));
    require(json_is_number(certificate) && json_number_value(certificate) <= 1e-6);
}

static void check_answer(const json_t *answer)
{
    const json_t *solutions = json_object_get(answer, "solutions");
    if (solutions != NULL) {
        check_motions(answer, solutions);
        return;
    }
    require(json_is_array(json_object_get(answer, "acceleration")));
    const json_t *diagnosis = json_object_get(answer, "diagnosis");
    const json_t *certificate = json_object_get(diagnosis, "certificate");
    require(json_is_number(certificate));
    require(json_number_value(certificate) <= 1e-8);
}

static void check_output(const char *text, size_t length)
{
    json_t *tree = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    require(tree != NULL);
    size_t index;
    json_t *answer;
    if (json_is_array(tree)) {
        json_array_foreach(tree, index, answer) check_answer(answer);
    } else {
        check_answer(tree);
    }
    json_decref(tree);
}

void fuzz_target(const uint8_t *data, size_t size)
{
    message_log log = {0};
    input in = {.name = "fuzz", .length = size, .text = malloc(size + 1)};
    char *text = NULL;
    size_t length = 0;
    require(in.text != NULL);
    json_object_seed(1); /* else jansson takes one of chance */
    if (size > 0) memcpy(in.text, data, size);
    in.text[size] = '\0';
    message_log_open(&log);
    FILE *out = open_memstream(&text, &length);
    require(out != NULL && log.context != NULL);
    solve_job job = {.log = &log, .silent = true};
    bool done = solve_text(&job, &in, out);
    require(fclose(out) == 0);
    if (done)
        check_output(text, length);
    else /* a refusal always says why */
        require(zw_context_diagnostic_count(log.context) > 0);
    message_log_close(&log);
    free(text);
    free(in.text);
}
