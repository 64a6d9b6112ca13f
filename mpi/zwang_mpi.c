/*
 * The plug-in of `zwang sweep` for MPI: messages between ranks (cli/sweeps/sweep_ranks.h). It is
 * loaded by the command where a launcher of MPI has started it. Errors are returned, not fatal, as
 * far as the MPI at hand allows it.
 */
#include <limits.h>
#include <mpi.h>

#include "sweep_ranks.h"

static bool open_mpi(int *rank, int *size)
{
    int level, there = 0;
    (void)MPI_Initialized(&there);
    if (!there && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return false;
    (void)MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    return MPI_Comm_rank(MPI_COMM_WORLD, rank) == MPI_SUCCESS &&
           MPI_Comm_size(MPI_COMM_WORLD, size) == MPI_SUCCESS;
}

static bool send_bytes(int to, int tag, const void *bytes, size_t size)
{
    if (size > INT_MAX) return false;
    return MPI_Send(bytes, (int)size, MPI_BYTE, to, tag, MPI_COMM_WORLD) == MPI_SUCCESS;
}

static bool probe_bytes(int *from, int *tag, size_t *size)
{
    int there = 0, count = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS ||
        !there)
        return false;
    (void)MPI_Get_count(&status, MPI_BYTE, &count);
    *from = status.MPI_SOURCE;
    *tag = status.MPI_TAG;
    *size = (size_t)count;
    return true;
}

static bool receive_bytes(int from, int tag, void *bytes, size_t size)
{
    return MPI_Recv(bytes, (int)size, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
           MPI_SUCCESS;
}

static void close_mpi(void)
{
    (void)MPI_Finalize();
}

__attribute__((visibility("default"))) extern const zwang_mpi_functions zwang_mpi;
const zwang_mpi_functions zwang_mpi = {.version = 1,
                                       .open = open_mpi,
                                       .send = send_bytes,
                                       .probe = probe_bytes,
                                       .receive = receive_bytes,
                                       .close = close_mpi};
