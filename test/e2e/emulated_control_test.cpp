// Thirty programs of loops and branches in each other, on the GPU that the host plays: the device decides for itself. A
// run is one start of a graph, of which one node is changed, whatever the program.

#include "test/e2e/emulated_checks_testing.h"

#include <string_view>

using namespace tenon;
using namespace tenon::testing;

namespace {

// Names of two arrays, tensor<24xi32>, and of a number, tensor<i32>, that constructs pass on.
struct Values {
  std::string x, y, n;

  std::string list() const { return x + ", " + y + ", " + n; }
};

constexpr const char *kTypes = "tensor<24xi32>, tensor<24xi32>, tensor<i32>";

// A program of constructs, each around the next:
//   w  a loop that counts, whose arrays stay where they are
//   x  one whose arrays exchange places in each iteration
//   d  one that ends by what an array has come to
//   e  one with the next construct in its condition
//   i  one branch of two, of which the other is straight code
//   c  one branch of three
class ControlProgram {
public:
  explicit ControlProgram(std::string_view constructs) {
    Values results = emit(constructs, {"%a", "%b", "%c"});
    text_ = "func.func @main(%a: tensor<24xi32>, %b: tensor<24xi32>, %c: tensor<i32>) -> (" + std::string(kTypes) +
            ") {\n  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
            "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
            "  %three = stablehlo.constant dense<3> : tensor<i32>\n" +
            text_ + "  return " + results.list() + " : " + kTypes + "\n}\n";
  }

  const std::string &text() const { return text_; }

private:
  std::string fresh() { return "%v" + std::to_string(next_++); }

  // Adds an op of one result.
  std::string op(const std::string &text) {
    std::string name = fresh();
    text_ += "  " + name + " = " + text + "\n";
    return name;
  }

  static Values partsOf(const std::string &name) { return {name + "#0", name + "#1", name + "#2"}; }

  Values emitStraight(const Values &in) {
    std::string sum = op("stablehlo.add " + in.x + ", " + in.y + " : tensor<24xi32>");
    std::string turned = op("stablehlo.reverse " + sum + ", dims = [0] : tensor<24xi32>");
    return {turned, op("stablehlo.subtract " + in.y + ", " + turned + " : tensor<24xi32>"),
            op("stablehlo.add " + in.n + ", %one : tensor<i32>")};
  }

  Values emit(std::string_view constructs, const Values &in) {
    if (constructs.empty())
      return emitStraight(in);
    std::string_view inner = constructs.substr(1);
    switch (constructs[0]) {
    case 'i':
    case 'c':
      return emitBranch(constructs[0] == 'i', inner, in);
    default:
      return emitLoop(constructs[0], inner, in);
    }
  }

  // Whether the loop goes on, an i1: at most three iterations.
  std::string emitCondition(char kind, std::string_view inner, const std::string &count, const Values &values) {
    Values seen = kind == 'e' ? emit(inner, values) : values;
    std::string counts = op("stablehlo.compare LT, " + count + ", %three : (tensor<i32>, tensor<i32>) -> tensor<i1>");
    if (kind != 'd' && kind != 'e')
      return counts;
    std::string first = op("stablehlo.slice " + seen.x + " [0:1] : (tensor<24xi32>) -> tensor<1xi32>");
    std::string number = op("stablehlo.reshape " + first + " : (tensor<1xi32>) -> tensor<i32>");
    std::string isOdd = op("stablehlo.and " + number + ", %one : tensor<i32>");
    std::string isEven = op("stablehlo.compare EQ, " + isOdd + ", %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>");
    return op("stablehlo.and " + counts + ", " + isEven + " : tensor<i1>");
  }

  Values emitLoop(char kind, std::string_view inner, const Values &in) {
    std::string result = fresh(), count = fresh();
    Values carried{fresh(), fresh(), fresh()};
    text_ += "  " + result + ":4 = stablehlo.while(" + carried.x + " = " + in.x + ", " + carried.y + " = " + in.y +
             ", " + carried.n + " = " + in.n + ", " + count + " = %zero) : " + kTypes + ", tensor<i32>\n  cond {\n";
    std::string condition = emitCondition(kind, inner, count, carried);
    text_ += "  stablehlo.return " + condition + " : tensor<i1> } do {\n";
    Values out = emit(kind == 'e' ? "" : inner, carried);
    if (kind == 'x')
      std::swap(out.x, out.y);
    std::string next = op("stablehlo.add " + count + ", %one : tensor<i32>");
    text_ += "  stablehlo.return " + out.list() + ", " + next + " : " + kTypes + ", tensor<i32> }\n";
    return partsOf(result);
  }

  Values emitBranch(bool isTwoWay, std::string_view inner, const Values &in) {
    std::string selector =
        isTwoWay ? op("stablehlo.compare LT, " + in.n + ", %three : (tensor<i32>, tensor<i32>) -> tensor<i1>")
                 : op("stablehlo.remainder " + in.n + ", %three : tensor<i32>");
    std::string result = fresh();
    text_ += "  " + result + ":3 = \"stablehlo." + (isTwoWay ? "if" : "case") + "\"(" + selector + ") ({\n";
    text_ += "  stablehlo.return " + emit(inner, in).list() + " : " + kTypes + "\n}, {\n";
    text_ += "  stablehlo.return " + emitStraight(in).list() + " : " + kTypes + "\n";
    if (!isTwoWay)
      text_ += "}, {\n  stablehlo.return " + in.y + ", " + in.x + ", " + in.n + " : " + kTypes + "\n";
    text_ += std::string("}) : (tensor<") + (isTwoWay ? "i1" : "i32") + ">) -> (" + kTypes + ")\n";
    return partsOf(result);
  }

  std::string text_;
  int next_ = 0;
};

constexpr const char *kPrograms[] = {"w",  "x",  "d",  "e",  "i",  "c",  "ww", "wx",  "wi",  "wc",
                                     "xw", "xx", "xi", "xc", "dw", "dx", "di", "dc",  "ew",  "ex",
                                     "ei", "iw", "ix", "ic", "cw", "cx", "ci", "wxc", "xiw", "cdx"};

// How loops are computed: as nodes of the graph, or as one kernel.
enum class LoopForm : uint8_t { kNodes, kThread, kBlock, kSharedSteps };

codegen::GpuTargetOptions optionsOf(LoopForm form) {
  codegen::GpuTargetOptions options;
  options.checksAccesses = true;
  options.loops = form == LoopForm::kNodes ? "nodes" : form == LoopForm::kThread ? "" : "block";
  // Which steps are shared out: none, those of arrays, or all: then numbers are, too.
  double shared = form == LoopForm::kThread ? 1e9 : form == LoopForm::kBlock ? 0.5 : 0;
  options.changeCosts = [shared](CostModel &costs) { costs.blocks.sharedLoopStep = shared; };
  return options;
}

class EmulatedControl : public EmulatedChecks, public ::testing::WithParamInterface<const char *> {
protected:
  // Also that the program leaves no memory behind.
  void checkProgram(const std::string &source, LoopForm form) {
    const size_t allocated = runtime::emulator::allocatedBytes();
    checkOrders(source, form);
    walked.reset();
    check(d.streamSynchronize(stream));
    EXPECT_EQ(runtime::emulator::allocatedBytes(), allocated) << source;
  }

private:
  void checkOrders(const std::string &source, LoopForm form) {
    program::Program program;
    auto executable = load(source, program, optionsOf(form));
    ASSERT_TRUE(executable) << failure << "\n" << source;
    std::vector<Literal> inputs = tenon::testing::randomInputs(program);
    for (int32_t number : {0, 1, 5})
      for (ThreadOrder order : kOrders) {
        runtime::emulator::setThreadOrder(order);
        inputs.back() = tools::makeArray(program.arguments.back().shape, &number).ConsumeValueOrDie();
        checkDeviceDecides(*executable, program, source, inputs, std::to_string(number));
      }
  }
};

TEST_P(EmulatedControl, IsTheDevicesOwn) {
  for (LoopForm form : {LoopForm::kNodes, LoopForm::kThread, LoopForm::kBlock, LoopForm::kSharedSteps}) {
    SCOPED_TRACE(std::string("form ") + std::to_string(int(form)));
    checkProgram(ControlProgram(GetParam()).text(), form);
  }
}

INSTANTIATE_TEST_SUITE_P(Thirty, EmulatedControl, ::testing::ValuesIn(kPrograms),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
