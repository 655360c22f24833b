// Every op on arrays whose sizes its types do not say, against the interpreter: sizes that only the run knows, compiled
// for their bounds, and open sizes, compiled for those of the arguments. e2e/bounded/ops.mlir is the table: one op a
// program, and the dimensions of its arguments.

#include "test/e2e/comparison.h"

#include "tenon/frontend/import/import.h"
#include "tenon/ir/register.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/types.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

using namespace tenon;
using xla::Literal;
namespace sh = tenon::stablehlo;

namespace {

// A dimension of an argument.
using Place = std::pair<unsigned, unsigned>;

// Dimensions of one size or of multiples of it, and the least that it may be.
struct Group {
  std::vector<Place> places;
  std::vector<int64_t> multiples; // for each place
  int64_t least = 0;
};

struct Row {
  std::string name, text;
  std::vector<Group> bounded;
  std::vector<Place> unchecked;
};

Place placeOf(llvm::StringRef text) {
  Place place;
  auto [argument, dimension] = text.split('.');
  EXPECT_FALSE(argument.getAsInteger(10, place.first) || dimension.getAsInteger(10, place.second)) << text.str();
  return place;
}

Group groupOf(llvm::StringRef text) {
  Group group;
  auto [places, least] = text.split(">=");
  EXPECT_TRUE(least.empty() || !least.getAsInteger(10, group.least)) << text.str();
  for (llvm::StringRef each : llvm::split(places, '=')) {
    auto [place, multiple] = each.split('*');
    group.places.push_back(placeOf(place));
    group.multiples.push_back(1);
    EXPECT_TRUE(multiple.empty() || !multiple.getAsInteger(10, group.multiples.back())) << text.str();
  }
  return group;
}

void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// A block of the file, once for each combination of what its variables stand for.
std::vector<Row> rowsOf(llvm::StringRef block, unsigned line) {
  Row row;
  std::vector<std::pair<std::string, std::vector<std::string>>> variables;
  for (llvm::StringRef text : llvm::split(block, '\n')) {
    auto eachWord = [&](auto &&visit) {
      for (llvm::StringRef word : llvm::split(text, ' '))
        if (!word.empty())
          visit(word);
    };
    if (text.consume_front("// bounded: ")) {
      eachWord([&](llvm::StringRef word) { row.bounded.push_back(groupOf(word)); });
    } else if (text.consume_front("// static: ")) {
      eachWord([&](llvm::StringRef word) { row.unchecked.push_back(placeOf(word)); });
    } else if (text.consume_front("// $")) {
      auto [name, values] = text.split(": ");
      variables.push_back({"$" + name.str(), {}});
      for (llvm::StringRef value : llvm::split(values, ", "))
        variables.back().second.push_back(value.str());
    } else if (!text.starts_with("//")) {
      row.text += text.str() + "\n";
    }
  }
  row.name = "line_" + std::to_string(line);
  std::vector<Row> rows{row};
  for (auto &[name, values] : variables) {
    std::vector<Row> more;
    for (const Row &one : rows)
      for (const std::string &value : values) {
        more.push_back(one);
        replaceAll(more.back().text, name, value);
        for (char c : "_" + value)
          more.back().name += llvm::isAlnum(c) ? c : '_';
      }
    rows = std::move(more);
  }
  return rows;
}

std::string readTable() {
  auto buffer = llvm::MemoryBuffer::getFile(TENON_BOUNDED);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

std::vector<Row> table() {
  std::vector<Row> rows;
  std::string file = readTable();
  const std::string separator = "// -----\n";
  for (size_t at = file.find(separator); at != std::string::npos;) {
    size_t next = file.find(separator, at + separator.size());
    unsigned line = unsigned(std::count(file.begin(), file.begin() + at, '\n')) + 1;
    for (Row &row : rowsOf(llvm::StringRef(file).slice(at + separator.size(), next), line))
      rows.push_back(std::move(row));
    at = next;
  }
  return rows;
}

// How a program learns the size of a dimension that its types do not say.
enum class Sizes {
  kBounded, // from one more argument for each group; the size that the type had is the bound
  kOpen,    // from the arrays that it is given
};

// The program with these dimensions bounded or open.
class BoundedProgram {
public:
  BoundedProgram(const Row &row, llvm::ArrayRef<Group> groups, Sizes sizes = Sizes::kBounded) {
    loadAllDialects(context_);
    module_ = frontend::importModule(row.text, context_);
    if (!module_)
      return;
    main_ = module_->lookupSymbol<mlir::func::FuncOp>("main");
    for (const Group &group : groups)
      sizes == Sizes::kBounded ? setSizes(group) : openSizes(group);
    for (mlir::Operation &op : main_.front().without_terminator())
      if (!mlir::isa<sh::SetDimensionSizeOp, sh::ConstantOp>(op))
        forgetSizes(&op);
    auto type = mlir::FunctionType::get(&context_, main_.front().getArgumentTypes(),
                                        main_.front().getTerminator()->getOperandTypes());
    main_.setFunctionType(type);
  }

  std::string text() {
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (module_)
      module_->print(stream);
    return text;
  }

private:
  void setSizes(const Group &group) {
    mlir::OpBuilder builder(&context_);
    mlir::Block &block = main_.front();
    mlir::Location loc = main_.getLoc();
    mlir::Value size = block.addArgument(mlir::RankedTensorType::get({}, builder.getI32Type()), loc);
    if (!after_)
      builder.setInsertionPointToStart(&block);
    for (auto [place, multiple] : llvm::zip_equal(group.places, group.multiples)) {
      auto [argument, dimension] = place;
      if (after_)
        builder.setInsertionPointAfter(after_);
      mlir::Value &value = values_.try_emplace(argument, block.getArgument(argument)).first->second;
      auto set = sh::SetDimensionSizeOp::create(builder, loc, value, multipleOf(builder, size, multiple), dimension);
      value.replaceAllUsesExcept(set, set);
      lengths_.insert(mlir::cast<mlir::RankedTensorType>(block.getArgument(argument).getType()).getDimSize(dimension));
      value = set;
      after_ = set;
    }
  }

  void openSizes(const Group &group) {
    for (auto [argument, dimension] : group.places) {
      mlir::Value value = main_.front().getArgument(argument);
      auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
      lengths_.insert(type.getDimSize(dimension));
      llvm::SmallVector<int64_t> shape(type.getShape());
      shape[dimension] = mlir::ShapedType::kDynamic;
      value.setType(mlir::RankedTensorType::get(shape, type.getElementType()));
    }
  }

  static mlir::Value multipleOf(mlir::OpBuilder &builder, mlir::Value size, int64_t multiple) {
    if (multiple == 1)
      return size;
    auto type = mlir::cast<mlir::RankedTensorType>(size.getType());
    auto factor = sh::ConstantOp::create(builder, size.getLoc(),
                                         mlir::DenseElementsAttr::get(type, static_cast<int32_t>(multiple)));
    return sh::MultiplyOp::create(builder, size.getLoc(), type, size, factor);
  }

  // Results whose shapes follow from the operands' are unknown; of others what has the length of a bounded dimension
  // is.
  void forgetSizes(mlir::Operation *op) {
    if (mlir::isa<sh::OptimizationBarrierOp>(op)) {
      for (auto [result, operand] : llvm::zip(op->getResults(), op->getOperands()))
        result.setType(operand.getType());
      return;
    }
    bool follows = !mlir::isa<sh::ReshapeOp, sh::BroadcastInDimOp, sh::BitcastConvertOp>(op);
    for (mlir::Value result : op->getResults())
      forgetSizes(result, follows);
    for (mlir::Region &region : op->getRegions()) {
      for (mlir::Value argument : region.getArguments())
        forgetSizes(argument, true);
      for (mlir::Operation &inner : region.front().without_terminator())
        if (!mlir::isa<sh::ConstantOp>(inner))
          forgetSizes(&inner);
    }
  }

  void forgetSizes(mlir::Value value, bool all) {
    auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
    llvm::SmallVector<int64_t> shape(type.getShape());
    for (int64_t &size : shape)
      if (all || lengths_.contains(size))
        size = mlir::ShapedType::kDynamic;
    value.setType(mlir::RankedTensorType::get(shape, type.getElementType()));
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::func::FuncOp main_;
  mlir::Operation *after_ = nullptr;
  std::map<unsigned, mlir::Value> values_;
  std::set<int64_t> lengths_;
};

class BoundedTest : public ::testing::TestWithParam<Row> {
protected:
  // Runs the program with these dimensions bounded, at their bounds, at the least sizes and at some between.
  static void check(const Row &row, llvm::ArrayRef<Group> groups) {
    std::string text = BoundedProgram(row, groups).text();
    SCOPED_TRACE(text);
    compiler::CompileOptions options;
    options.verifyStages = true;
    auto native = tenon::testing::compileAndLoad(text, options);
    ASSERT_TRUE(native.ok()) << native.status().message();
    const program::Program &program = (*native)->program();
    std::vector<Literal> inputs = tenon::testing::randomInputs(program);
    std::mt19937 random(7);
    for (int round = 0; round < 4; ++round) {
      for (auto [i, group] : llvm::enumerate(groups)) {
        auto [argument, dimension] = group.places.front();
        int64_t bound = program.arguments[argument].shape.dims[dimension] / group.multiples.front();
        auto between = group.least + int64_t(random() % (bound - group.least + 1));
        auto size = int32_t(round == 0 ? bound : round == 1 ? group.least : between);
        Literal &array = inputs[inputs.size() - groups.size() + i];
        std::memcpy(array.mutable_data(), &size, sizeof size);
      }
      auto results = tenon::testing::runNative(**native, inputs);
      ASSERT_TRUE(results.ok()) << results.status().message();
      auto expected = tenon::testing::runReference(text, inputs, program);
      ASSERT_TRUE(expected.ok()) << expected.status().message();
      ASSERT_EQ(results->size(), expected->size());
      for (auto [i, array] : llvm::enumerate(*results)) {
        ASSERT_EQ(tools::shapeOf(array).dims, tools::shapeOf((*expected)[i]).dims)
            << "result " << i << ", round " << round;
        tenon::testing::compareArrays(array, (*expected)[i],
                                      "result " + std::to_string(i) + ", round " + std::to_string(round));
      }
    }
  }

  // Runs the program with these dimensions open, on arrays of the sizes that its types said.
  static void checkOpen(const Row &row, llvm::ArrayRef<Group> groups) {
    auto known = tenon::testing::compileAndLoad(row.text, {});
    ASSERT_TRUE(known.ok()) << known.status().message();
    std::vector<Literal> inputs = tenon::testing::randomInputs((*known)->program());
    std::string text = BoundedProgram(row, groups, Sizes::kOpen).text();
    SCOPED_TRACE(text);
    compiler::CompileOptions options;
    options.verifyStages = true;
    for (const program::Argument &argument : (*known)->program().arguments)
      options.argumentShapes.push_back(argument.shape.dims);
    auto native = tenon::testing::compileAndLoad(text, options);
    ASSERT_TRUE(native.ok()) << native.status().message();
    auto results = tenon::testing::runNative(**native, inputs);
    ASSERT_TRUE(results.ok()) << results.status().message();
    auto expected = tenon::testing::runReference(row.text, inputs, (*known)->program());
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    ASSERT_EQ(results->size(), expected->size());
    for (auto [i, array] : llvm::enumerate(*results))
      tenon::testing::compareArrays(array, (*expected)[i], "result " + std::to_string(i));
  }
};

void PrintTo(const Row &row, std::ostream *out) { *out << row.name; }

TEST_P(BoundedTest, AgreesWithTheInterpreter) {
  const Row &row = GetParam();
  for (const Group &group : row.bounded)
    check(row, group);
  if (row.bounded.size() > 1)
    check(row, row.bounded);
}

TEST_P(BoundedTest, AgreesWithTheInterpreterOnOpenSizes) { checkOpen(GetParam(), GetParam().bounded); }

TEST_P(BoundedTest, NamesEveryDimension) {
  const Row &row = GetParam();
  std::set<Place> named(row.unchecked.begin(), row.unchecked.end()), all;
  for (const Group &group : row.bounded)
    named.insert(group.places.begin(), group.places.end());
  mlir::MLIRContext context;
  loadAllDialects(context);
  auto module = frontend::importModule(row.text, context);
  ASSERT_TRUE(module) << row.text;
  for (auto [i, type] : llvm::enumerate(module->lookupSymbol<mlir::func::FuncOp>("main").getArgumentTypes()))
    for (unsigned d = 0; d < mlir::cast<mlir::RankedTensorType>(type).getRank(); ++d)
      all.insert({unsigned(i), d});
  EXPECT_EQ(named, all);
}

// Ops that the table leaves out, and why.
const std::map<std::string, std::string> &opsWithoutRow() {
  const char *control = "in tenon/tools/test/bounded_control.mlir",
             *shapes = "in tenon/tools/test/bounded_elements.mlir",
             *indexing = "in tenon/tools/test/bounded_indexing.mlir", *static_ = "becomes the static op, which has one";
  const char *noOperand = "has no array for an operand", *outside = "moves whole arrays to or from somewhere else",
             *quantized = "of quantized types", *async = "takes and gives futures";
  static const std::map<std::string, std::string> reasons = {
      {"stablehlo.while", control},
      {"stablehlo.if", control},
      {"stablehlo.case", control},
      {"stablehlo.get_dimension_size", shapes},
      {"stablehlo.set_dimension_size", shapes},
      {"stablehlo.dynamic_broadcast_in_dim", shapes},
      {"stablehlo.dynamic_iota", shapes},
      {"stablehlo.dynamic_pad", indexing},
      {"stablehlo.dynamic_reshape", indexing},
      {"stablehlo.real_dynamic_slice", indexing},
      {"stablehlo.iota", noOperand},
      {"stablehlo.rng", noOperand},
      {"stablehlo.rng_bit_generator", noOperand},
      {"stablehlo.partition_id", noOperand},
      {"stablehlo.replica_id", noOperand},
      {"stablehlo.after_all", noOperand},
      {"stablehlo.create_token", noOperand},
      {"stablehlo.async_start", async},
      {"stablehlo.async_done", async},
      {"stablehlo.infeed", outside},
      {"stablehlo.outfeed", outside},
      {"stablehlo.send", outside},
      {"stablehlo.recv", outside},
      {"stablehlo.custom_call", outside},
      {"stablehlo.tuple", "is taken apart before"},
      {"stablehlo.get_tuple_element", "is taken apart before"},
      {"stablehlo.composite", "is inlined before"},
      {"stablehlo.dynamic_gather", static_},
      {"stablehlo.dynamic_conv", static_},
      {"stablehlo.uniform_quantize", quantized},
      {"stablehlo.uniform_dequantize", quantized},
      {"chlo.constant", noOperand},
  };
  return reasons;
}

TEST(Table, HasEveryOp) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  std::string file = readTable();
  for (mlir::RegisteredOperationName op : context.getRegisteredOperations()) {
    std::string name = op.getStringRef().str();
    if (op.getDialectNamespace() != "stablehlo" && op.getDialectNamespace() != "chlo")
      continue;
    EXPECT_NE(llvm::Regex(llvm::Regex::escape(name) + "[^a-z_0-9]").match(file), opsWithoutRow().contains(name))
        << name << " has neither a row nor a reason to have none, or has both";
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, BoundedTest, ::testing::ValuesIn(table()),
                         [](const auto &info) { return info.param.name; });

} // namespace
