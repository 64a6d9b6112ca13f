/*
 * Writing the page of a sweep: one HTML file with web/dist/sweep.js and sweep.css, and what they show
 * as JSON (web/DATA.md). Beyond some ten thousand runs every k-th is shown, and it is said.
 */
#include "sweep_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "embedded.h"
#include "output_file.h"

enum { MOST_RUNS = 20000, MOST_COLUMNS = 60 };

/* ------------------------------------------------------------------------------- JSON */

/* A string of JSON in which no < stands, so that nothing in it ends the script. */
static void put_json_string(FILE *out, const char *text)
{
    (void)fputc('"', out);
    for (const char *c = text; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte < 0x20 || byte == '<' || byte == '"' || byte == '\\')
            (void)fprintf(out, "\\u%04x", byte);
        else
            (void)fputc(byte, out);
    }
    (void)fputc('"', out);
}

static void put_json_number(FILE *out, double x)
{
    if (isfinite(x))
        (void)fprintf(out, "%.9g", x);
    else
        (void)fputs("null", out);
}

/* One column of the runs that are shown. */
static bool put_page_column(FILE *out, sweep_journal *j, int32_t column, int64_t stride)
{
    bool first = true;
    (void)fputc('[', out);
    for (int64_t b = 0; b < j->facts.batches; b++) {
        const void *bytes;
        size_t size;
        zw_sweep_block block;
        if (!sweep_journal_fetch(j, b, &bytes, &size) ||
            zw_sweep_block_read(j->sweep, bytes, size, &block) != ZW_OK)
            return false;
        for (int64_t i = 0; i < block.count; i++) {
            if ((block.first + i) % stride != 0) continue;
            if (!first) (void)fputc(',', out);
            first = false;
            put_json_number(out, block.rows[i * j->facts.columns + column]);
        }
    }
    (void)fputc(']', out);
    return true;
}

/* Runs that failed, with their reasons; as many as the page would show. */
static bool put_page_failures(FILE *out, sweep_journal *j)
{
    int64_t shown = 0;
    (void)fputc('[', out);
    for (int64_t b = 0; b < j->facts.batches && shown < MOST_RUNS; b++) {
        const void *bytes;
        size_t size;
        zw_sweep_block block;
        if (!sweep_journal_fetch(j, b, &bytes, &size) ||
            zw_sweep_block_read(j->sweep, bytes, size, &block) != ZW_OK)
            return false;
        for (int64_t k = 0; k < block.failures && shown < MOST_RUNS; k++, shown++) {
            (void)fprintf(out, "%s[%lld,", shown > 0 ? "," : "", (long long)block.failed[k].run);
            put_json_string(out, block.failed[k].reason);
            (void)fputc(']', out);
        }
    }
    (void)fputc(']', out);
    return true;
}

static bool put_page_data(FILE *out, sweep_journal *j, const model_job *job, const char *command)
{
    int64_t stride = (j->facts.runs + MOST_RUNS - 1) / MOST_RUNS;
    int32_t columns = j->facts.columns < MOST_COLUMNS ? j->facts.columns : MOST_COLUMNS;
    if (stride < 1) stride = 1;
    (void)fputs("{\"file\":", out);
    put_json_string(out, job->file);
    (void)fputs(",\"command\":", out);
    put_json_string(out, command ? command : "");
    (void)fprintf(out, ",\"runs\":%lld,\"stride\":%lld,\"varied\":%d,\"names\":[",
                  (long long)j->facts.runs, (long long)stride, (int)j->facts.varied);
    for (int32_t k = 0; k < columns; k++) {
        if (k > 0) (void)fputc(',', out);
        put_json_string(out, zw_sweep_column(j->sweep, k));
    }
    (void)fputs("],\"columns\":[", out);
    for (int32_t k = 0; k < columns; k++) {
        if (k > 0) (void)fputc(',', out);
        if (!put_page_column(out, j, k, stride)) return false;
    }
    (void)fputs("],\"failed\":", out);
    if (!put_page_failures(out, j)) return false;
    (void)fputs("}", out);
    return true;
}

/* ------------------------------------------------------------------------------- page */

static void put_embedded(FILE *out, const char *name)
{
    for (const embedded_text *t = sweep_texts; t->name; t++)
        if (strcmp(t->file, name) == 0) (void)fwrite(t->text, 1, t->length, out);
}

bool sweep_page_write(sweep_journal *journal, const model_job *job, const char *command,
                      const char *name)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    message_log *log = (message_log *)(uintptr_t)&job->log;
    bool good = out != NULL;
    if (good) {
        (void)fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
                    "name=\"viewport\" content=\"width=device-width\"><title>Sweep</title><style>",
                    out);
        put_embedded(out, "sweep.css");
        (void)fputs("</style></head><body><script type=\"application/json\" id=\"data\">", out);
        good = put_page_data(out, journal, job, command);
        (void)fputs("</script><script>", out);
        put_embedded(out, "sweep.js");
        (void)fputs("</script></body></html>\n", out);
        if (fclose(out) != 0) good = false;
    }
    if (!good)
        message_report(log, MSG_MEMORY, NULL, "there is not enough memory for the page");
    else
        good = output_write(name, text, length, log);
    free(text);
    return good;
}
