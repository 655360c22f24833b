// Requests in JSON and in messages of gRPC, and what is wrong with some.
#include "tenon/server/kserve/grpc_messages.h"
#include "tenon/server/kserve/json_messages.h"
#include "tenon/server/kserve/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace tenon::kserve {
namespace {

using program::ElementType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

StatusOr<InferRequest> readAll(const std::string &json, const std::string &binary = "") {
  return readInferRequest(json + binary, json.size());
}
std::string errorOf(const std::string &json, const std::string &binary = "") {
  return readAll(json, binary).status().message();
}
std::string input(const std::string &fields) { return R"({"inputs": [{"name": "x", )" + fields + "}]}"; }

template <typename T> std::vector<T> elementsOf(const Tensor &tensor) {
  std::vector<T> elements(tensor.bytes.size() / sizeof(T));
  std::memcpy(elements.data(), tensor.bytes.data(), tensor.bytes.size());
  return elements;
}

TEST(JsonMessagesTest, ReadsElementsOfNestedArrays) {
  auto request = readAll(R"({"id": "7", "inputs": [
    {"name": "x", "shape": [2, 2], "datatype": "FP32", "data": [[1, -2.5], [3e2, 0]]},
    {"data": [255, 0], "datatype": "UINT8", "shape": [2], "name": "y"}], "outputs": [{"name": "z"}]})")
                     .ConsumeValueOrDie();
  EXPECT_EQ(request.id, "7");
  ASSERT_EQ(request.inputs.size(), 2);
  EXPECT_EQ(request.inputs[0].shape, (program::Shape{ElementType::kF32, {2, 2}}));
  EXPECT_THAT(elementsOf<float>(request.inputs[0]), ElementsAre(1, -2.5F, 300, 0));
  EXPECT_THAT(elementsOf<uint8_t>(request.inputs[1]), ElementsAre(255, 0));
  ASSERT_EQ(request.outputs.size(), 1);
  EXPECT_FALSE(request.outputs[0].isBinary);
}

TEST(JsonMessagesTest, ReadsExtremeElements) {
  auto wide =
      readAll(input(R"("shape": [2], "datatype": "INT64", "data": [-9223372036854775808, 9223372036854775807])"));
  EXPECT_THAT(elementsOf<int64_t>(wide->inputs[0]), ElementsAre(INT64_MIN, INT64_MAX));
  auto largest = readAll(input(R"("shape": [1], "datatype": "UINT64", "data": [18446744073709551615])"));
  EXPECT_THAT(elementsOf<uint64_t>(largest->inputs[0]), ElementsAre(UINT64_MAX));
  auto small = readAll(input(R"("shape": [2], "datatype": "FP32", "data": [1e-45, -0.0])"));
  EXPECT_EQ(elementsOf<float>(small->inputs[0])[0], std::numeric_limits<float>::denorm_min());
  EXPECT_TRUE(std::signbit(elementsOf<float>(small->inputs[0])[1]));
  auto half = readAll(input(R"("shape": [2], "datatype": "FP16", "data": [65504, -1.5])"));
  EXPECT_THAT(elementsOf<uint16_t>(half->inputs[0]), ElementsAre(0x7bff, 0xbe00));
  auto none = readAll(input(R"("shape": [0, 3], "datatype": "FP32", "data": [])"));
  EXPECT_EQ(none->inputs[0].bytes, "");
}

TEST(JsonMessagesTest, ReadsBinaryDataInOrder) {
  auto request = readAll(R"({"parameters": {"binary_data_output": true, "timeout": 5}, "inputs": [
    {"name": "x", "shape": [3], "datatype": "INT8", "parameters": {"binary_data_size": 3}},
    {"name": "y", "shape": [1], "datatype": "BOOL", "data": [true]},
    {"name": "z", "shape": [2], "datatype": "INT8", "parameters": {"binary_data_size": 2}}],
    "outputs": [{"name": "a"}, {"name": "b", "parameters": {"binary_data": false}}]})",
                         "abcde")
                     .ConsumeValueOrDie();
  EXPECT_EQ(request.inputs[0].bytes, "abc");
  EXPECT_EQ(request.inputs[1].bytes, "\1");
  EXPECT_EQ(request.inputs[2].bytes, "de");
  EXPECT_TRUE(request.outputs[0].isBinary);
  EXPECT_FALSE(request.outputs[1].isBinary);
  EXPECT_TRUE(request.deadline.has_value());
}

TEST(JsonMessagesTest, NamesWhatIsWrong) {
  EXPECT_THAT(errorOf("{\"inputs\": ["), HasSubstr("the request is no JSON: it goes wrong at byte 13"));
  EXPECT_EQ(errorOf("[]"), "the request must be an object");
  EXPECT_EQ(errorOf("{}"), "the inputs of the request must be an array");
  EXPECT_EQ(errorOf(R"({"inputs": [], "id": 5})"), "the id of the request must be a string");
  EXPECT_EQ(errorOf(R"({"inputs": [{}]})"), "an input has no name");
  EXPECT_EQ(errorOf(input(R"("shape": [1])")), "input 'x' has no datatype of the protocol, but ''");
  EXPECT_THAT(errorOf(input(R"("shape": [1], "datatype": "BYTES", "data": []")")), HasSubstr("no JSON"));
  EXPECT_THAT(errorOf(input(R"("shape": [1], "datatype": "BYTES", "data": [])")), HasSubstr("the datatype BYTES"));
  EXPECT_EQ(errorOf(input(R"("shape": 3, "datatype": "FP32", "data": [1])")),
            "the shape of input 'x' must be an array of integers");
  EXPECT_EQ(errorOf(input(R"("shape": [1.5], "datatype": "FP32", "data": [1])")),
            "a size of input 'x' must be an integer");
  EXPECT_EQ(errorOf(input(R"("shape": [1], "datatype": "FP32")")),
            "input 'x' must have either data or the parameter binary_data_size");
  EXPECT_EQ(errorOf(input(R"("shape": [1], "datatype": "FP32", "data": 0)")),
            "the data of input 'x' must be an array of numbers");
  EXPECT_EQ(errorOf(input(R"("shape": [1], "datatype": "FP32", "data": ["1"])")),
            "the data of an input are numbers, and there is a string");
  EXPECT_EQ(errorOf(input(R"("shape": [1], "datatype": "UINT8", "data": [256])")),
            "element 0 of input 'x' is no value of UINT8");
  EXPECT_EQ(errorOf(input(R"("shape": [1], "datatype": "INT32", "data": [1.5])")),
            "element 0 of input 'x' is no value of INT32");
  EXPECT_EQ(errorOf(input(R"("shape": [1], "datatype": "BOOL", "data": [1])")),
            "element 0 of input 'x' is no value of BOOL");
  EXPECT_EQ(errorOf(input(R"("shape": [1], "datatype": "FP32", "data": [1e39])")),
            "element 0 of input 'x' is no value of FP32");
  EXPECT_EQ(errorOf(input(R"("shape": [1], "datatype": "FP16", "data": [1e5])")),
            "element 0 of input 'x' is no value of FP16");
  EXPECT_EQ(errorOf(input(R"("shape": [1], "datatype": "INT8", "parameters": {"shared_memory_region": "r"})")),
            "input 'x' has a parameter that the server does not know: 'shared_memory_region'");
  EXPECT_EQ(errorOf(R"({"inputs": [], "parameters": {"sequence_id": 1}})"),
            "the request has a parameter that the server does not know: 'sequence_id'");
  EXPECT_EQ(errorOf(R"({"inputs": [], "parameters": {"timeout": -1}})"),
            "a timeout is a number of microseconds, and not -1");
}

TEST(JsonMessagesTest, NamesBinaryDataThatIsCut) {
  std::string json = input(R"("shape": [4], "datatype": "INT8", "parameters": {"binary_data_size": 4})");
  EXPECT_EQ(errorOf(json, "abc"), "input 'x' is to have 4 bytes of binary data, and 3 are left of the body");
  EXPECT_EQ(errorOf(json, "abcde"), "the body has 1 bytes more than its inputs take");
  EXPECT_EQ(readInferRequest(json, json.size() + 1).status().message(), "the body has " + std::to_string(json.size()) +
                                                                            " bytes, and its JSON is to have " +
                                                                            std::to_string(json.size() + 1));
  EXPECT_THAT(errorOf(input(R"("shape": [4], "datatype": "INT8", "parameters": {"binary_data_size": -1})")),
              HasSubstr("is to have -1 bytes"));
}

// Values beside the elements of tensors are few, whatever comes.
TEST(JsonMessagesTest, TakesNoMoreThanARequestHas) {
  EXPECT_THAT(errorOf(std::string(1 << 20, '[')), HasSubstr("nested more than 16 deep"));
  std::string many = R"({"inputs": [)";
  for (int i = 0; i < 70000; ++i)
    many += "1,";
  EXPECT_THAT(errorOf(many + "1]}"), HasSubstr("more than 65536 values"));
  std::string deep =
      input(R"("shape": [0], "datatype": "INT8", "data": )" + std::string(100000, '[') + std::string(100000, ']'));
  EXPECT_TRUE(readAll(deep).ok());
}

TEST(JsonMessagesTest, WritesResponses) {
  InferResponse response{"m", "3", "id", {}};
  response.outputs.push_back({"a", {ElementType::kI8, {2}}, "\xff\x01"});
  response.outputs.push_back({"b", {ElementType::kI1, {2}}, std::string("\0\1", 2)});
  InferRequest request;
  auto body = writeInferResponse(response, request).ConsumeValueOrDie();
  EXPECT_EQ(body.text, R"({"model_name":"m","model_version":"3","id":"id","outputs":[)"
                       R"({"name":"a","datatype":"INT8","shape":[2],"data":[-1,1]},)"
                       R"({"name":"b","datatype":"BOOL","shape":[2],"data":[false,true]}]})");
  EXPECT_EQ(body.jsonBytes, body.text.size());
  request.outputs = {{"a", true}, {"b", false}};
  body = writeInferResponse(response, request).ConsumeValueOrDie();
  EXPECT_THAT(body.text.substr(0, body.jsonBytes), HasSubstr(R"("parameters":{"binary_data_size":2}})"));
  EXPECT_EQ(body.text.substr(body.jsonBytes), "\xff\x01");
}

TEST(JsonMessagesTest, WritesFloatsThatReadBack) {
  for (float value : {0.1F, -0.0F, 1e-45F, 3.4028235e38F, 16777217.0F}) {
    Tensor tensor{"x", {ElementType::kF32, {1}}, std::string(reinterpret_cast<const char *>(&value), sizeof value)};
    auto body = writeInferResponse({"m", "1", "", {tensor}}, {}).ConsumeValueOrDie();
    std::string json = body.text;
    json.replace(json.find("\"outputs\""), 9, "\"inputs\"");
    json = "{" + json.substr(json.find("\"inputs\""));
    EXPECT_EQ(readAll(json)->inputs[0].bytes, tensor.bytes) << body.text;
  }
  float infinity = INFINITY;
  Tensor tensor{"x", {ElementType::kF32, {1}}, std::string(reinterpret_cast<const char *>(&infinity), 4)};
  EXPECT_EQ(writeInferResponse({"m", "1", "", {tensor}}, {}).status().message(),
            "element 0 of output 'x' is an infinity or NaN, which JSON has none of: ask for binary data");
}

// --- gRPC ---

inference::ModelInferRequest message(const std::string &datatype) {
  inference::ModelInferRequest message;
  message.set_model_name("m");
  auto &input = *message.add_inputs();
  input.set_name("x");
  input.set_datatype(datatype);
  input.add_shape(2);
  return message;
}
std::string errorOf(inference::ModelInferRequest message) { return takeInferRequest(message).status().message(); }

TEST(GrpcMessagesTest, ReadsContentsOfBothForms) {
  auto raw = message("INT16");
  raw.add_raw_input_contents("abcd");
  EXPECT_EQ(takeInferRequest(raw)->inputs[0].bytes, "abcd");
  auto typed = message("INT16");
  typed.mutable_inputs(0)->mutable_contents()->add_int_contents(-32768);
  typed.mutable_inputs(0)->mutable_contents()->add_int_contents(32767);
  EXPECT_THAT(elementsOf<int16_t>(takeInferRequest(typed)->inputs[0]), ElementsAre(INT16_MIN, INT16_MAX));
}

TEST(GrpcMessagesTest, NamesWhatIsWrong) {
  auto narrow = message("UINT8");
  narrow.mutable_inputs(0)->mutable_contents()->add_uint_contents(256);
  EXPECT_EQ(errorOf(narrow), "input 'x' has the element 256, which is no value of UINT8");
  EXPECT_THAT(errorOf(message("FP16")), HasSubstr("must be in raw_input_contents"));
  auto two = message("INT8");
  two.add_raw_input_contents("ab");
  two.add_raw_input_contents("ab");
  EXPECT_EQ(errorOf(two), "the request has 1 inputs and 2 raw_input_contents");
  auto unnamed = message("INT8");
  unnamed.mutable_inputs(0)->clear_name();
  EXPECT_EQ(errorOf(unnamed), "an input has no name");
  auto both = message("INT8");
  both.add_raw_input_contents("ab");
  both.mutable_inputs(0)->mutable_contents()->add_int_contents(1);
  EXPECT_EQ(errorOf(both), "input 'x' has contents beside raw_input_contents");
  auto shared = message("INT8");
  (*shared.mutable_inputs(0)->mutable_parameters())["shared_memory_region"].set_string_param("r");
  EXPECT_EQ(errorOf(shared), "input 'x' has a parameter that the server does not know: 'shared_memory_region'");
}

// --- Both ---

TEST(TensorTest, SizesAreChecked) {
  auto errorOf = [](std::vector<int64_t> dims, std::string bytes, ElementType type = ElementType::kI8) {
    return checkTensor({"x", {type, std::move(dims)}, std::move(bytes)}).message();
  };
  EXPECT_EQ(errorOf({2, 1}, "ab"), "");
  EXPECT_EQ(errorOf({}, "a"), "");
  EXPECT_EQ(errorOf({0, INT64_MAX, INT64_MAX}, ""), "");
  EXPECT_EQ(errorOf({3}, "ab"), "input 'x' has 2 bytes of data, and INT8[3] takes 3");
  EXPECT_THAT(errorOf({-1}, ""), HasSubstr("a size below zero"));
  EXPECT_THAT(errorOf({INT64_MAX, 2}, ""), HasSubstr("more elements than can be counted"));
  EXPECT_THAT(errorOf({2}, "\1\2", ElementType::kI1), HasSubstr("neither 0 nor 1"));
}

TEST(TensorTest, VersionsAreNumbers) {
  EXPECT_EQ(*parseVersion(""), 0);
  EXPECT_EQ(*parseVersion("12"), 12);
  for (const char *text : {"0", "-1", "01", "1a", " 1", "99999999999999999999"})
    EXPECT_FALSE(parseVersion(text).ok()) << text;
}

} // namespace
} // namespace tenon::kserve
