// Causal attention with several heads, built in C++ with tenon/ops.h, run, and compared with plain loops.
//
//   attention [rows]
#include "tenon/client.h"
#include "tenon/ops.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace ops = tenon::ops;
using tenon::Value;

constexpr std::int64_t kHeads = 4, kSize = 16;

// softmax(q k' / sqrt(size) + mask) v, for each head; [heads, rows, size] in and out.
static Value attention(tenon::ProgramBuilder &builder, Value q, Value k, Value v) {
  std::int64_t rows = q.sizes()[1];
  ops::DotDimensionNumbers scores, values;
  scores.lhs_batching_dimensions = scores.rhs_batching_dimensions = {0};
  scores.lhs_contracting_dimensions = scores.rhs_contracting_dimensions = {2};
  values.lhs_batching_dimensions = values.rhs_batching_dimensions = {0};
  values.lhs_contracting_dimensions = {2};
  values.rhs_contracting_dimensions = {1};

  Value weights = ops::dot_general(q, k, scores) / std::sqrt(static_cast<double>(kSize));
  // A row sees what is not behind it.
  tenon::Type indices("i32", {rows, rows});
  Value seen = (ops::iota(builder, 0, indices) >= ops::iota(builder, 1, indices)).broadcastTo(weights.sizes());
  weights = ops::select(seen, weights, weights.like(-std::numeric_limits<double>::infinity()));

  Value top = ops::reduce(weights, builder.constant(-std::numeric_limits<float>::infinity()), {2},
                          [](Value a, Value b) { return ops::maximum(a, b); });
  Value e = ops::exponential(weights - top.broadcastTo(weights.sizes(), {0, 1}));
  Value sum = ops::reduce(e, builder.constant(0.0f), {2}, [](Value a, Value b) { return a + b; });
  return ops::dot_general(e / sum.broadcastTo(e.sizes(), {0, 1}), v, values);
}

static std::vector<float> expected(const float *q, const float *k, const float *v, std::int64_t rows) {
  std::vector<float> out(static_cast<std::size_t>(kHeads * rows * kSize));
  for (std::int64_t h = 0; h < kHeads; ++h)
    for (std::int64_t i = 0; i < rows; ++i) {
      std::vector<double> weights;
      double sum = 0;
      for (std::int64_t j = 0; j <= i; ++j) {
        double dot = 0;
        for (std::int64_t d = 0; d < kSize; ++d)
          dot += static_cast<double>(q[(h * rows + i) * kSize + d]) * k[(h * rows + j) * kSize + d];
        weights.push_back(std::exp(dot / std::sqrt(static_cast<double>(kSize))));
        sum += weights.back();
      }
      for (std::int64_t d = 0; d < kSize; ++d) {
        double value = 0;
        for (std::int64_t j = 0; j <= i; ++j)
          value += weights[static_cast<std::size_t>(j)] / sum * v[(h * rows + j) * kSize + d];
        out[static_cast<std::size_t>((h * rows + i) * kSize + d)] = static_cast<float>(value);
      }
    }
  return out;
}

int main(int argc, char **argv) {
  std::int64_t rows = argc > 1 ? std::atoll(argv[1]) : 32;
  tenon::ProgramBuilder builder("attention");
  tenon::Type type("f32", {kHeads, rows, kSize});
  Value q = builder.parameter(type, "q"), k = builder.parameter(type, "k"), v = builder.parameter(type, "v");
  auto computation = builder.build(attention(builder, q, k, v));
  if (!computation.ok()) {
    std::fprintf(stderr, "%s\n", computation.status().ToString().c_str());
    return 1;
  }

  xla::Client *client = xla::ClientLibrary::ClientLibraryOrDie();
  xla::Shape shape = xla::ShapeUtil::MakeShape(xla::F32, {kHeads, rows, kSize});
  std::vector<xla::Literal> arguments;
  std::vector<std::unique_ptr<xla::GlobalData>> data;
  std::vector<xla::GlobalData *> given;
  for (int i = 0; i < 3; ++i) {
    arguments.emplace_back(shape);
    for (std::int64_t j = 0; j < kHeads * rows * kSize; ++j)
      arguments.back().mutable_data<float>()[j] = static_cast<float>(std::sin(static_cast<double>(j) * (i + 1)));
    data.push_back(client->TransferToServer(arguments.back()).ConsumeValueOrDie());
    given.push_back(data.back().get());
  }
  auto result = client->ExecuteAndTransfer(*computation, given).ConsumeValueOrDie();

  auto right = expected(arguments[0].data<float>().data(), arguments[1].data<float>().data(),
                        arguments[2].data<float>().data(), rows);
  double difference = 0;
  for (std::size_t i = 0; i < right.size(); ++i)
    difference = std::fmax(difference, std::fabs(result->data<float>()[i] - right[i]));
  std::printf("attention of %lld rows: largest difference %.1e\n", static_cast<long long>(rows), difference);
  return difference < 1e-5 ? 0 : 1;
}
