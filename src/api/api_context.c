/*
 * Version, contexts and diagnostics of zwang.h: argument checks, then the engine and base.
 */
#include "api.h"

#define TEXT_2(x) #x
#define TEXT_1(x) TEXT_2(x)

const char *zw_version(void)
{
    return TEXT_1(ZW_VERSION_MAJOR) "." TEXT_1(ZW_VERSION_MINOR) "." TEXT_1(ZW_VERSION_PATCH);
}

zw_status zw_context_create(const zw_allocator *allocator, zw_context **context)
{
    ZW_REQUIRE(context && (!allocator || allocator->resize));
    return zr_context_create(allocator, context);
}

void zw_context_free(zw_context *context)
{
    zr_context_free(context);
}

/* A budget below what is held is no error: only what comes next is refused. */
zw_status zw_context_set_budget(zw_context *context, size_t bytes)
{
    ZW_REQUIRE(context);
    context->memory.budget = bytes;
    return ZW_OK;
}

size_t zw_memory_available(void)
{
    size_t bytes = zb_available_memory();
    return bytes == SIZE_MAX ? 0 : bytes;
}

size_t zw_context_held(const zw_context *context)
{
    return context ? context->memory.held : 0;
}

zw_status zw_context_set_solver(zw_context *context, zw_solver solver)
{
    ZW_REQUIRE(context && zw_solver_name(solver));
    context->solver = solver;
    return ZW_OK;
}

zw_status zw_context_set_threads(zw_context *context, int32_t count)
{
    ZW_REQUIRE(context && count >= 0);
    context->threads = count;
    return ZW_OK;
}

zw_status zw_context_set_lanes(zw_context *context, int32_t count)
{
    ZW_REQUIRE(context && (count == 0 || count == 4 || count == 8));
    context->lanes = count;
    return ZW_OK;
}

zw_status zw_context_report(zw_context *context, const zw_diagnostic *d)
{
    ZW_REQUIRE(context && d && d->severity >= ZW_REMARK && d->severity <= ZW_ERROR);
    return zb_diag_add(&context->diagnostics, d);
}

/* text may be NULL for an empty file. */
zw_status zw_context_add_source(zw_context *context, const char *file, const char *text,
                                size_t length)
{
    ZW_REQUIRE(context && file && (text || length == 0));
    return zb_diag_add_source(&context->diagnostics, file, text, length);
}

int32_t zw_context_diagnostic_count(const zw_context *context)
{
    return context ? zb_diag_count(&context->diagnostics) : 0;
}

const zw_diagnostic *zw_context_diagnostic(const zw_context *context, int32_t i)
{
    return context ? zb_diag_get(&context->diagnostics, i) : NULL;
}

void zw_context_clear_diagnostics(zw_context *context)
{
    if (context) zb_diag_clear(&context->diagnostics);
}

/* Written into the caller's buffer as far as that goes; *needed counts on, so
 * that 0 bytes ask for the length. */
zw_status zw_context_format_diagnostics(const zw_context *context, zw_diagnostic_form form,
                                        char *buffer, size_t size, size_t *needed)
{
    ZW_REQUIRE(context && needed && (buffer || size == 0) && (form == ZW_TEXT || form == ZW_JSON));
    zb_text text;
    zb_text_init_fixed(&text, buffer, size);
    if (form == ZW_JSON)
        zb_diag_json(&context->diagnostics, &text);
    else
        zb_diag_text(&context->diagnostics, &text);
    if (size > 0 && text.length == 0) buffer[0] = '\0';
    *needed = text.length;
    return text.failure;
}

/* Candidates of NULL are passed over, so that tables may have gaps. */
const char *zw_suggest(const char *word, const char *const *candidates, int32_t count)
{
    if (!word || !candidates) return NULL;
    zb_suggestion s;
    zb_suggest_begin(&s, word);
    for (int32_t i = 0; i < count; i++)
        if (candidates[i]) zb_suggest_add(&s, candidates[i]);
    return zb_suggest_end(&s);
}
