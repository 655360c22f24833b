/* The extension PJRT_Custom_Partitioner of the PJRT API, version 1, whose header is not among those that are fetched:
 * structures as jaxlib lays them out, in the order of their fields. */
#ifndef TENON_PJRT_CUSTOM_PARTITIONER_H
#define TENON_PJRT_CUSTOM_PARTITIONER_H

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Partitioner_Bytes {
  const char *data;
  size_t size;
} Partitioner_Bytes;

/* A serialized xla.ShapeProto, and an xla.OpSharding if there is one. */
typedef struct Partitioner_Array {
  Partitioner_Bytes shape;
  bool has_sharding;
  Partitioner_Bytes sharding;
} Partitioner_Array;

/* At the beginning of the arguments of each callback, which sets all but the version. Once the results have been read,
 * or the error, the caller calls `cleanup(data)`. */
typedef struct Partitioner_Header {
  int64_t api_version; /* 0 */
  void *data;
  void (*cleanup)(void *data);
  bool has_error;
  PJRT_Error_Code code;
  Partitioner_Bytes message;
} Partitioner_Header;

typedef struct Partitioner_Partition_Args {
  Partitioner_Header header;
  size_t num_operands;
  Partitioner_Array *operands;
  Partitioner_Array result; /* of several results a tuple */
  Partitioner_Bytes config;
  /* out */
  Partitioner_Bytes module;
  Partitioner_Bytes *operand_shardings;
  Partitioner_Bytes result_sharding;
} Partitioner_Partition_Args;

typedef struct Partitioner_InferFromOperands_Args {
  Partitioner_Header header;
  size_t num_operands;
  Partitioner_Array *operands;
  Partitioner_Bytes result_shape;
  Partitioner_Bytes config;
  /* out */
  bool has_result_sharding;
  Partitioner_Bytes result_sharding;
} Partitioner_InferFromOperands_Args;

typedef struct Partitioner_InferFromUsers_Args {
  Partitioner_Header header;
  Partitioner_Bytes config;
  Partitioner_Bytes result_shape;
  Partitioner_Bytes result_sharding; /* in and out */
} Partitioner_InferFromUsers_Args;

typedef struct Partitioner_Callbacks {
  int64_t version;
  void *private_data;
  void (*destroy)(struct Partitioner_Callbacks *self);
  void (*partition)(struct Partitioner_Callbacks *self, Partitioner_Partition_Args *args);
  void (*infer_from_operands)(struct Partitioner_Callbacks *self, Partitioner_InferFromOperands_Args *args);
  void (*infer_from_users)(struct Partitioner_Callbacks *self, Partitioner_InferFromUsers_Args *args);
  bool can_side_effecting_have_replicated_sharding;
} Partitioner_Callbacks;

typedef struct Partitioner_Register_Args {
  size_t struct_size;
  const char *name;
  size_t name_size;
  Partitioner_Callbacks *callbacks; /* becomes the plugin's */
} Partitioner_Register_Args;

typedef struct Partitioner_RegisterBatchPartitionable_Args {
  size_t struct_size;
  const char *name;
  size_t name_size;
} Partitioner_RegisterBatchPartitionable_Args;

typedef struct Partitioner_Extension {
  PJRT_Extension_Base base;
  PJRT_Error *(*register_partitioner)(Partitioner_Register_Args *args);
  PJRT_Error *(*register_batch_partitionable)(Partitioner_RegisterBatchPartitionable_Args *args);
} Partitioner_Extension;

#ifdef __cplusplus
}
#endif
#endif
