/* What Tenon needs of MPI, for the MPI that a cluster has: its binary interface is not the same everywhere, so this
   file is compiled by whoever has the cluster, and TENON_MPI_SHIM names what comes out (docs/processes.md):

     mpicc -O2 -shared -fPIC -o tenon_mpi.so tenon_mpi.c
     TENON_MPI_SHIM=$PWD/tenon_mpi.so mpirun -n 4 python train.py

   Messages go from one process to another, in bytes, and nothing else of MPI is used: sums are taken by Tenon's own
   programs. Every function returns 0 or a code that tenon_mpi_error puts in words. */
#include <mpi.h>

#include <stdlib.h>
#include <string.h>

/* What Tenon (tenon/runtime/control/mpi.h) was compiled for. */
int tenon_mpi_interface(void) { return 1; }

static MPI_Comm job = MPI_COMM_NULL; /* of Tenon alone: its messages meet no others */
static int started;                  /* MPI was started here, and is ended here */

/* The codes of this file's own. */
enum { HAS_ENDED = -1, HAS_TOO_FEW_THREADS = -2, HAS_NO_MEMORY = -3 };

void tenon_mpi_error(int code, char *text, int size) {
  char words[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code == HAS_ENDED)
    strcpy(words, "MPI has been ended, and cannot be started twice in a process");
  else if (code == HAS_TOO_FEW_THREADS)
    strcpy(words, "MPI does not let several threads call it (MPI_THREAD_MULTIPLE)");
  else if (code == HAS_NO_MEMORY)
    strcpy(words, "out of memory");
  else
    MPI_Error_string(code, words, &length);
  strncpy(text, words, (size_t)size - 1);
  text[size - 1] = 0;
}

/* Starts MPI if nobody has. Which process this is, and of how many. */
int tenon_mpi_start(int *rank, int *size) {
  int code, is_started, is_ended, level = MPI_THREAD_SINGLE;
  if ((code = MPI_Finalized(&is_ended)) || (code = MPI_Initialized(&is_started)))
    return code;
  if (is_ended)
    return HAS_ENDED;
  code = is_started ? MPI_Query_thread(&level) : MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
  if (code)
    return code;
  started |= !is_started;
  if (level < MPI_THREAD_MULTIPLE)
    return HAS_TOO_FEW_THREADS;
  if (job == MPI_COMM_NULL &&
      ((code = MPI_Comm_dup(MPI_COMM_WORLD, &job)) || (code = MPI_Comm_set_errhandler(job, MPI_ERRORS_RETURN))))
    return code;
  return (code = MPI_Comm_rank(job, rank)) ? code : MPI_Comm_size(job, size);
}

/* Begins to send; the bytes stay until tenon_mpi_test says that it is done. */
int tenon_mpi_send(const void *bytes, int size, int to, int tag, void **request) {
  MPI_Request *made = malloc(sizeof *made);
  int code = made ? MPI_Isend(bytes, size, MPI_BYTE, to, tag, job, made) : HAS_NO_MEMORY;
  if (code)
    free(made);
  *request = code ? NULL : made;
  return code;
}

/* The next message with that tag, of any process. `*message` stays null if there is none. */
int tenon_mpi_find(int tag, int *from, int *size, void **message) {
  MPI_Status status;
  MPI_Message *found = malloc(sizeof *found);
  int is_there = 0, code = found ? MPI_Improbe(MPI_ANY_SOURCE, tag, job, &is_there, found, &status) : HAS_NO_MEMORY;
  *message = NULL;
  if (!code && is_there && !(code = MPI_Get_count(&status, MPI_BYTE, size))) {
    *from = status.MPI_SOURCE;
    *message = found;
  } else {
    free(found);
  }
  return code;
}

/* Begins to receive a message that was found, which is the caller's no more. */
int tenon_mpi_receive(void *into, int size, void *message, void **request) {
  MPI_Request *made = malloc(sizeof *made);
  int code = made ? MPI_Imrecv(into, size, MPI_BYTE, (MPI_Message *)message, made) : HAS_NO_MEMORY;
  free(message);
  if (code)
    free(made);
  *request = code ? NULL : made;
  return code;
}

/* Whether a request is done, which is then no more. */
int tenon_mpi_test(void *request, int *is_done) {
  int code = MPI_Test((MPI_Request *)request, is_done, MPI_STATUS_IGNORE);
  if (code || *is_done)
    free(request);
  return code;
}

/* Ends MPI if it was started here. All processes must do so. */
int tenon_mpi_end(void) {
  int code = 0;
  if (job != MPI_COMM_NULL)
    code = MPI_Comm_free(&job);
  if (!code && started)
    code = MPI_Finalize();
  started = 0;
  return code;
}
