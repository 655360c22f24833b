/* Values on the host: arrays in any layout, and tuples of them. tenon/literal.h says more. Reading one from several
 * threads is safe; changing it needs it for oneself. */
#ifndef TENON_C_LITERAL_H
#define TENON_C_LITERAL_H

#include "tenon/c/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A value on the host: an array or a tuple. */
typedef struct tenon_literal tenon_literal;

/* All bits zero, padding as the layout says; the memory is aligned to 64 bytes. TENON_RESOURCE_EXHAUSTED where there is
 * none. */
TENON_API TENON_MUST_USE tenon_status *tenon_literal_create(const tenon_shape *shape, tenon_literal **literal);
/* A copy of `size` bytes, which lie as the shape of an array says, padding included. An error unless the type has these
 * bytes: 0 or 1 for PRED; types below 8 bits fill a byte, extended by their sign or by zeros. */
TENON_API TENON_MUST_USE tenon_status *tenon_literal_create_from(const tenon_shape *shape, const void *data,
                                                                 size_t size, tenon_literal **literal);
/* Looks at memory of the caller's, which must stay while the literal lives, aligned to its elements (a complex number
 * as its parts), with bytes that the type has. The literal is read only. */
TENON_API TENON_MUST_USE tenon_status *tenon_literal_borrow(const tenon_shape *shape, const void *data,
                                                            tenon_literal **literal);
/* Takes such memory over: `release`, unless NULL, is called with it when the literal ends, by whichever thread ends it.
 * After an error the memory is still the caller's. */
TENON_API TENON_MUST_USE tenon_status *tenon_literal_adopt(const tenon_shape *shape, void *data,
                                                           void (*release)(void *data, void *context), void *context,
                                                           tenon_literal **literal);
/* Takes the elements over: their handles are gone afterwards, and NULL in the array. After an error they are not. */
TENON_API TENON_MUST_USE tenon_status *tenon_literal_create_tuple(tenon_literal **elements, size_t count,
                                                                  tenon_literal **literal);
/* A scalar: the nearest value of the type, ties to even. */
TENON_API TENON_MUST_USE tenon_status *tenon_literal_from_double(tenon_element_type type, double value,
                                                                 tenon_literal **literal);
/* Always in memory of its own. */
TENON_API TENON_MUST_USE tenon_status *tenon_literal_clone(const tenon_literal *original, tenon_literal **literal);
/* Frees its memory, or calls the `release` of tenon_literal_adopt. Elements of tuples are not destroyed alone. NULL
 * is allowed. */
TENON_API void tenon_literal_destroy(tenon_literal *literal);

/* Part of the literal, and not to be destroyed. NULL of NULL. */
TENON_API const tenon_shape *tenon_literal_shape(const tenon_literal *literal);
/* The elements as they lie in memory, padding included. NULL of a tuple and of NULL. */
TENON_API const void *tenon_literal_data(const tenon_literal *literal);
/* The bytes there, padding included; 0 of a tuple and of NULL. */
TENON_API size_t tenon_literal_size(const tenon_literal *literal);
/* The same for writing; only bytes that the type has may be written. NULL of a literal that borrows, too. */
TENON_API void *tenon_literal_mutable_data(tenon_literal *literal);
/* The number of elements of a tuple; 0 of an array and of NULL. */
TENON_API size_t tenon_literal_tuple_size(const tenon_literal *literal);
/* Part of the tuple, and not to be destroyed; NULL where there is none. */
TENON_API const tenon_literal *tenon_literal_tuple_element(const tenon_literal *literal, size_t index);

/* The same array in the layout of a shape that is compatible with its own. */
TENON_API TENON_MUST_USE tenon_status *tenon_literal_relayout(const tenon_literal *original, const tenon_shape *shape,
                                                              tenon_literal **literal);
/* Elements converted as tenon_builder_convert_element_type does. */
TENON_API TENON_MUST_USE tenon_status *tenon_literal_convert(const tenon_literal *original, tenon_element_type type,
                                                             tenon_literal **literal);
/* The same elements in row-major order under other sizes. */
TENON_API TENON_MUST_USE tenon_status *tenon_literal_reshape(const tenon_literal *original, const int64_t *dimensions,
                                                             size_t rank, tenon_literal **literal);
/* Whether shapes are compatible and elements equal, as bits. Two NULLs are. */
TENON_API bool tenon_literal_equal(const tenon_literal *a, const tenon_literal *b);
/* "f32[2] {1, 2}"; long ones are shortened. Free it by tenon_free. NULL of NULL, and where there is no memory. */
TENON_API char *tenon_literal_to_string(const tenon_literal *literal);

/* Reads NumPy's file; `type` is TENON_INVALID_TYPE to take what the file says (tenon/literal.h, ReadNpy). */
TENON_API TENON_MUST_USE tenon_status *tenon_literal_read_npy(const char *path, tenon_element_type type,
                                                              tenon_literal **literal);
/* Writes an array, row-major, as NumPy's file; what NumPy has no name for as tenon/literal.h says (WriteNpy). */
TENON_API TENON_MUST_USE tenon_status *tenon_literal_write_npy(const tenon_literal *literal, const char *path);

#ifdef __cplusplus
}
#endif
#endif
