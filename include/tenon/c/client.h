/* Clients of a service that compiles and runs computations, in this process or behind a connection
 * (tenon/client.h, tenon/remote.h). A client and its data may be used by any number of threads at a time. Whatever is
 * made by a client may be destroyed after it. */
#ifndef TENON_C_CLIENT_H
#define TENON_C_CLIENT_H

#include "tenon/c/computation.h"
#include "tenon/c/literal.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A client of a service. What came of it lives on without it. */
typedef struct tenon_client tenon_client;
/* Data that a service holds: an array or a tuple. Usable by any number of executions. */
typedef struct tenon_data tenon_data;

/* The service in this process. `platform`: "cpu", "reference", one registered or loaded, or NULL for what
 * TENON_PLATFORM names, else "cpu". */
TENON_API TENON_MUST_USE tenon_status *tenon_client_create_local(const char *platform, tenon_client **client);

/* Loads a shared library with a target (tenon/target.h), and makes it a platform, whose name is the caller's to free by
 * tenon_free. */
TENON_API TENON_MUST_USE tenon_status *tenon_load_target(const char *library, char **platform);

/* Set struct_size to sizeof(tenon_remote_options), and what is not wanted to zero. */
typedef struct tenon_remote_options {
  size_t struct_size;
  /* Encrypt; so does giving any of the next three, each a PEM's text: whom to trust (NULL: the system's authorities),
   * and, for a server that asks for one, one's own certificate with its key. */
  bool tls;
  const char *ca_certificates;
  const char *certificate;
  const char *private_key;
  /* What the server's certificate must be for, where that is not the host of the address. */
  const char *server_name;
  /* For a server with --token-file. */
  const char *token;
  /* Until the connection stands; 0: 10 seconds. */
  int64_t connect_timeout_ns;
  /* How long the server may be silent before the connection counts as lost, at least 2 seconds; 0: 20 seconds. */
  int64_t keepalive_ns;
} tenon_remote_options;

/* A `tenon serve` elsewhere: "host:port", "[::1]:port", "unix:/path". `options` may be NULL. Without the server every
 * later call is TENON_UNAVAILABLE. */
TENON_API TENON_MUST_USE tenon_status *tenon_client_connect(const char *address, const tenon_remote_options *options,
                                                            tenon_client **client);
/* Ends the client; a connection when nothing that came of it is left. NULL is allowed. */
TENON_API void tenon_client_destroy(tenon_client *client);

/* "cpu"; "" of NULL. Lives as long as the client. */
TENON_API const char *tenon_client_platform_name(const tenon_client *client);
/* The most processes that tenon_client_execute_parallel runs as one grid, and devices that a program may be written
 * for: a limit of the service, and not what the machine has. All of them compute on the same processor (or GPU). Each
 * device from 0 to below this number has an infeed and an outfeed of its own. 0 of NULL. */
TENON_API int64_t tenon_client_device_count(const tenon_client *client);

/*===- Data -----------------------------------------------------------------------------------------------------===*/

/* Copies a literal to the service, in the layout that it has. */
TENON_API TENON_MUST_USE tenon_status *tenon_client_transfer_to_server(tenon_client *client,
                                                                       const tenon_literal *literal, tenon_data **data);
/* Copies data back: row-major, or in the layout of `shape`, an array's, unless that is NULL. */
TENON_API TENON_MUST_USE tenon_status *tenon_client_transfer(tenon_client *client, const tenon_data *data,
                                                             const tenon_shape *shape, tenon_literal **literal);
/* Makes data of the caller's memory, laid out as the shape of an array says, without a copy: it must stay as it is
 * while the data lives, and `release`, unless NULL, is called when the data is destroyed. After an error it is not
 * called. TENON_FAILED_PRECONDITION where the service is elsewhere. */
TENON_API TENON_MUST_USE tenon_status *tenon_client_share(tenon_client *client, const tenon_shape *shape,
                                                          const void *memory,
                                                          void (*release)(const void *memory, void *context),
                                                          void *context, tenon_data **data);
/* The memory of an array, laid out as its shape says, for as long as the data lives. TENON_FAILED_PRECONDITION where
 * the service is elsewhere. */
TENON_API TENON_MUST_USE tenon_status *tenon_client_view(tenon_client *client, const tenon_data *data,
                                                         const void **memory);
/* The elements of a tuple, which live on without it. `count` must be their number. */
TENON_API TENON_MUST_USE tenon_status *tenon_client_deconstruct_tuple(tenon_client *client, const tenon_data *tuple,
                                                                      tenon_data **elements, size_t count);
/* Part of the data, and not to be destroyed. NULL of NULL. */
TENON_API const tenon_shape *tenon_data_shape(const tenon_data *data);
/* Lets the service free the data; calls the `release` of tenon_client_share. NULL is allowed. */
TENON_API void tenon_data_destroy(tenon_data *data);

/*===- Running --------------------------------------------------------------------------------------------------===*/

/* Set struct_size to sizeof(tenon_execute_options), and what is not wanted to zero. */
typedef struct tenon_execute_options {
  size_t struct_size;
  /* The result's shape, with the layouts that it shall have; NULL: row-major. */
  const tenon_shape *result_shape;
  /* From the call on; 0: as long as it takes. What takes longer is TENON_DEADLINE_EXCEEDED. */
  int64_t timeout_ns;
  /* Where to write the time from the moment the service had all arguments to that of the last result; may be NULL. */
  int64_t *compute_time_ns;
  /* The seed of the random numbers: the same gives the same ones; NULL: others at each execution. */
  const uint64_t *seed;
} tenon_execute_options;

/* Compiles where that has not been done for arguments of these layouts, and runs. `options` may be NULL. */
TENON_API TENON_MUST_USE tenon_status *tenon_client_execute(tenon_client *client, const tenon_computation *computation,
                                                            const tenon_data *const *arguments, size_t count,
                                                            const tenon_execute_options *options, tenon_data **result);
/* The same, and copies the result back. */
TENON_API TENON_MUST_USE tenon_status *
tenon_client_execute_and_transfer(tenon_client *client, const tenon_computation *computation,
                                  const tenon_data *const *arguments, size_t count,
                                  const tenon_execute_options *options, tenon_literal **result);
/* One process of a grid: what it runs, and on what. */
typedef struct tenon_process {
  const tenon_computation *computation;
  const tenon_data *const *arguments;
  size_t argument_count;
} tenon_process;
/* Runs a grid of num_replicas x num_partitions processes at the same time, which meet in collectives, send and recv:
 * process (replica, partition) is processes[replica * num_partitions + partition]. `count` must be their number, and
 * there must be room for as many results. Infeed and outfeed of process i are those of device i. `options` may be NULL.
 * The first error, which names its process. */
TENON_API TENON_MUST_USE tenon_status *tenon_client_execute_parallel(tenon_client *client, int64_t num_replicas,
                                                                     int64_t num_partitions,
                                                                     const tenon_process *processes, size_t count,
                                                                     const tenon_execute_options *options,
                                                                     tenon_data **results);
/* Only compiles, for arguments in row-major order (argument_shapes is NULL), or in the layouts of `count` shapes: as
 * long as the computation lives, the functions above use what was compiled. tenon/c/executable.h has what is compiled
 * as an object. */
TENON_API TENON_MUST_USE tenon_status *tenon_client_compile(tenon_client *client, const tenon_computation *computation,
                                                            const tenon_shape *const *argument_shapes, size_t count,
                                                            const tenon_execute_options *options);

/* Appends an item to the stream that infeed reads; waits while it is full. timeout_ns 0: as long as it takes. */
TENON_API TENON_MUST_USE tenon_status *
tenon_client_transfer_to_infeed(tenon_client *client, const tenon_literal *literal, int64_t device, int64_t timeout_ns);
/* Takes an item of that shape from the outfeed; waits for one. */
TENON_API TENON_MUST_USE tenon_status *tenon_client_transfer_from_outfeed(tenon_client *client,
                                                                          const tenon_shape *shape, int64_t device,
                                                                          int64_t timeout_ns, tenon_literal **literal);

/* Set struct_size to sizeof(tenon_statistics) before the call. */
typedef struct tenon_statistics {
  size_t struct_size;
  int64_t compilations; /* since the service began */
  int64_t executions;
  int64_t executables; /* held now */
  int64_t allocations; /* data held now */
  int64_t bytes;       /* of data held now */
} tenon_statistics;
/* Counts, as they are now; a server's are of this client alone. */
TENON_API TENON_MUST_USE tenon_status *tenon_client_statistics(tenon_client *client, tenon_statistics *statistics);

/* Where tenon_builder_trace logs to, of what the service in this process runs from now on: called by the threads that
 * run, several at a time; the literal is not to be kept. NULL: a line to standard error, as before the first call. */
TENON_API void tenon_set_trace_sink(void (*sink)(void *context, const char *tag, const tenon_literal *value),
                                    void *context);

#ifdef __cplusplus
}
#endif
#endif
