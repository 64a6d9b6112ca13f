/*
 * Finding and loading the plug-in for MPI: zwang_mpi.so beside the command, in the folder of
 * libraries that belongs to it, or where ZWANG_MPI says.
 */
#include "sweep_ranks.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How many processes a launcher has started together; 1: none has, or one. */
static long count_started(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS",
                                        "SLURM_STEP_NUM_TASKS"};
    long most = 1;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const char *word = getenv(names[k]);
        long count = word ? strtol(word, NULL, 10) : 0;
        if (count > most) most = count;
    }
    return most;
}

static void *load_file(const char *folder, const char *file)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s%s", folder, file);
    if (length < 0 || (size_t)length >= sizeof path) return NULL;
    return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

/* Symbols are global: libraries of MPI load further ones that look for them. */
static void *load_plugin(void)
{
    char folder[PATH_MAX];
    const char *said = getenv("ZWANG_MPI");
    if (said && *said) return load_file("", said);
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (length <= 0) return NULL;
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) slash[1] = '\0';
    void *found = load_file(folder, "zwang_mpi.so");
    if (!found) found = load_file(folder, ZWANG_MPI_FOLDER "/zwang_mpi.so");
    return found;
}

bool sweep_ranks_open(sweep_ranks *r, message_log *log)
{
    long started = count_started();
    zw_diagnostic place = {.file = "zwang"};
    *r = (sweep_ranks){.size = 1};
    if (started < 2) return true;
    void *plugin = load_plugin();
    const zwang_mpi_functions *mpi = plugin ? dlsym(plugin, "zwang_mpi") : NULL;
    if (!mpi || mpi->version != 1) {
        place.help = "build with -DZWANG_MPI=ON where MPI is, or use --part K/N without it";
        message_report(
            log, MSG_NO_MPI, &place,
            "%ld processes were started together, but the plug-in zwang_mpi.so cannot be loaded",
            started);
        return false;
    }
    if (!mpi->open(&r->rank, &r->size)) {
        place.help = "start it by the launcher of the MPI that the plug-in was built with";
        message_report(log, MSG_NO_MPI, &place, "MPI did not begin");
        return false;
    }
    r->mpi = mpi;
    if (r->size >= 2) return true;
    place.help = "start it by the launcher of the MPI that the plug-in was built with; under Slurm "
                 "say srun --mpi=pmix, or use --part K/N";
    message_report(log, MSG_NO_MPI, &place,
                   "%ld processes were started together, but MPI knows of one only", started);
    sweep_ranks_close(r);
    return false;
}

void sweep_ranks_close(sweep_ranks *r)
{
    if (r->mpi) r->mpi->close();
    r->mpi = NULL;
}
