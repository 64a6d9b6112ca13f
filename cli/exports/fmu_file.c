/*
 * The archive of an FMU: description, resources, and the library, zwang_fmu.so, that lies beside the
 * command or in the folder of libraries that belongs to it. The token is a hash of everything but the
 * library, with the version of Zwang, so that the same model gives the same bytes.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checkpoint_file.h"
#include "exit_status.h"
#include "fmu_export.h"
#include "output_file.h"

/* ------------------------------------------------------------------------ library */

/* A file of a folder, if it can be read. */
static bool read_library(const char *folder, const char *file, fmu_members *to, const char *name)
{
    char path[PATH_MAX], *bytes = NULL;
    int length = snprintf(path, sizeof path, "%s%s", folder, file);
    FILE *in = length > 0 && (size_t)length < sizeof path ? fopen(path, "rb") : NULL;
    if (!in) return false;
    long size = fseek(in, 0, SEEK_END) == 0 ? ftell(in) : -1;
    bool well = size > 0 && fseek(in, 0, SEEK_SET) == 0;
    if (well) bytes = malloc((size_t)size);
    well = bytes && fread(bytes, 1, (size_t)size, in) == (size_t)size;
    (void)fclose(in);
    if (well) fmu_add(to, name, bytes, (size_t)size);
    free(bytes);
    return well;
}

/* False after a report. */
static bool add_library(fmu_members *to, const fmu_request *r, message_log *log)
{
    char folder[PATH_MAX], name[128];
    (void)snprintf(name, sizeof name, "binaries/%s/%s.so",
                   r->version == 2 ? ZWANG_FMU_PLATFORM_2 : ZWANG_FMU_PLATFORM_3, r->name);
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) slash[1] = '\0';
    if (read_library(folder, "zwang_fmu.so", to, name) ||
        read_library(folder, ZWANG_FMU_FOLDER "/zwang_fmu.so", to, name))
        return true;
    zw_diagnostic place = {.file = "zwang export",
                           .help = "install Zwang as a whole: the file lies in lib/zwang"};
    message_report(log, MSG_NO_FMU, &place,
                   "zwang_fmu.so, which an FMU contains, is not beside the command");
    return false;
}

/* -------------------------------------------------------------------------- token */

static void find_token(const fmu_request *r, const fmu_members *members, char token[40])
{
    uint64_t a = hash_bytes(hash_none, zw_version(), strlen(zw_version()));
    a = hash_bytes(a, r->name, strlen(r->name) + 1);
    a = hash_bytes(a, &r->version, 1);
    uint64_t b = hash_bytes(a, "second half", 11);
    for (int32_t k = 0; k < members->count; k++) {
        const fmu_member *m = &members->list[k];
        if (strncmp(m->name, "binaries/", 9) == 0) continue;
        a = hash_bytes(hash_bytes(a, m->name, strlen(m->name) + 1), m->bytes, m->size);
        b = hash_bytes(hash_bytes(b, m->bytes, m->size), m->name, strlen(m->name) + 1);
    }
    (void)snprintf(token, 40,
                   "{%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%012" PRIx64 "}",
                   a >> 32, a >> 16 & 0xffff, a & 0xffff, b >> 48, b & UINT64_C(0xffffffffffff));
}

/* ------------------------------------------------------------------------ archive */

/* Description, then the rest: importers look for it first. */
static zw_status write_archive(model_job *job, const fmu_members *members, FILE *out)
{
    zw_archive_file *files = malloc(((size_t)members->count + 1) * sizeof *files);
    if (!files) return ZW_ERR_MEMORY;
    for (int32_t k = 0; k < members->count; k++) {
        const fmu_member *m = &members->list[members->count - 1 - k];
        files[k] = (zw_archive_file){m->name, m->bytes, m->size};
    }
    zw_status status = zw_archive_write(job->log.context, files, members->count, model_write, out);
    free(files);
    return status;
}

static zw_status add_description(fmu_members *to, const fmu_request *r, const model_job *job,
                                 const bool *fixed)
{
    char token[40], *text = NULL;
    size_t length = 0;
    find_token(r, to, token);
    fmu_add(to, "resources/token.txt", token, strlen(token));
    FILE *out = open_memstream(&text, &length);
    zw_status status = ZW_ERR_MEMORY;
    if (out) {
        status = fmu_describe(r, job, &(fmu_facts){token, fixed}, out);
        if (fclose(out) != 0 && status == ZW_OK) status = ZW_ERR_MEMORY;
    }
    if (status == ZW_OK) fmu_add(to, "modelDescription.xml", text, length);
    free(text);
    return to->failed ? ZW_ERR_MEMORY : status;
}

/* What the FMU does otherwise than `zwang run`. */
static void remark(model_job *job)
{
    zw_run_settings s;
    zw_diagnostic place = {.severity = ZW_REMARK, .file = job->file};
    if (zw_run_defaults(job->model, &s) == ZW_OK && fmu_method(s.method) != s.method) {
        place.help = "say another method in the model, or take small tolerances";
        message_report(&job->log, MSG_FMU_METHOD, &place, "the FMU integrates by %s, not by %s",
                       zw_method_name(fmu_method(s.method)), zw_method_name(s.method));
    }
    if (!fmu_is_smooth(job->model)) {
        place.help = NULL;
        message_report(&job->log, MSG_FMU_EVENTS, &place,
                       "the model has events or contacts: the FMU is for Co-Simulation only");
    }
}

int fmu_write(const fmu_request *r, model_job *job, const char *file)
{
    fmu_members members = {0};
    bool *fixed = NULL;
    char *bytes = NULL;
    size_t size = 0;
    zw_status status = fmu_add_resources(&members, r, job, &fixed);
    if (status == ZW_OK) status = fmu_add_page(&members, r, job);
    int outcome = model_outcome(job, status);
    if (outcome == STATUS_DONE && !add_library(&members, r, &job->log)) outcome = STATUS_WRONG_DATA;
    if (outcome == STATUS_DONE)
        outcome = model_outcome(job, add_description(&members, r, job, fixed));
    FILE *out = outcome == STATUS_DONE ? open_memstream(&bytes, &size) : NULL;
    if (outcome == STATUS_DONE) {
        status = out && !members.failed ? write_archive(job, &members, out) : ZW_ERR_MEMORY;
        if (out && fclose(out) != 0) status = ZW_ERR_MEMORY;
        outcome = model_outcome(job, status);
    }
    if (outcome == STATUS_DONE) remark(job);
    if (outcome == STATUS_DONE && !output_write(file, bytes, size, &job->log))
        outcome = STATUS_WRONG_DATA;
    free(bytes);
    free(fixed);
    fmu_members_free(&members);
    return outcome;
}
