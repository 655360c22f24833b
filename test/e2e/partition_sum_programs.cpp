// Loops that add up what is summed over a dimension that is cut, or stack it, with ops in between that keep summands,
// and that take maxima or minima. Numbers are small enough to be exact in floats of 16 bits, of which stacks may be.
#include "test/e2e/partition_text.h"

namespace tenon {
namespace {

class SumWriter : ProgramText {
public:
  using ProgramText::ProgramText;

  PartitionProgram write() {
    mesh_ = std::vector<Sizes>{{2}, {3}, {4}, {2, 2}}[below(4)];
    Sizes x = {static_cast<int64_t>(6 + 2 * below(4)), static_cast<int64_t>(1 + below(5))},
          y = {x[0], static_cast<int64_t>(1 + below(5))};
    sum_ = {x[1], y[1]};
    PartitionProgram program;
    program.argumentSizes = {x, y, sum_, {kSteps, x[1]}};
    body_ += constrained("%x", "%arg0", x) + constrained("%y", "%arg1", y);
    std::string zero = index(0), one = index(1), steps = index(kSteps);
    std::string start = below(2) ? "%arg2" : line("stablehlo.constant dense<" + zeroText() + "> : " + type(sum_));
    extreme_ = below(2) ? "maximum" : "minimum";
    stacked_ = isFloat_ || below(2) ? element_ : below(2) ? "bf16" : "f16";
    std::string stack = type({kSteps, x[1]}, stacked_),
                types = "tensor<i32>, " + type(sum_) + ", " + stack + ", " + type({x[1]});
    std::string rows = convert("%arg3", type({kSteps, x[1]}), stack);
    std::string extremes = line("stablehlo.iota dim = 0 : " + type({x[1]}));
    body_ += "  %l:4 = stablehlo.while(%i = " + zero + ", %s = " + start + ", %t = " + rows + ", %m = " + extremes +
             ") : " + types + "\n  cond {\n  %p = stablehlo.compare LT, %i, " + steps +
             " : (tensor<i32>, tensor<i32>) -> tensor<i1>\n  stablehlo.return %p : tensor<i1>\n  } do {\n";
    std::string next = line("stablehlo.add %i, " + one + " : tensor<i32>"), sum = added(x, y), more = stacked(x, zero),
                most = extreme(x);
    body_ += "  stablehlo.return " + next + ", " + sum + ", " + more + ", " + most + " : " + types + "\n  }\n";
    values_ = {{"%l#1", sum_}, {convert("%l#2", stack, type({kSteps, x[1]})), {kSteps, x[1]}}, {"%l#3", {x[1]}}};
    std::string signature =
        "%arg0: " + type(x) + ", %arg1: " + type(y) + ", %arg2: " + type(sum_) + ", %arg3: " + type({kSteps, x[1]});
    return finish(std::move(program), signature);
  }

private:
  static constexpr int64_t kSteps = 3;

  std::string zeroText() const { return isFloat_ ? "0.0" : "0"; }

  // The rows cut along all axes, mostly.
  std::string constrained(const std::string &name, const std::string &value, const Sizes &sizes) {
    std::string axes;
    for (size_t axis = 0; axis < mesh_.size(); ++axis)
      axes += (axis ? ", \"" : "\"") + std::string(1, "xyz"[axis]) + "\"";
    std::string cut = below(4) ? "@mesh, [{" + axes + "}, {}]" : sharding(sizes, /*isEven=*/false);
    return "  " + name + " = sdy.sharding_constraint " + value + " <" + cut + "> : " + type(sizes) + "\n";
  }

  std::string product(const Sizes &x, const Sizes &y) {
    std::string name = line("stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (" + type(x) + ", " +
                            type(y) + ") -> " + type(sum_));
    for (uint32_t i = below(4); i > 0; --i)
      name = changed(name);
    return name;
  }

  std::string changed(const std::string &name) {
    std::string own = type(sum_), turned = type({sum_[1], sum_[0]}), flat = type({sum_[0] * sum_[1]});
    switch (below(5)) {
    case 0:
      return line("stablehlo.negate " + name + " : " + own);
    case 1: {
      std::string other = line("stablehlo.transpose " + name + ", dims = [1, 0] : (" + own + ") -> " + turned);
      return line("stablehlo.transpose " + other + ", dims = [1, 0] : (" + turned + ") -> " + own);
    }
    case 2: {
      std::string other = line("stablehlo.reshape " + name + " : (" + own + ") -> " + flat);
      return line("stablehlo.reshape " + other + " : (" + flat + ") -> " + own);
    }
    case 3: {
      std::string factor = line("stablehlo.constant dense<3" + std::string(isFloat_ ? ".0" : "") + "> : " + own);
      return line("stablehlo.multiply " + factor + ", " + name + " : " + own);
    }
    default: // which needs the sum
      return line("stablehlo.maximum " + name + ", %arg2 : " + own);
    }
  }

  std::string added(const Sizes &x, const Sizes &y) {
    std::string own = type(sum_), first = product(x, y);
    auto add = [&](const std::string &a, const std::string &b) {
      return line("stablehlo.add " + a + ", " + b + " : " + own);
    };
    switch (below(6)) {
    case 0:
      return add(first, "%s");
    case 1:
      return line("stablehlo.subtract %s, " + first + " : " + own);
    case 2:
      return add(add("%s", first), product(x, y));
    case 3:
      return add("%s", line("stablehlo.subtract " + first + ", " + product(x, y) + " : " + own));
    case 4: // the loop looks at what it adds up
      return add(add("%s", first), line("stablehlo.maximum %s, %arg2 : " + own));
    default:
      return add("%s", first);
    }
  }

  std::string convert(const std::string &name, const std::string &from, const std::string &to) {
    return from == to ? name : line("stablehlo.convert " + name + " : (" + from + ") -> " + to);
  }

  std::string reduced(const std::string &name, const std::string &op, const std::string &initial, const Sizes &x,
                      const std::string &element) {
    return line("stablehlo.reduce(" + name + " init: " + initial + ") applies stablehlo." + op +
                " across dimensions = [0] : (" + type(x, element) + ", " + type({}, element) + ") -> " +
                type({x[1]}, element));
  }

  std::string stacked(const Sizes &x, const std::string &zero) {
    auto of = [&](const Sizes &sizes) { return type(sizes, stacked_); };
    std::string initial = convert(scalar(static_cast<int>(below(2))), type({}), of({}));
    std::string sum = reduced(convert("%x", type(x), of(x)), "add", initial, x, stacked_);
    std::string row =
        line("stablehlo.broadcast_in_dim " + sum + ", dims = [1] : (" + of({x[1]}) + ") -> " + of({1, x[1]}));
    return line("stablehlo.dynamic_update_slice %t, " + row + ", %i, " + zero + " : (" + of({kSteps, x[1]}) + ", " +
                of({1, x[1]}) + ", tensor<i32>, tensor<i32>) -> " + of({kSteps, x[1]}));
  }

  // The extreme over all iterations, and over what two reductions give.
  std::string extreme(const Sizes &x) {
    std::string step = line("stablehlo.broadcast_in_dim " + convert("%i", "tensor<i32>", type({})) + ", dims = [] : (" +
                            type({}) + ") -> " + type(x));
    std::string scaled = line("stablehlo.multiply %x, " + step + " : " + type(x)), initial = scalar(below(2) ? 1 : -9);
    std::string own = line("stablehlo." + extreme_ + " " + reduced("%x", extreme_, initial, x, element_) + ", " +
                           reduced(scaled, extreme_, initial, x, element_) + " : " + type({x[1]}));
    return line("stablehlo." + extreme_ + " %m, " + own + " : " + type({x[1]}));
  }

  Sizes sum_;
  std::string extreme_, stacked_; // an op; an element type
};

} // namespace

PartitionProgram makeSummingProgram(uint32_t seed, bool isFloat) { return SumWriter(seed, isFloat).write(); }

} // namespace tenon
