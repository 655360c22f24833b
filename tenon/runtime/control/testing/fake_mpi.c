// An MPI for tests, behind the functions of tenon_mpi.c: this is process 0 of two, and no message ever comes.
#include <stddef.h>

int tenon_mpi_interface(void) { return 1; }

void tenon_mpi_error(int code, char *text, int size) {
  (void)code;
  if (size > 0)
    text[0] = 0;
}

int tenon_mpi_start(int *rank, int *size) {
  *rank = 0;
  *size = 2;
  return 0;
}

int tenon_mpi_send(const void *bytes, int size, int to, int tag, void **request) {
  (void)bytes, (void)size, (void)to, (void)tag;
  *request = NULL;
  return 0;
}

int tenon_mpi_find(int tag, int *from, int *size, void **message) {
  (void)tag;
  *from = *size = 0;
  *message = NULL;
  return 0;
}

int tenon_mpi_receive(void *into, int size, void *message, void **request) {
  (void)into, (void)size, (void)message;
  *request = NULL;
  return 0;
}

int tenon_mpi_test(void *request, int *is_done) {
  (void)request;
  *is_done = 1;
  return 0;
}

int tenon_mpi_end(void) { return 0; }
