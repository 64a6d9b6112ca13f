/*
 * The page of documentation inside an FMU, documentation/index.html: what the model says, and its
 * equations as MathML.
 */
#include <stdlib.h>

#include "fmu_export.h"

/* Text of the model between tags. */
static void put_text(FILE *out, const char *text, size_t length)
{
    for (size_t k = 0; k < length; k++) {
        if (text[k] == '<')
            (void)fputs("&lt;", out);
        else if (text[k] == '&')
            (void)fputs("&amp;", out);
        else if (text[k] != '\r')
            (void)fputc(text[k], out);
    }
}

zw_status fmu_add_page(fmu_members *to, const fmu_request *r, const model_job *job)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) return ZW_ERR_MEMORY;
    (void)fprintf(out,
                  "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
                  "<title>%s</title></head>\n<body>\n<h1>%s</h1>\n"
                  "<p>Made by Zwang %s. Coordinates, their velocities der(x) and accelerations "
                  "der(x,2), parameters, inputs and outputs have the names of the model.</p>\n"
                  "<h2>Model</h2>\n<pre>",
                  r->name, r->name, zw_version());
    put_text(out, job->text, job->length);
    (void)fputs("</pre>\n", out);
    zw_status status = zw_model_equations(job->model, ZW_REPORT_MATHML, 0, model_write, out);
    (void)fputs("</body>\n</html>\n", out);
    if (fclose(out) != 0 && status == ZW_OK) status = ZW_ERR_MEMORY;
    if (status == ZW_OK) fmu_add(to, "documentation/index.html", text, length);
    free(text);
    return to->failed ? ZW_ERR_MEMORY : status;
}
