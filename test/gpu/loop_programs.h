// Loops of a few kernels on one array of i32s, whose times on hardware decide how small loops are computed
// (codegen/gpu/small_loops.h): timed by ./dev gpu, and what is chosen for them is tested.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tenon::testing {

inline std::string replaceAll(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// A program that brings an array of so many elements through `body`, from %x to %y, as often as its first element says.
inline std::string loopOf(const std::string &body, int elements) {
  return replaceAll(R"(func.func @main(%a: tensor<$Nxi32>) -> tensor<$Nxi32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %ones = stablehlo.constant dense<1> : tensor<$Nxi32>
    %three = stablehlo.constant dense<3> : tensor<$Nxi32>
    %l = stablehlo.slice %a [0:1] : (tensor<$Nxi32>) -> tensor<1xi32>
    %end = stablehlo.reshape %l : (tensor<1xi32>) -> tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<$Nxi32>
      cond { %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %c : tensor<i1> }
      do { %n = stablehlo.add %i, %one : tensor<i32>
)" + body + R"(
           stablehlo.return %n, %y : tensor<i32>, tensor<$Nxi32> }
    return %0#1 : tensor<$Nxi32> })",
                    "$N", std::to_string(elements));
}

inline std::string elementwiseLoop(int elements) {
  return loopOf(R"(%m = stablehlo.multiply %x, %three : tensor<$Nxi32>
                   %y = stablehlo.add %m, %ones : tensor<$Nxi32>)",
                elements);
}

// The array exchanges places with another.
inline std::string reversingLoop(int elements) {
  return loopOf(R"(%r = stablehlo.reverse %x, dims = [0] : tensor<$Nxi32>
                   %m = stablehlo.multiply %r, %three : tensor<$Nxi32>
                   %y = stablehlo.add %m, %ones : tensor<$Nxi32>)",
                elements);
}

// So many steps, each of which needs what the threads of another have computed in the one before.
inline std::string chainLoop(int steps, int elements) {
  std::string body;
  for (int step = 0; step < steps; ++step) {
    std::string from = step == 0 ? "%x" : "%v" + std::to_string(step);
    std::string to = step + 1 == steps ? "%y" : "%v" + std::to_string(step + 1);
    body += to + " = \"stablehlo.reduce_window\"(" + from + R"(, %zero) <{window_dimensions = array<i64: 3>,
        padding = dense<[[1, 1]]> : tensor<1x2xi64>}> ({
      ^bb0(%p: tensor<i32>, %q: tensor<i32>):
        %s = stablehlo.add %p, %q : tensor<i32>
        stablehlo.return %s : tensor<i32>
      }) : (tensor<$Nxi32>, tensor<i32>) -> tensor<$Nxi32>
)";
  }
  return loopOf(body, elements);
}

inline std::string matrixLoop(const std::string &body, int rows, int columns) {
  std::string text = loopOf("%b = stablehlo.reshape %x : (tensor<$Nxi32>) -> tensor<$Rx$Cxi32>\n" + body +
                                "\n%y = stablehlo.reshape %d : (tensor<$Rx$Cxi32>) -> tensor<$Nxi32>",
                            rows * columns);
  return replaceAll(replaceAll(text, "$R", std::to_string(rows)), "$C", std::to_string(columns));
}

inline std::string rowSumsLoop(int rows, int columns) {
  return matrixLoop(R"(%s = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<$Rx$Cxi32>, tensor<i32>) -> tensor<$Rxi32>
    %r = stablehlo.reverse %s, dims = [0] : tensor<$Rxi32>
    %e = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<$Rxi32>) -> tensor<$Rx$Cxi32>
    %d = stablehlo.xor %b, %e : tensor<$Rx$Cxi32>)",
                    rows, columns);
}

inline std::string productLoop(int rows, int columns) {
  return matrixLoop(R"(%p = stablehlo.iota dim = 0 : tensor<$Cx$Cxi32>
    %q = stablehlo.iota dim = 1 : tensor<$Cx$Cxi32>
    %w = stablehlo.xor %p, %q : tensor<$Cx$Cxi32>
    %d = stablehlo.dot_general %b, %w, contracting_dims = [1] x [0]
      : (tensor<$Rx$Cxi32>, tensor<$Cx$Cxi32>) -> tensor<$Rx$Cxi32>)",
                    rows, columns);
}

struct LoopProgram {
  std::string name, source;
  size_t elements;
};

// Those that are timed in every form.
inline std::vector<LoopProgram> loopPrograms() {
  std::vector<LoopProgram> programs;
  auto add = [&](const std::string &name, std::string source, int elements) {
    programs.push_back({name + ", " + std::to_string(elements), std::move(source), size_t(elements)});
  };
  for (int elements : {2048, 8192})
    for (int steps : {1, 2, 4, 8})
      add("chain of " + std::to_string(steps), chainLoop(steps, elements), elements);
  for (int elements = 1024; elements <= 1 << 20; elements *= 2)
    add("elementwise", elementwiseLoop(elements), elements);
  for (int elements : {2048, 8192, 16384, 32768, 131072})
    add("reverse", reversingLoop(elements), elements);
  constexpr int kRows = 256, kRowLength = 64, kColumns = 128;
  add("sums of rows of 64", rowSumsLoop(kRows, kRowLength), kRows * kRowLength);
  for (int rows : {16, 64})
    add("product by 128x128", productLoop(rows, kColumns), rows * kColumns);
  return programs;
}

} // namespace tenon::testing
