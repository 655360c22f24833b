// Programs through the plugin itself, whose forms no framework's own client lets pass.
#include "tenon/pjrt/custom_partitioner.h"
#include "tenon/pjrt/testing/api_fixture.h"

#include <cmath>

namespace tenon::pjrt {
namespace {

class ProgramsTest : public ApiTest {};

constexpr const char *kTuples = R"(
func.func @main(%t: tuple<tensor<2xf32>, tuple<tensor<1xf32>, tensor<3xf32>>>, %f: !stablehlo.future<tensor<2xf32>>)
    -> (!stablehlo.future<tensor<2xf32>>, tuple<tuple<tensor<1xf32>>, tensor<2xf32>>) {
  %x = stablehlo.get_tuple_element %t[0] : (tuple<tensor<2xf32>, tuple<tensor<1xf32>, tensor<3xf32>>>) -> tensor<2xf32>
  %rest = stablehlo.get_tuple_element %t[1]
      : (tuple<tensor<2xf32>, tuple<tensor<1xf32>, tensor<3xf32>>>) -> tuple<tensor<1xf32>, tensor<3xf32>>
  %n = stablehlo.get_tuple_element %rest[0] : (tuple<tensor<1xf32>, tensor<3xf32>>) -> tensor<1xf32>
  %y = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  %sum = stablehlo.add %x, %y : tensor<2xf32>
  %inner = stablehlo.tuple %n : tuple<tensor<1xf32>>
  %pair = stablehlo.tuple %inner, %sum : tuple<tuple<tensor<1xf32>>, tensor<2xf32>>
  return %f, %pair : !stablehlo.future<tensor<2xf32>>, tuple<tuple<tensor<1xf32>>, tensor<2xf32>>
})";

// The arrays inside, depth first, are arguments and results of their own.
TEST_F(ProgramsTest, TakeAndGiveTuplesAndFutures) {
  PJRT_LoadedExecutable *program = compile(kTuples);
  ASSERT_NE(program, nullptr);
  TENON_ARGS(PJRT_LoadedExecutable_GetExecutable, get);
  get.loaded_executable = program;
  TENON_CHECK(PJRT_LoadedExecutable_GetExecutable, get);
  TENON_ARGS(PJRT_Executable_OutputDimensions, sizes);
  sizes.executable = get.executable;
  TENON_CHECK(PJRT_Executable_OutputDimensions, sizes);
  ASSERT_EQ(sizes.num_outputs, 3u);
  EXPECT_EQ(std::vector<int64_t>(sizes.dims, sizes.dims + 3), (std::vector<int64_t>{2, 1, 2}));
  TENON_ARGS(PJRT_Executable_Destroy, end);
  end.executable = get.executable;
  TENON_CHECK(PJRT_Executable_Destroy, end);

  std::vector<PJRT_Buffer *> arguments = {put({1, 2}), put({-7}), put({0, 0, 0}), put({10, INFINITY})};
  std::vector<PJRT_Buffer *> results(3);
  PJRT_Buffer *const *argumentList = arguments.data();
  PJRT_Buffer **resultList = results.data();
  PJRT_Event *done = nullptr;
  PJRT_ExecuteOptions options{};
  options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
  TENON_ARGS(PJRT_LoadedExecutable_Execute, args);
  args.executable = program;
  args.options = &options;
  args.argument_lists = &argumentList;
  args.num_devices = 1;
  args.num_args = arguments.size();
  args.output_lists = &resultList;
  args.device_complete_events = &done;
  ASSERT_TRUE(TENON_CALL(PJRT_LoadedExecutable_Execute, args).ok());
  EXPECT_TRUE(awaitEvent(done).ok());
  EXPECT_EQ(getFloats(results[0], 2), (std::vector<float>{10, INFINITY}));
  EXPECT_EQ(getFloats(results[1], 1), (std::vector<float>{-7}));
  EXPECT_EQ(getFloats(results[2], 2), (std::vector<float>{11, INFINITY}));
  EXPECT_NE(run(program, {{arguments[0], arguments[3]}}).outcome.message.find("takes 4 arguments, 2 were given"),
            std::string::npos);
  for (const std::vector<PJRT_Buffer *> &buffers : {arguments, results})
    for (PJRT_Buffer *buffer : buffers)
      destroy(buffer);
  destroy(program);
}

TEST_F(ProgramsTest, NeedLayoutsThatCanBeRead) {
  PJRT_LoadedExecutable *program = nullptr;
  Outcome outcome = tryCompile(R"(
func.func @main(%x: tensor<2x3xf32> {mhlo.layout_mode = "{1,0:T(8,128)}"}) -> tensor<2x3xf32> {
  return %x : tensor<2x3xf32>
})",
                               "", &program);
  EXPECT_EQ(outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(outcome.message, "cannot read the layout '{1,0:T(8,128)}' of f32[2,3]");
}

// A framework whose callbacks are laid out otherwise starts, and who uses such a function is told.
TEST_F(ProgramsTest, AskNoCallbacksOfAnUnknownVersion) {
  const PJRT_Extension_Base *extension = loadApi()->extension_start;
  while (extension && extension->type != PJRT_Extension_Type_Custom_Partitioner)
    extension = extension->next;
  ASSERT_NE(extension, nullptr);
  static Partitioner_Callbacks callbacks{};
  callbacks.version = 7;
  std::string name = "cut_by_the_test";
  Partitioner_Register_Args args{sizeof(Partitioner_Register_Args), name.data(), name.size(), &callbacks};
  ASSERT_EQ(reinterpret_cast<const Partitioner_Extension *>(extension)->register_partitioner(&args), nullptr);
  PJRT_LoadedExecutable *program = nullptr;
  std::string options("\x1a\x06\x20\x01\x28\x02\x30\x01"); // 1 replica, 2 partitions of one program
  Outcome outcome = tryCompile(R"(
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @cut_by_the_test(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})",
                               options, &program);
  EXPECT_NE(outcome.message.find("the framework's callbacks are of version 7, only 0 is known"), std::string::npos)
      << outcome.message;
}

} // namespace
} // namespace tenon::pjrt
