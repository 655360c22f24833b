#include "test/c_test.h"

#include <string.h>

TEST(Status, SuccessIsNull) {
  CHECK(tenon_status_code(NULL) == TENON_OK);
  CHECK_TEXT(tenon_status_message(NULL), "");
  tenon_status_destroy(NULL);
  CHECK_TEXT(tenon_code_name(TENON_OK), "OK");
  CHECK_TEXT(tenon_code_name(TENON_DEADLINE_EXCEEDED), "DEADLINE_EXCEEDED");
  CHECK_TEXT(tenon_code_name((tenon_code)99), "UNKNOWN");
}

TEST(Status, VersionIsThatOfTheHeader) {
  CHECK(tenon_c_version() == TENON_C_VERSION_MAJOR * 1000 + TENON_C_VERSION_MINOR);
}

/* Whatever an accessor is asked of nothing, there is an answer. */
TEST(Null, Accessors) {
  CHECK(tenon_shape_element_type(NULL) == TENON_INVALID_TYPE);
  CHECK(tenon_shape_rank(NULL) == 0 && tenon_shape_tuple_size(NULL) == 0);
  CHECK(!tenon_shape_dimensions(NULL) && !tenon_shape_minor_to_major(NULL) && !tenon_shape_padded_dimensions(NULL));
  CHECK(tenon_shape_padding_value(NULL) == TENON_ZERO_PAD);
  CHECK(!tenon_shape_tuple_element(NULL, 0) && !tenon_shape_to_string(NULL, true));
  CHECK(tenon_shape_element_count(NULL) == 0 && tenon_shape_byte_size(NULL) == 0);
  CHECK(tenon_shape_equal(NULL, NULL) && tenon_shape_compatible(NULL, NULL));
  CHECK(!tenon_literal_shape(NULL) && !tenon_literal_data(NULL) && !tenon_literal_mutable_data(NULL));
  CHECK(tenon_literal_size(NULL) == 0 && tenon_literal_tuple_size(NULL) == 0);
  CHECK(!tenon_literal_tuple_element(NULL, 0) && !tenon_literal_to_string(NULL));
  CHECK(tenon_literal_equal(NULL, NULL));
  CHECK_TEXT(tenon_computation_name(NULL), "");
  CHECK(tenon_computation_parameter_count(NULL) == 0 && !tenon_computation_parameter_shape(NULL, 0));
  CHECK(!tenon_computation_parameter_name(NULL, 0) && !tenon_computation_result_shape(NULL));
  CHECK_TEXT(tenon_client_platform_name(NULL), "");
  CHECK(tenon_client_device_count(NULL) == 0 && !tenon_data_shape(NULL));
  CHECK_TEXT(tenon_builder_name(NULL), "");
  CHECK(!tenon_builder_build_and_note_error(NULL) && !TENON_HERE(NULL));
  tenon_builder_set_die_immediately_on_error(NULL, true);
}

TEST(Null, Destroying) {
  tenon_shape_destroy(NULL);
  tenon_literal_destroy(NULL);
  tenon_computation_destroy(NULL);
  tenon_client_destroy(NULL);
  tenon_data_destroy(NULL);
  tenon_builder_destroy(NULL);
  tenon_free(NULL);
}

TEST(Null, ArgumentsAreNamed) {
  tenon_shape *shape = NULL;
  tenon_literal *literal = NULL;
  tenon_client *client = NULL;
  tenon_data *data = NULL;
  tenon_builder *builder = NULL;
  tenon_computation *computation = NULL;
  tenon_element_type type;
  CHECK_ERROR(tenon_element_type_parse(NULL, &type), TENON_INVALID_ARGUMENT, "name is NULL");
  CHECK_ERROR(tenon_shape_create(TENON_F32, NULL, 2, &shape), TENON_INVALID_ARGUMENT, "dimensions is NULL");
  CHECK_ERROR(tenon_shape_create(TENON_F32, NULL, 0, NULL), TENON_INVALID_ARGUMENT, "shape is NULL");
  CHECK_ERROR(tenon_shape_parse(NULL, &shape), TENON_INVALID_ARGUMENT, "text is NULL");
  CHECK_ERROR(tenon_shape_clone(NULL, &shape), TENON_INVALID_ARGUMENT, "original is NULL");
  CHECK_ERROR(tenon_literal_create(NULL, &literal), TENON_INVALID_ARGUMENT, "shape is NULL");
  CHECK_ERROR(tenon_literal_clone(NULL, &literal), TENON_INVALID_ARGUMENT, "original is NULL");
  CHECK_ERROR(tenon_literal_write_npy(NULL, "x.npy"), TENON_INVALID_ARGUMENT, "literal is NULL");
  CHECK_ERROR(tenon_client_create_local(NULL, NULL), TENON_INVALID_ARGUMENT, "client is NULL");
  CHECK_ERROR(tenon_client_connect(NULL, NULL, &client), TENON_INVALID_ARGUMENT, "address is NULL");
  CHECK_ERROR(tenon_client_transfer(NULL, NULL, NULL, &literal), TENON_INVALID_ARGUMENT, "client is NULL");
  CHECK_ERROR(tenon_client_execute(NULL, NULL, NULL, 0, NULL, &data), TENON_INVALID_ARGUMENT, "client is NULL");
  CHECK_ERROR(tenon_computation_from_stablehlo(NULL, 10, NULL, &computation), TENON_INVALID_ARGUMENT,
              "program is NULL");
  CHECK_ERROR(tenon_builder_create(NULL, "name", &builder), TENON_INVALID_ARGUMENT, "client is NULL");
  CHECK_ERROR(tenon_builder_build(NULL, &computation), TENON_INVALID_ARGUMENT, "builder is NULL");
  CHECK_ERROR(tenon_builder_first_error(NULL), TENON_INVALID_ARGUMENT, "builder is NULL");
  CHECK(tenon_builder_infeed(NULL, NULL).id == 0);
}
