/*
 * Runs a fuzz target over the files named on the command line: interesting inputs of the past,
 * in every build, without libFuzzer.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

static int replay(const char *name)
{
    FILE *file = fopen(name, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) return 1;
    long size = ftell(file);
    uint8_t *data = malloc((size_t)size + 1);
    rewind(file);
    int failed = !data || fread(data, 1, (size_t)size, file) != (size_t)size;
    if (!failed) failed = LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    fclose(file);
    return failed;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (replay(argv[i]) == 0) continue;
        fprintf(stderr, "cannot replay %s\n", argv[i]);
        return 1;
    }
    printf("%d inputs replayed\n", argc - 1);
    return argc > 1 ? 0 : 1;
}
