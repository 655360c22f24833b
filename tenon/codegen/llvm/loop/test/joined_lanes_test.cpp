// Vectors over the last two dimensions of a map kernel together.
#include "tenon/codegen/llvm/loop/test/check_testing.h"

#include "gtest/gtest.h"

using namespace tenon;
using namespace tenon::codegen::testing;

namespace {

// Last dimensions that fill vectors in one, three, five and seven of them, and longer ones of which vectors without
// masks leave something; rows with and without a remainder, in one task and in several.
constexpr int64_t kInner[] = {2, 3, 4, 5, 6, 7, 8, 12, 15}, kOuter[] = {32, 101, 30011};

std::string tensor(const std::string &shape) { return "tensor<" + shape + "xf32>"; }
std::string dims(int64_t outer, int64_t inner) { return std::to_string(outer) + "x" + std::to_string(inner); }

void forEachShape(llvm::function_ref<void(int64_t outer, int64_t inner)> body) {
  for (int64_t inner : kInner)
    for (int64_t outer : kOuter)
      body(outer, inner);
}

TEST(LoopJoinedLanes, BroadcastAlongEither) {
  forEachShape([](int64_t outer, int64_t inner) {
    std::string n = std::to_string(outer), m = std::to_string(inner), t = tensor(dims(outer, inner));
    checkFusion("loop", {dims(outer, inner) + "xf32", n + "xf32", m + "xf32"},
                "%0 = stablehlo.broadcast_in_dim %b, dims = [0] : (" + tensor(n) + ") -> " + t +
                    "\n%1 = stablehlo.broadcast_in_dim %c, dims = [1] : (" + tensor(m) + ") -> " + t +
                    "\n%2 = stablehlo.multiply %a, %0 : " + t + "\n%3 = stablehlo.add %2, %1 : " + t,
                "%3", t, {.magnitudeUlps = 1});
  });
}

TEST(LoopJoinedLanes, OtherElements) {
  for (const char *type : {"i8", "ui8", "i16", "bf16", "i1", "f64"})
    for (int64_t inner : {3, 4}) {
      std::string m = std::to_string(inner), in = "tensor<515x" + m + "x" + type + ">", t = tensor("515x" + m);
      checkFusion("loop", {"515x" + m + "x" + type, m + "xf32"},
                  "%0 = stablehlo.convert %a : (" + in + ") -> " + t +
                      "\n%1 = stablehlo.broadcast_in_dim %b, dims = [1] : (" + tensor(m) + ") -> " + t +
                      "\n%2 = stablehlo.add %0, %1 : " + t,
                  "%2", t, {.magnitudeUlps = 1});
    }
}

TEST(LoopJoinedLanes, Repetition) {
  forEachShape([](int64_t outer, int64_t inner) {
    std::string t = tensor(dims(outer, inner));
    check("%x: " + tensor(std::to_string(outer)), t,
          "%r = stablehlo.broadcast_in_dim %x, dims = [0] : (" + tensor(std::to_string(outer)) + ") -> " + t +
              "\nreturn %r : " + t);
  });
}

TEST(LoopJoinedLanes, ReverseAndTranspose) {
  forEachShape([](int64_t outer, int64_t inner) {
    std::string t = tensor(dims(outer, inner)), transposed = tensor(dims(inner, outer));
    check("%x: " + t, t, "%r = stablehlo.reverse %x, dims = [1] : " + t + "\nreturn %r : " + t);
    check("%x: " + transposed, t,
          "%r = stablehlo.transpose %x, dims = [1, 0] : (" + transposed + ") -> " + t + "\nreturn %r : " + t);
  });
}

// Conditions on the inner dimension are constants of each lane.
TEST(LoopJoinedLanes, PaddingAndConcatenation) {
  forEachShape([](int64_t outer, int64_t inner) {
    std::string t = tensor(dims(outer, inner)), part = tensor(dims(outer, inner - 1)), one = tensor(dims(outer, 1));
    check("%x: " + part + ", %z: tensor<f32>", t,
          "%r = stablehlo.pad %x, %z, low = [0, 1], high = [0, 0], interior = [0, 0] : (" + part +
              ", tensor<f32>) -> " + t + "\nreturn %r : " + t);
    checkFusion("loop", {dims(outer, inner - 1) + "xf32", dims(outer, 1) + "xf32"},
                "%0 = stablehlo.negate %b : " + one + "\n%1 = stablehlo.concatenate %a, %0, dim = 1 : (" + part + ", " +
                    one + ") -> " + t,
                "%1", t);
  });
}

// Each column is another function.
TEST(LoopJoinedLanes, StackedColumns) {
  const char *const functions[] = {"add %a, %b",      "subtract %a, %b", "maximum %a, %b",
                                   "subtract %b, %a", "minimum %a, %b",  "multiply %a, %b"};
  for (const char *type : {"f32", "f64", "bf16", "i8", "ui16"})
    for (int64_t columns : {2, 5, 6, 8, 10, 12, 13})
      for (int64_t rows : {1, 300, 1021}) {
        auto tensorOf = [&](int64_t inner) { return "tensor<" + dims(rows, inner) + "x" + type + ">"; };
        std::string one = tensorOf(1), body, names = "%a", types = one, input = dims(rows, 1) + "x" + type;
        for (int64_t i = 1; i < columns; ++i) {
          body += "%" + std::to_string(i) + " = stablehlo." + functions[i % 6] + " : " + one + "\n";
          names += ", %" + std::to_string(i);
          types += ", " + one;
        }
        checkFusion("loop", {input, input},
                    body + "%s = stablehlo.concatenate " + names + ", dim = 1 : (" + types + ") -> " +
                        tensorOf(columns),
                    "%s", tensorOf(columns), {.magnitudeUlps = 1});
      }
}

// Conditions on the outer dimension cut it.
TEST(LoopJoinedLanes, PaddingOfRows) {
  for (int64_t inner : kInner) {
    std::string m = std::to_string(inner), in = tensor("200x" + m), t = tensor("207x" + m);
    checkFusion("loop", {"200x" + m + "xf32", m + "xf32", "f32"},
                "%0 = stablehlo.pad %a, %c, low = [3, 0], high = [4, 0], interior = [0, 0] : (" + in +
                    ", tensor<f32>) -> " + t + "\n%1 = stablehlo.broadcast_in_dim %b, dims = [1] : (" + tensor(m) +
                    ") -> " + t + "\n%2 = stablehlo.add %0, %1 : " + t,
                "%2", t);
  }
}

TEST(LoopJoinedLanes, ThreeDimensions) {
  for (const char *type : {"f32", "i8", "f64"})
    for (int64_t outer : {3, 64, 101, 3001})
      for (auto [a, b] : {std::pair(3, 2), {2, 3}, {4, 4}, {3, 5}}) {
        auto shape = [&, type = type](int64_t x, int64_t y) {
          return "tensor<" + dims(outer, x) + "x" + std::to_string(y) + "x" + type + ">";
        };
        check("%x: " + shape(a, b), shape(b, a),
              "%r = stablehlo.transpose %x, dims = [0, 2, 1] : (" + shape(a, b) + ") -> " + shape(b, a) +
                  "\nreturn %r : " + shape(b, a));
      }
}

// Conditions on the middle dimension are constants of each lane, too.
TEST(LoopJoinedLanes, PaddingBetweenThreeDimensions) {
  std::string in = tensor("200x3x2"), exchanged = tensor("200x2x3"), t = tensor("200x3x3");
  check("%x: " + in + ", %z: tensor<f32>", t,
        "%0 = stablehlo.transpose %x, dims = [0, 2, 1] : (" + in + ") -> " + exchanged +
            "\n%r = stablehlo.pad %0, %z, low = [0, 1, 0], high = [0, 0, 0], interior = [0, 0, 0] : (" + exchanged +
            ", tensor<f32>) -> " + t + "\nreturn %r : " + t);
}

TEST(LoopJoinedLanes, SlicesOfLongRows) {
  for (int64_t inner : kInner) {
    std::string m = std::to_string(inner), t = tensor("130x" + m);
    check("%x: tensor<130x40xf32>", t,
          "%r = stablehlo.slice %x [0:130, 7:" + std::to_string(7 + 2 * inner) + ":2] : (tensor<130x40xf32>) -> " + t +
              "\nreturn %r : " + t);
  }
}

} // namespace
