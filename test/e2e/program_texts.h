// Programs that several tests compile, in sizes of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tenon::testing {

using Sizes = std::vector<int64_t>;

inline std::string tensor(const Sizes &sizes, const std::string &element = "f32") {
  std::string text = "tensor<";
  for (int64_t size : sizes)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

// A program of one argument, or of some: `body` computes %r of them.
inline std::string mainOf(const std::string &arguments, const std::string &body, const std::string &result) {
  return "func.func @main(" + arguments + ") -> " + result + " {\n" + body + "\nreturn %r : " + result + "\n}\n";
}

// %z, a scalar zero.
inline std::string zero(const std::string &element) {
  bool isFloat = element.find('f') != std::string::npos;
  return "%z = stablehlo.constant dense<" + std::string(isFloat ? "0.0" : "0") + "> : tensor<" + element + ">\n";
}

// The region of an op that adds up two scalars.
inline std::string addition(const std::string &element) {
  std::string scalar = "tensor<" + element + ">";
  return "({\n^bb0(%x: " + scalar + ", %y: " + scalar + "):\n%s = stablehlo.add %x, %y : " + scalar +
         "\nstablehlo.return %s : " + scalar + "\n})";
}

// The product of two matrices over a dimension of each.
inline std::string product(const Sizes &lhs, const Sizes &rhs, size_t lhsDim, size_t rhsDim, const std::string &element,
                           const std::string &resultElement) {
  std::string a = tensor(lhs, element), b = tensor(rhs, element);
  std::string result = tensor({lhs[1 - lhsDim], rhs[1 - rhsDim]}, resultElement);
  return mainOf("%a: " + a + ", %b: " + b,
                "%r = stablehlo.dot_general %a, %b, contracting_dims = [" + std::to_string(lhsDim) + "] x [" +
                    std::to_string(rhsDim) + "] : (" + a + ", " + b + ") -> " + result,
                result);
}

inline std::string transposition(int64_t rows, int64_t columns) {
  std::string from = tensor({rows, columns}), to = tensor({columns, rows});
  return mainOf("%a: " + from, "%r = stablehlo.transpose %a, dims = [1, 0] : (" + from + ") -> " + to, to);
}

// The sums along a dimension.
inline std::string sums(Sizes sizes, size_t dim, const std::string &element = "f32") {
  std::string array = tensor(sizes, element);
  sizes.erase(sizes.begin() + std::ptrdiff_t(dim));
  std::string result = tensor(sizes, element);
  return mainOf("%a: " + array,
                zero(element) + "%r = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [" +
                    std::to_string(dim) + "] : (" + array + ", tensor<" + element + ">) -> " + result,
                result);
}

// The sums of all elements up to each one, along a dimension.
inline std::string runningSums(const Sizes &sizes, size_t dim, const std::string &element = "f32") {
  std::string array = tensor(sizes, element), window, padding;
  for (size_t d = 0; d < sizes.size(); ++d) {
    window += (d ? ", " : "") + std::to_string(d == dim ? sizes[d] : 1);
    padding += (d ? ", [" : "[") + std::to_string(d == dim ? sizes[d] - 1 : 0) + ", 0]";
  }
  return mainOf("%a: " + array,
                zero(element) + R"(%r = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: )" + window +
                    ">, padding = dense<[" + padding + "]> : tensor<" + std::to_string(sizes.size()) + "x2xi64>}> " +
                    addition(element) + " : (" + array + ", tensor<" + element + ">) -> " + array,
                array);
}

// Adds updates to rows of an array, or to elements if there are no columns. `index`: the type of an index.
inline std::string updatedRows(int64_t rows, int64_t updates, int64_t columns, const std::string &element = "f32",
                               const std::string &index = "i32") {
  auto sizes = [&](int64_t count) { return columns ? Sizes{count, columns} : Sizes{count}; };
  std::string array = tensor(sizes(rows), element), indices = tensor({updates, 1}, index);
  std::string added = tensor(sizes(updates), element), window = columns ? "update_window_dims = [1], " : "";
  return mainOf("%a: " + array + ", %i: " + indices + ", %u: " + added,
                R"(%r = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<)" + window +
                    "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> " +
                    addition(element) + " : (" + array + ", " + indices + ", " + added + ") -> " + array,
                array);
}

// The gradient of the maxima of 3x3 windows of images, every other one of them, with channels last. `start` is what
// they are added to; `padding` is an attribute, or none.
inline std::string gradientOfMaxima(const Sizes &images, const Sizes &maxima, const std::string &start,
                                    const std::string &padding = "") {
  std::string array = tensor(images), source = tensor(maxima);
  return mainOf("%a: " + array + ", %m: " + source,
                "%z = stablehlo.constant dense<" + start +
                    "> : tensor<f32>\n"
                    R"(%r = "stablehlo.select_and_scatter"(%a, %m, %z) <{window_dimensions = array<i64: 1, 3, 3, 1>, )"
                    "window_strides = array<i64: 1, 2, 2, 1>" +
                    (padding.empty() ? "" : ", padding = " + padding) +
                    "}> ({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
                    "%c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                    "stablehlo.return %c : tensor<i1>\n}, " +
                    addition("f32").substr(1) + " : (" + array + ", " + source + ", tensor<f32>) -> " + array,
                array);
}

// Doubles its argument as long as it is not 7: without end for 1.
inline constexpr const char *kEndless = R"(func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %odd = stablehlo.constant dense<7> : tensor<i32>
  %0 = stablehlo.while(%v = %a) : tensor<i32>
    cond { %c = stablehlo.compare NE, %v, %odd : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %c : tensor<i1> }
    do { %n = stablehlo.add %v, %v : tensor<i32>
         stablehlo.return %n : tensor<i32> }
  return %0 : tensor<i32> })";

// The softmax of a matrix of f32: of each of its rows, or of each column.
inline std::string softmax(int rows, int columns, bool ofRows = true) {
  std::string sizes = std::to_string(rows) + "x" + std::to_string(columns);
  std::string array = "tensor<" + sizes + "xf32>", kept = "tensor<" + std::to_string(ofRows ? rows : columns) + "xf32>";
  std::string across = ofRows ? "1" : "0", along = ofRows ? "0" : "1";
  auto reduce = [&](const std::string &result, const std::string &operand, const std::string &op) {
    return result + " = stablehlo.reduce(" + operand + ") applies stablehlo." + op + " across dimensions = [" + across +
           "] : (" + array + ", tensor<f32>) -> " + kept + "\n";
  };
  auto broadcast = [&](const std::string &result, const std::string &operand) {
    return result + " = stablehlo.broadcast_in_dim " + operand + ", dims = [" + along + "] : (" + kept + ") -> " +
           array + "\n";
  };
  return "func.func @main(%a: " + array + ") -> " + array + " {\n" +
         "%m = stablehlo.constant dense<0xFF800000> : tensor<f32>\n%z = stablehlo.constant dense<0.0> : tensor<f32>\n" +
         reduce("%0", "%a init: %m", "maximum") + broadcast("%1", "%0") + "%2 = stablehlo.subtract %a, %1 : " + array +
         "\n%3 = stablehlo.exponential %2 : " + array + "\n" + reduce("%4", "%3 init: %z", "add") +
         broadcast("%5", "%4") + "%6 = stablehlo.divide %3, %5 : " + array + "\nreturn %6 : " + array + "\n}\n";
}

// Attention of heads: a product, a softmax of its rows in f32, and a product of these. `element`: of the operands and
// the result; `scores`: of the first product. `logits` may compute %l of %s, scores in f32 after a scaling, both of the
// type `scoresType`.
struct AttentionText {
  int64_t heads = 2, rows = 80, keys = 96, size = 32, valueSize = 32;
  std::string element = "bf16", scores = "f32";
  std::string arguments = {}, logits = {};
  bool isTransposed = false; // of the keys and the values the other dimension is dense

  std::string scoresType() const { return tensor({heads, rows, keys}); }
  std::string text() const;
};

inline std::string AttentionText::text() const {
  std::string q = tensor({heads, rows, size}, element), result = tensor({heads, rows, valueSize}, element);
  std::string k = tensor(isTransposed ? Sizes{heads, size, keys} : Sizes{heads, keys, size}, element);
  std::string v = tensor(isTransposed ? Sizes{heads, valueSize, keys} : Sizes{heads, keys, valueSize}, element);
  std::string array = scoresType(), kept = tensor({heads, rows}), product = tensor({heads, rows, keys}, scores),
              weights = tensor({heads, rows, keys}, element);
  auto dot = [](const std::string &name, const std::string &operands, const char *dims, const std::string &types,
                const std::string &to) {
    return name + " = stablehlo.dot_general " + operands + ", batching_dims = [0] x [0], contracting_dims = " + dims +
           " : (" + types + ") -> " + to + "\n";
  };
  auto convert = [](const std::string &name, const std::string &value, const std::string &from, const std::string &to) {
    return name + " = stablehlo.convert " + value + " : (" + from + ") -> " + to + "\n";
  };
  auto reduce = [&](const std::string &name, const std::string &operands, const char *op) {
    return name + "r = stablehlo.reduce(" + operands + ") applies stablehlo." + op + " across dimensions = [2] : (" +
           array + ", tensor<f32>) -> " + kept + "\n" + name + " = stablehlo.broadcast_in_dim " + name +
           "r, dims = [0, 1] : (" + kept + ") -> " + array + "\n";
  };
  auto binary = [&](const std::string &name, const char *op, const std::string &operands) {
    return name + " = stablehlo." + op + " " + operands + " : " + array + "\n";
  };
  std::string body = "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                     "%i = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
                     "%f = stablehlo.constant dense<0.3> : " +
                     array + "\n";
  body += dot("%p", "%q, %k", isTransposed ? "[2] x [1]" : "[2] x [2]", q + ", " + k, product);
  body += convert("%w", "%p", product, array) + binary("%s", "multiply", "%w, %f");
  body += logits.empty() ? binary("%l", "add", "%s, %s") : logits;
  body += reduce("%m", "%l init: %i", "maximum") + binary("%d", "subtract", "%l, %m");
  body += "%e = stablehlo.exponential %d : " + array + "\n" + reduce("%t", "%e init: %z", "add");
  body += binary("%n", "divide", "%e, %t") + convert("%u", "%n", array, weights);
  body += dot("%r", "%u, %v", isTransposed ? "[2] x [2]" : "[2] x [1]", weights + ", " + v, result);
  return mainOf("%q: " + q + ", %k: " + k + ", %v: " + v + (arguments.empty() ? "" : ", " + arguments), body, result);
}

// A network that passes its state on: tanh(h * w), `rows` times 128.
inline std::string recurrent(int rows) {
  std::string state = "tensor<" + std::to_string(rows) + "x128xf32>";
  return "func.func @main(%a: " + state + ", %w: tensor<128x128xf32>, %n: tensor<i32>) -> " + state + R"( {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%h = %a, %i = %zero) : )" +
         state + R"(, tensor<i32>
      cond {
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %p = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0] : ()" +
         state + ", tensor<128x128xf32>) -> " + state + "\n        %t = stablehlo.tanh %p : " + state + R"(
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %t, %j : )" +
         state + R"(, tensor<i32>
      }
    return %0#0 : )" +
         state + "\n  }";
}

// An array of so many elements, which go through iterations each by itself.
inline std::string iterated(int elements) {
  std::string text = R"(
  func.func @main(%a: tensor<1024xf32>, %n: tensor<i32>) -> tensor<1024xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %small = stablehlo.constant dense<0.001> : tensor<1024xf32>
    %0:2 = stablehlo.while(%x = %a, %i = %zero) : tensor<1024xf32>, tensor<i32>
      cond {
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %s = stablehlo.sine %x : tensor<1024xf32>
        %d = stablehlo.multiply %s, %small : tensor<1024xf32>
        %y = stablehlo.add %x, %d : tensor<1024xf32>
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %y, %j : tensor<1024xf32>, tensor<i32>
      }
    return %0#0 : tensor<1024xf32>
  })";
  const std::string size = "<1024x";
  for (size_t at = 0; (at = text.find(size, at)) != std::string::npos; ++at)
    text.replace(at, size.size(), "<" + std::to_string(elements) + "x");
  return text;
}

// A number that goes through iterations.
constexpr const char *kCounted = R"(
  func.func @main(%a: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %s = stablehlo.constant dense<0.999> : tensor<f32>
    %t = stablehlo.constant dense<1.0> : tensor<f32>
    %0:2 = stablehlo.while(%x = %a, %i = %zero) : tensor<f32>, tensor<i32>
      cond {
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %m = stablehlo.multiply %x, %s : tensor<f32>
        %y = stablehlo.add %m, %t : tensor<f32>
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %y, %j : tensor<f32>, tensor<i32>
      }
    return %0#0 : tensor<f32>
  })";

} // namespace tenon::testing
