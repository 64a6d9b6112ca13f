/*
 * Refusals that nobody below has said anything about: every status but those of memory comes with a
 * diagnostic.
 */
#include "api.h"

/* What to do about it. */
static const char *help_for_status(zw_status status)
{
    switch (status) {
    case ZW_ERR_ARGUMENT:
        return "zwang.h says what its arguments may be";
    case ZW_ERR_ORDER:
        return "begin a run by zw_sim_begin; what changes the state from outside ends it";
    case ZW_ERR_METHOD:
        return "choose another method; bdf is there in builds with SUNDIALS, and its runs cannot "
               "be "
               "saved";
    case ZW_ERR_LARGE:
        return "make the model smaller, or choose another form";
    case ZW_ERR_SETTING:
        return "restore into a run of the same model, handles, parameters, settings and library";
    default:
        return "zw_sim_check says what the model is and where its start is wrong";
    }
}

int32_t zw_count_errors(const zw_context *context)
{
    int32_t count = 0;
    for (int32_t i = 0; i < zw_context_diagnostic_count(context); i++)
        if (zw_context_diagnostic(context, i)->severity == ZW_ERROR) count++;
    return count;
}

zw_status zw_tell(zw_context *context, int32_t errors, const char *call, zw_status status)
{
    bool silent = status == ZW_OK || status == ZW_ERR_MEMORY || status == ZW_ERR_BUDGET;
    if (silent || status == ZW_ERR_WRITE) return status; /* that is the caller's own answer */
    if (zw_count_errors(context) > errors) return status;
    char sentence[200];
    zb_text text;
    zb_text_init_fixed(&text, sentence, sizeof sentence);
    bool large = status == ZW_ERR_LARGE; /* the command says the same of its own matrices */
    if (!large) zb_text_printf(&text, "%s is refused: ", call);
    zb_text_printf(&text, "%s", zw_status_sentence(status));
    zw_diagnostic d = {.severity = ZW_ERROR,
                       .code = large ? "E0930" : "E0780",
                       .sentence = sentence,
                       .help = help_for_status(status)};
    (void)zw_context_report(context, &d);
    return status;
}
