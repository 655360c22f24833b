// What holds for every method that enqueues an operation (requirement inventory A1 to A3; SYS-32, 33): errors are kept
// and returned by Build, or end the process; and layouts and padding of arguments and results change no value.
#include "tenon/api/testing/builder_fixture.h"
#include "tenon/api/testing/methods.h"

#include <random>
#include <string_view>

namespace tenon::xla_2017 {
namespace {

using B = ComputationBuilder;
using Handle = ComputationDataHandle;

class EveryMethod : public BuilderTest {
protected:
  // Enqueues the method with that handle for all operands.
  Handle Enqueue(const Method &method, B &builder, const Handle &operand) {
    return method.enqueue(builder, std::vector<Handle>(method.operands.size(), operand), c_);
  }

  const std::vector<Method> methods_ = AllMethods();
  const Computations c_ = MakeComputations(client_);
};

TEST_F(EveryMethod, RejectsHandlesThatAreNotItsOwn) { // A1, A2
  B other(client_, "other");
  for (const Handle &handle : {Handle(), other.ConstantR0<float>(1)})
    for (const Method &method : methods_) {
      B builder(client_, "b");
      auto result = Enqueue(method, builder, handle);
      EXPECT_TRUE(FailsWith(builder, method.name, "not a value of this builder", "methods.cpp")) << method.name;
      EXPECT_FALSE(builder.GetShape(result).ok()) << method.name;
    }
  EXPECT_FALSE(b_.ComputeConstant(Handle()).ok());
}

TEST_F(EveryMethod, DoesNothingAfterAnError) { // A3
  auto bad = b_.Trans(b_.ConstantR1<float>({1}));
  for (const Method &method : methods_) {
    Enqueue(method, b_, bad);
    Enqueue(method, b_, Handle());
  }
  b_.Trace("bad", bad);
  EXPECT_TRUE(FailsWith(b_, "Trans", "operand must be a matrix"));
}

using EveryMethodDeathTest = EveryMethod;

TEST_F(EveryMethodDeathTest, EndsTheProcessOnRequest) { // A1, API-005
  b_.set_die_immediately_on_error(true);
  for (const Method &method : methods_)
    EXPECT_DEATH(Enqueue(method, b_, Handle()), std::string("test: ") + method.name + " at .*not a value of this");
}

TEST_F(EveryMethod, GivesTheSameInAnyLayout) { // SYS-32, 33
  std::mt19937 random(1);
  const char *remote = std::getenv("TENON_REMOTE_TEST");
  for (const Method &method : methods_) {
    if (remote && std::string_view(method.name) == "CustomCallOp")
      continue; // another process does not know functions of this one
    B builder(client_, method.name);
    std::vector<Handle> operands;
    std::vector<Literal> values;
    for (const Shape &shape : method.operands) {
      operands.push_back(builder.Parameter(static_cast<int64>(operands.size()), shape, "x"));
      values.push_back(SomeValue(shape, random));
    }
    Shape result = *builder.GetShape(method.enqueue(builder, operands, c_)).ConsumeValueOrDie();
    auto computation = builder.Build().ConsumeValueOrDie();
    auto run = [&](auto layout) {
      std::vector<std::unique_ptr<GlobalData>> data;
      std::vector<GlobalData *> pointers;
      for (const Literal &value : values) {
        data.push_back(client_->TransferToServer(value.Relayout(layout(value.shape()))).ConsumeValueOrDie());
        pointers.push_back(data.back().get());
      }
      ExecutionOptions options;
      options.seed = 7;
      options.result_shape = layout(result);
      auto literal = client_->ExecuteAndTransfer(*computation, pointers, &options).ConsumeValueOrDie();
      EXPECT_TRUE(ShapeUtil::Equal(literal->shape(), *options.result_shape)) << method.name;
      return std::move(*literal);
    };
    Literal expected = run([](const Shape &shape) { return shape; });
    EXPECT_EQ(run([](const Shape &shape) { return Turned(shape, false); }), expected) << method.name;
    EXPECT_EQ(run([](const Shape &shape) { return Turned(shape, true); }), expected) << method.name << ", padded";
  }
}

} // namespace
} // namespace tenon::xla_2017
