// Gradients by the operations that the documents give for them (requirement inventory SYS-52), against differences of
// the function. All functions here are piecewise linear and all numbers whole, so that both are exact.
#include "tenon/api/testing/builder_fixture.h"

#include <functional>

namespace tenon::xla_2017 {
namespace {

using Handle = ComputationDataHandle;

class Gradient : public BuilderTest {
protected:
  // That of a computation's scalar result by element i of its parameter at `which`, from `step` more.
  float Difference(const Computation &loss, const std::vector<const Literal *> &arguments, size_t which, int64 i) {
    auto at = [&](float step) {
      std::vector<std::unique_ptr<GlobalData>> data;
      std::vector<GlobalData *> pointers;
      for (size_t k = 0; k < arguments.size(); ++k) {
        Literal value = arguments[k]->Clone();
        if (k == which)
          value.mutable_data<float>()[i] += step;
        data.push_back(client_->TransferToServer(value).ConsumeValueOrDie());
        pointers.push_back(data.back().get());
      }
      return client_->ExecuteAndTransfer(loss, pointers).ConsumeValueOrDie()->Get<float>({});
    };
    return at(1) - at(0);
  }

  void ExpectGradient(const Literal &gradient, const Computation &loss, const std::vector<const Literal *> &arguments,
                      size_t which) {
    ASSERT_TRUE(ShapeUtil::Compatible(gradient.shape(), arguments[which]->shape()));
    for (int64 i = 0; i < ShapeUtil::ElementsIn(gradient.shape()); ++i)
      EXPECT_EQ(gradient.data<float>()[static_cast<size_t>(i)], Difference(loss, arguments, which, i)) << i;
  }

  // The sum of the products of a value and weights.
  Handle Weighted(ComputationBuilder &b, const Handle &value, const Handle &weights, gtl::ArraySlice<int64> all) {
    return b.Reduce(b.Mul(value, weights), b.ConstantR0<float>(0), *add_, all);
  }

  Literal Numbers(const std::vector<int64> &sizes, const std::function<int64(int64)> &value) {
    Literal literal(F32Shape(sizes));
    for (int64 i = 0; i < ShapeUtil::ElementsIn(literal.shape()); ++i)
      literal.mutable_data<float>()[i] = static_cast<float>(value(i));
    return literal;
  }

  std::unique_ptr<Computation> add_ = Adder();
};

TEST_F(Gradient, OfPoolingIsSelectAndScatter) {
  auto max = Binary(F32, [](ComputationBuilder &b, Handle x, Handle y) { b.Max(x, y); });
  auto select = Binary(F32, [](ComputationBuilder &b, Handle x, Handle y) { b.Ge(x, y); });
  // All differ by more than the step, and windows overlap.
  Literal x = Numbers({5, 7}, [](int64 i) { return 4 * (i * 11 % 35); });
  Literal weights = Numbers({2, 3}, [](int64 i) { return i - 2; });
  ComputationBuilder loss(client_, "loss");
  auto pooled = loss.ReduceWindow(loss.Parameter(0, x.shape(), "x"), loss.ConstantLiteral(LiteralUtil::MinValue(F32)),
                                  *max, {3, 3}, {2, 2}, Padding::kValid);
  Weighted(loss, pooled, loss.Parameter(1, weights.shape(), "weights"), {0, 1});
  auto operand = b_.Parameter(0, x.shape(), "x"), source = b_.Parameter(1, weights.shape(), "weights");
  b_.SelectAndScatter(operand, *select, {3, 3}, {2, 2}, Padding::kValid, source, b_.ConstantR0<float>(0), *add_);
  ExpectGradient(Run({&x, &weights}), *loss.Build().ConsumeValueOrDie(), {&x, &weights}, 0);
}

class ConvolutionGradient : public Gradient {
protected:
  ConvolutionGradient() {
    ComputationBuilder loss(client_, "loss");
    auto y = loss.Conv(loss.Parameter(0, x_.shape(), "x"), loss.Parameter(1, kernel_.shape(), "kernel"), {1, 1},
                       Padding::kValid);
    Weighted(loss, y, loss.Parameter(2, weights_.shape(), "weights"), {0, 1, 2, 3});
    loss_ = loss.Build().ConsumeValueOrDie();
  }

  Literal x_ = Numbers({2, 2, 4, 5}, [](int64 i) { return i * 7 % 11 - 5; });
  Literal kernel_ = Numbers({3, 2, 2, 3}, [](int64 i) { return i * 5 % 9 - 4; });
  Literal weights_ = Numbers({2, 3, 3, 3}, [](int64 i) { return i * 3 % 7 - 3; });
  std::unique_ptr<Computation> loss_;
};

// xla-preview-2017, Rev: "One use for the Rev operation is to reverse the convolution weight array along the two window
// dimensions during the gradient computation in neural networks".
TEST_F(ConvolutionGradient, ByTheInputReversesTheKernel) {
  auto kernel = b_.Rev(b_.Parameter(0, kernel_.shape(), "kernel"), {2, 3});
  auto weights = b_.Parameter(1, weights_.shape(), "weights");
  auto turned = ComputationBuilder::CreateConvDimensionNumbers(0, 1, 2, 3, 1, 0, 2, 3).ConsumeValueOrDie();
  b_.ConvGeneral(weights, kernel, {1, 1}, {{1, 1}, {2, 2}}, turned);
  ExpectGradient(Run({&kernel_, &weights_}), *loss_, {&x_, &kernel_, &weights_}, 0);
}

TEST_F(ConvolutionGradient, ByTheKernelConvolvesTheInput) {
  auto x = b_.Parameter(0, x_.shape(), "x"), weights = b_.Parameter(1, weights_.shape(), "weights");
  // Features take the batch's place in both: the result is [input feature, output feature, y, x].
  auto turned = ComputationBuilder::CreateConvDimensionNumbers(1, 0, 2, 3, 1, 0, 2, 3).ConsumeValueOrDie();
  b_.ConvGeneral(x, weights, {1, 1}, {{0, 0}, {0, 0}}, turned);
  ExpectGradient(Run({&x_, &weights_}), *loss_, {&x_, &kernel_, &weights_}, 1);
}

} // namespace
} // namespace tenon::xla_2017
