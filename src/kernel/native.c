/*
 * Machine code for programs.
 */
#include "compiler.h"

const char *zk_native_sentence(zk_native_state state)
{
    static const char *const sentences[] = {
#define ZK_NATIVE_TEXT(name, sentence) [name] = sentence,
        ZK_NATIVE_LIST(ZK_NATIVE_TEXT)
#undef ZK_NATIVE_TEXT
    };
    return sentences[state];
}

void zk_make_native(zb_memory *memory, zk_program *const *programs, int32_t count, int32_t width,
                    zk_native **native, zk_native_report *report)
{
    (void)memory, (void)programs, (void)count, (void)width;
    *native = NULL;
    *report = (zk_native_report){.state = ZK_NATIVE_FOREIGN};
}

void zk_native_free(zk_native *native)
{
    (void)native;
}

void zk_dump_native(zb_memory *memory, const zk_program *program, int32_t width, zb_text *text)
{
    (void)memory, (void)program, (void)width, (void)text;
}
