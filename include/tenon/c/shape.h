/* Element types, shapes and layouts (xla-preview-2017, "Shapes and Layout"). A tenon_shape is always a valid one:
 * tenon/shape.h, ShapeUtil::Validate, says what that is. */
#ifndef TENON_C_SHAPE_H
#define TENON_C_SHAPE_H

#include "tenon/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are those of XLA. */
typedef enum tenon_element_type TENON_ANY_INT {
  TENON_INVALID_TYPE = 0,
  TENON_PRED = 1,
  TENON_S2 = 26,
  TENON_S4 = 21,
  TENON_S8 = 2,
  TENON_S16 = 3,
  TENON_S32 = 4,
  TENON_S64 = 5,
  TENON_U2 = 27,
  TENON_U4 = 22,
  TENON_U8 = 6,
  TENON_U16 = 7,
  TENON_U32 = 8,
  TENON_U64 = 9,
  TENON_F16 = 10,
  TENON_BF16 = 16,
  TENON_F32 = 11,
  TENON_F64 = 12,
  TENON_F4E2M1FN = 32,
  TENON_F6E2M3FN = 34,
  TENON_F6E3M2FN = 35,
  TENON_F8E3M4 = 29,
  TENON_F8E4M3 = 28,
  TENON_F8E4M3FN = 20,
  TENON_F8E4M3B11FNUZ = 23,
  TENON_F8E4M3FNUZ = 25,
  TENON_F8E5M2 = 19,
  TENON_F8E5M2FNUZ = 24,
  TENON_F8E8M0FNU = 33,
  TENON_C64 = 15,
  TENON_C128 = 18,
  TENON_TUPLE = 13,
  TENON_OPAQUE_TYPE = 14,
  TENON_TOKEN = 17
} tenon_element_type;

/* "f32", "s4", "pred"; "invalid" for what is no type. Lives for ever. */
TENON_API const char *tenon_element_type_name(tenon_element_type type);
/* The type of a name that tenon_element_type_name returns; an error for any other. */
TENON_API TENON_MUST_USE tenon_status *tenon_element_type_parse(const char *name, tenon_element_type *type);
/* The bytes of an element in memory: 1 for PRED and the types below 8 bits; 0 for what is no element type. */
TENON_API int64_t tenon_element_type_size(tenon_element_type type);

/* What lies between an array and its padded dimensions. */
typedef enum tenon_padding_value TENON_ANY_INT {
  TENON_ZERO_PAD = 1,
  TENON_ONE_PAD = 2,
  TENON_LOWEST_PAD = 3,
  TENON_HIGHEST_PAD = 4,
  TENON_UNKNOWN_PAD = 5
} tenon_padding_value;

/* The shape of an array, with its layout, or of a tuple. Immutable. */
typedef struct tenon_shape tenon_shape;

/* An array, row-major; `rank` sizes. */
TENON_API TENON_MUST_USE tenon_status *tenon_shape_create(tenon_element_type type, const int64_t *dimensions,
                                                          size_t rank, tenon_shape **shape);
/* An array in a layout: `rank` numbers of dimensions, the one that changes most rapidly first. padded_dimensions, if it
 * is not NULL, has `rank` sizes that are filled up with `padding`. */
TENON_API TENON_MUST_USE tenon_status *
tenon_shape_create_with_layout(tenon_element_type type, const int64_t *dimensions, const int64_t *minor_to_major,
                               const int64_t *padded_dimensions, tenon_padding_value padding, size_t rank,
                               tenon_shape **shape);
/* The elements stay the caller's. */
TENON_API TENON_MUST_USE tenon_status *tenon_shape_create_tuple(const tenon_shape *const *elements, size_t count,
                                                                tenon_shape **shape);
/* Reads "f32[2,3]", "f32[2,3]{0,1}", "(f32[], s32[4])". */
TENON_API TENON_MUST_USE tenon_status *tenon_shape_parse(const char *text, tenon_shape **shape);
/* A copy: of a shape that is part of something else, one of the caller's own. */
TENON_API TENON_MUST_USE tenon_status *tenon_shape_clone(const tenon_shape *original, tenon_shape **shape);
/* Frees a shape that a function made. NULL is allowed. */
TENON_API void tenon_shape_destroy(tenon_shape *shape);

/* What follows takes NULL, too: it has the invalid type, no dimensions, no elements and no bytes. */

/* The element type of an array; otherwise TENON_TUPLE, TENON_TOKEN or TENON_OPAQUE_TYPE. */
TENON_API tenon_element_type tenon_shape_element_type(const tenon_shape *shape);
/* The number of dimensions; 0 of a tuple. */
TENON_API size_t tenon_shape_rank(const tenon_shape *shape);
/* The sizes, `rank` of them; they live as long as the shape, as what the next two return. NULL of rank 0. */
TENON_API const int64_t *tenon_shape_dimensions(const tenon_shape *shape);
/* The layout's order, `rank` dimension numbers, the one that changes most rapidly first. NULL of rank 0, and of a
 * layout that is absent: row-major. */
TENON_API const int64_t *tenon_shape_minor_to_major(const tenon_shape *shape);
/* The sizes of the block of memory, `rank` of them. NULL of an array that is not padded. */
TENON_API const int64_t *tenon_shape_padded_dimensions(const tenon_shape *shape);
/* What lies in the padding; TENON_ZERO_PAD where the layout does not say. */
TENON_API tenon_padding_value tenon_shape_padding_value(const tenon_shape *shape);
/* The number of elements of a tuple; 0 of an array. */
TENON_API size_t tenon_shape_tuple_size(const tenon_shape *shape);
/* Part of the tuple's shape, and not to be destroyed; NULL where there is none. */
TENON_API const tenon_shape *tenon_shape_tuple_element(const tenon_shape *shape, size_t index);
/* Padding not counted; 0 of a tuple. */
TENON_API int64_t tenon_shape_element_count(const tenon_shape *shape);
/* The bytes of an array, padding counted, or of all arrays in a tuple. */
TENON_API int64_t tenon_shape_byte_size(const tenon_shape *shape);
/* Whether they are equal, layouts too, where an absent one means row-major. Two NULLs are. */
TENON_API bool tenon_shape_equal(const tenon_shape *a, const tenon_shape *b);
/* Whether they are equal but for layouts. Two NULLs are. */
TENON_API bool tenon_shape_compatible(const tenon_shape *a, const tenon_shape *b);
/* What tenon_shape_parse reads. Free it by tenon_free. NULL of NULL, and where there is no memory. */
TENON_API char *tenon_shape_to_string(const tenon_shape *shape, bool with_layout);

/* Frees text and bytes that a function handed out. NULL is allowed. */
TENON_API void tenon_free(void *memory);

#ifdef __cplusplus
}
#endif
#endif
