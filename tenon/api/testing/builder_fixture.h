// What tests of builders share: a builder, and running what it has built.
#pragma once

#include "tenon/computation_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace tenon::xla_2017 {

class BuilderTest : public ::testing::Test {
protected:
  using Handle = ComputationDataHandle;

  // The result of what `builder` has enqueued, run with the arguments.
  Literal Run(ComputationBuilder &builder, const std::vector<const Literal *> &arguments = {}) {
    auto computation = builder.Build();
    if (!computation.ok()) {
      ADD_FAILURE() << computation.status().ToString();
      return Literal();
    }
    std::vector<std::unique_ptr<GlobalData>> data;
    std::vector<GlobalData *> pointers;
    for (const Literal *argument : arguments) {
      data.push_back(client_->TransferToServer(*argument).ConsumeValueOrDie());
      pointers.push_back(data.back().get());
    }
    auto result = client_->ExecuteAndTransfer(**computation, pointers);
    if (!result.ok()) {
      ADD_FAILURE() << result.status().ToString();
      return Literal();
    }
    return std::move(**result);
  }
  Literal Run(const std::vector<const Literal *> &arguments = {}) { return Run(b_, arguments); }

  // The shape of a value as text.
  std::string ShapeOf(const Handle &handle) {
    auto shape = b_.GetShape(handle);
    return shape.ok() ? ShapeUtil::HumanString(**shape) : shape.status().ToString();
  }

  Shape F32Shape(const std::vector<int64> &sizes) { return ShapeUtil::MakeShape(F32, sizes); }

  // A computation of two scalars of T.
  template <typename Enqueue> std::unique_ptr<Computation> Binary(PrimitiveType type, Enqueue enqueue) {
    ComputationBuilder builder(client_, "binary");
    auto x = builder.Parameter(0, ShapeUtil::MakeShape(type, {}), "x");
    auto y = builder.Parameter(1, ShapeUtil::MakeShape(type, {}), "y");
    enqueue(builder, x, y);
    return builder.Build().ConsumeValueOrDie();
  }
  std::unique_ptr<Computation> Adder(PrimitiveType type = F32) {
    return Binary(type, [](ComputationBuilder &b, Handle x, Handle y) { b.Add(x, y); });
  }

  Client *client_ = ClientLibrary::ClientLibraryOrDie();
  ComputationBuilder b_{client_, "test"};
};

// An error of a builder names the computation, the method, the place of the call, and what is wrong.
inline ::testing::AssertionResult FailsWith(ComputationBuilder &builder, const std::string &method,
                                            const std::string &message, const std::string &file = "_test.cpp") {
  auto computation = builder.Build();
  if (computation.ok())
    return ::testing::AssertionFailure() << "it was built";
  const std::string &text = computation.status().message();
  for (const std::string &part : {builder.name() + ": " + method + " at ", file + ":", message})
    if (text.find(part) == std::string::npos)
      return ::testing::AssertionFailure() << "'" << part << "' is not in '" << text << "'";
  return ::testing::AssertionSuccess();
}

} // namespace tenon::xla_2017
