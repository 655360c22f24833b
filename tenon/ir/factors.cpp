#include "tenon/ir/factors.h"

#include "tenon/ir/factors_builder.h"
#include "tenon/ir/op_table.h"

#include "llvm/ADT/StringExtras.h"

namespace tenon::ir {

//===- Building --------------------------------------------------------------------------------------------------===//

static SmallVector<TensorFactors, 3> emptyFactors(mlir::TypeRange types) {
  SmallVector<TensorFactors, 3> tensors;
  for (mlir::Type type : types) {
    auto shaped = llvm::dyn_cast<mlir::RankedTensorType>(type); // not: a token
    tensors.emplace_back(shaped ? shaped.getRank() : 0);
  }
  return tensors;
}

FactorsBuilder::FactorsBuilder(mlir::Operation *op) : FactorsBuilder(op->getOperandTypes(), op->getResultTypes()) {}

FactorsBuilder::FactorsBuilder(mlir::TypeRange operands, mlir::TypeRange results) {
  result_.operands = emptyFactors(operands);
  result_.results = emptyFactors(results);
}

FactorsBuilder &FactorsBuilder::add(ArrayRef<int64_t> operandDims, ArrayRef<int64_t> resultDims, Factor factor) {
  auto number = static_cast<int64_t>(result_.factors.size());
  result_.factors.push_back(factor);
  auto addTo = [&](SmallVector<TensorFactors, 3> &tensors, ArrayRef<int64_t> dims) {
    for (auto [tensor, dim] : llvm::zip_equal(tensors, dims))
      // A factor of size 1 says nothing of a dimension that has another.
      if (dim != kNone && (factor.size != 1 || tensor[dim].empty()))
        tensor[dim].push_back(number);
  };
  addTo(result_.operands, operandDims);
  addTo(result_.results, resultDims);
  return *this;
}

static void addToEach(SmallVector<TensorFactors, 3> &tensors, int64_t dim, int64_t number) {
  for (TensorFactors &tensor : tensors)
    if (!tensor.empty())
      tensor[dim].push_back(number);
}

FactorsBuilder &FactorsBuilder::addToAll(int64_t dim, Factor factor) {
  addToOperands(dim, factor);
  addToEach(result_.results, dim, static_cast<int64_t>(result_.factors.size()) - 1);
  return *this;
}

FactorsBuilder &FactorsBuilder::addToOperands(int64_t dim, Factor factor) {
  result_.factors.push_back(factor);
  addToEach(result_.operands, dim, static_cast<int64_t>(result_.factors.size()) - 1);
  return *this;
}

FactorsBuilder &FactorsBuilder::addToResults(int64_t dim, Factor factor) {
  result_.factors.push_back(factor);
  addToEach(result_.results, dim, static_cast<int64_t>(result_.factors.size()) - 1);
  return *this;
}

FactorsBuilder &FactorsBuilder::addWhereEqual(ArrayRef<int64_t> in, ArrayRef<int64_t> out, FactorType otherwise,
                                              bool isBlocked) {
  for (auto [dim, sizes] : llvm::enumerate(llvm::zip_equal(in, out))) {
    auto [from, to] = sizes;
    addToAll(static_cast<int64_t>(dim), from == to ? Factor{from} : Factor{from, otherwise, isBlocked});
  }
  return *this;
}

Factors FactorsBuilder::build() {
  for (TensorFactors &tensor : llvm::concat<TensorFactors>(result_.operands, result_.results))
    for (DimFactors &dim : tensor)
      if (dim.empty()) {
        dim.push_back(static_cast<int64_t>(result_.factors.size()));
        result_.factors.push_back({1});
      }
  return std::move(result_);
}

Factors identityFactors(ArrayRef<int64_t> shape, size_t operands, size_t results) {
  Factors identity;
  TensorFactors tensor;
  for (int64_t size : shape) {
    tensor.push_back({static_cast<int64_t>(identity.factors.size())});
    identity.factors.push_back({size});
  }
  identity.operands.assign(operands, tensor);
  identity.results.assign(results, tensor);
  return identity;
}

MaybeFactors elementwiseFactors(mlir::Operation *op) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(op->getResult(0).getType());
  if (!type)
    return std::nullopt;
  FactorsBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    builder.addToAll(static_cast<int64_t>(dim), {size});
  return builder.build();
}

//===- Dispatch --------------------------------------------------------------------------------------------------===//

namespace {

template <typename Op>
concept HasFactors = requires(Op op) {
  { factorsOf(op) } -> std::same_as<MaybeFactors>;
};

using FactorsFn = MaybeFactors (*)(mlir::Operation *);

template <typename Op> FactorsFn factorsFnOf() {
  static_assert(HasFactors<Op>, "this op has no factorsOf() in tenon/ir/factors.h");
  return [](mlir::Operation *op) { return factorsOf(llvm::cast<Op>(op)); };
}

bool hasStaticShape(mlir::Type type) {
  auto shaped = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return !shaped || shaped.hasStaticShape();
}

// Whether a program's rule is about as many values, of as many dimensions.
bool isFor(const Factors &factors, mlir::Operation *op) {
  auto haveSameRanks = [](ArrayRef<TensorFactors> tensors, ArrayRef<TensorFactors> others) {
    return tensors.size() == others.size() && llvm::all_of(llvm::zip(tensors, others), [](auto pair) {
             return std::get<0>(pair).size() == std::get<1>(pair).size();
           });
  };
  return haveSameRanks(factors.operands, emptyFactors(op->getOperandTypes())) &&
         haveSameRanks(factors.results, emptyFactors(op->getResultTypes()));
}

} // namespace

MaybeFactors findFactors(mlir::Operation *op) {
  if (!llvm::all_of(op->getOperandTypes(), hasStaticShape) || !llvm::all_of(op->getResultTypes(), hasStaticShape))
    return std::nullopt;
  if (auto rule = op->getAttrOfType<sdy::OpShardingRuleAttr>("sdy.sharding_rule")) {
    MaybeFactors factors = parseFactors(rule.getText());
    return factors && isFor(*factors, op) ? factors : std::nullopt;
  }
  static const auto functions = OpTable<FactorsFn>::make([]<typename Op>() { return factorsFnOf<Op>(); });
  FactorsFn function = functions.lookup(op->getName());
  return function ? function(op) : std::nullopt;
}

//===- Text ------------------------------------------------------------------------------------------------------===//

// Factors are called i, j, ... z, then z_1, z_2, ...
static constexpr int64_t kLastLetter = 'z' - 'i';

static std::string nameOf(int64_t factor) {
  return factor <= kLastLetter ? std::string(1, static_cast<char>('i' + factor))
                               : "z_" + std::to_string(factor - kLastLetter);
}

static std::string toString(ArrayRef<TensorFactors> tensors) {
  return "(" +
         llvm::join(llvm::map_range(tensors,
                                    [](const TensorFactors &tensor) {
                                      return "[" +
                                             llvm::join(llvm::map_range(tensor,
                                                                        [](const DimFactors &dim) {
                                                                          return llvm::join(
                                                                              llvm::map_range(dim, nameOf), "");
                                                                        }),
                                                        ", ") +
                                             "]";
                                    }),
                    ", ") +
         ")";
}

std::string toString(const Factors &factors) {
  std::string text = toString(factors.operands) + "->" + toString(factors.results);
  auto list = [&](llvm::StringRef name, auto predicate) {
    std::string names;
    for (auto [i, factor] : llvm::enumerate(factors.factors))
      if (predicate(factor))
        names += (names.empty() ? "" : ", ") + nameOf(static_cast<int64_t>(i));
    if (!names.empty())
      text += " " + name.str() + "={" + names + "}";
  };
  std::string sizes;
  for (auto [i, factor] : llvm::enumerate(factors.factors))
    sizes += (i == 0 ? "" : ", ") + nameOf(static_cast<int64_t>(i)) + "=" + std::to_string(factor.size);
  if (!sizes.empty())
    text += " {" + sizes + "}";
  list("reduction", [](const Factor &factor) { return factor.type == FactorType::kReduction; });
  list("need_replication", [](const Factor &factor) { return factor.type == FactorType::kReplicated; });
  list("permutation", [](const Factor &factor) { return factor.type == FactorType::kMoves; });
  list("blocked_propagation", [](const Factor &factor) { return factor.isBlocked; });
  return factors.isCustom ? text + ", custom" : text;
}

namespace {

class RuleParser {
public:
  explicit RuleParser(llvm::StringRef text) : rest_(text) {}

  MaybeFactors parse() {
    if (!tensors(result_.operands) || !consume("->") || !tensors(result_.results) || !sizes())
      return std::nullopt;
    while (!rest_.ltrim().empty()) {
      consume(",");
      if (consume("custom"))
        result_.isCustom = true;
      else if (!clause())
        return std::nullopt;
    }
    return isConsistent() ? MaybeFactors(std::move(result_)) : std::nullopt;
  }

private:
  bool consume(llvm::StringRef token) {
    rest_ = rest_.ltrim();
    bool found = rest_.consume_front(token);
    rest_ = rest_.ltrim();
    return found;
  }

  // Items between two marks, with commas between them.
  bool list(llvm::StringRef open, llvm::StringRef close, llvm::function_ref<bool()> item) {
    if (!consume(open))
      return false;
    if (consume(close))
      return true;
    do {
      if (!item())
        return false;
    } while (consume(","));
    return consume(close);
  }

  bool factor(int64_t &number) {
    rest_ = rest_.ltrim();
    if (rest_.consume_front("z_")) {
      if (rest_.consumeInteger(10, number) || number < 1)
        return false;
      number += kLastLetter;
      return true;
    }
    if (rest_.empty() || rest_.front() < 'i' || rest_.front() > 'z')
      return false;
    number = rest_.front() - 'i';
    rest_ = rest_.drop_front();
    return true;
  }

  bool tensors(SmallVector<TensorFactors, 3> &tensors) {
    auto dim = [&] {
      DimFactors &factors = tensors.back().emplace_back();
      do {
        if (!factor(factors.emplace_back()))
          return false;
      } while (!rest_.empty() && rest_.front() >= 'i' && rest_.front() <= 'z');
      return true;
    };
    return list("(", ")", [&] {
      tensors.emplace_back();
      return list("[", "]", dim);
    });
  }

  bool sizes() {
    if (!rest_.ltrim().starts_with("{"))
      return true;
    return list("{", "}", [&] {
      int64_t number, size;
      if (!factor(number) || number != static_cast<int64_t>(result_.factors.size()) || !consume("=") ||
          rest_.consumeInteger(10, size) || size < 0)
        return false;
      result_.factors.push_back({size});
      return true;
    });
  }

  bool clause() {
    constexpr std::pair<llvm::StringLiteral, std::optional<FactorType>> kClauses[] = {
        {"reduction", FactorType::kReduction},
        {"need_replication", FactorType::kReplicated},
        {"permutation", FactorType::kMoves},
        {"blocked_propagation", std::nullopt}};
    for (auto [name, type] : kClauses) {
      if (!consume(name))
        continue;
      return consume("=") && list("{", "}", [&, type = type] {
               int64_t number;
               if (!factor(number) || number >= static_cast<int64_t>(result_.factors.size()))
                 return false;
               if (type)
                 result_.factors[number].type = *type;
               else
                 result_.factors[number].isBlocked = true;
               return true;
             });
    }
    return false;
  }

  bool isConsistent() const {
    for (const TensorFactors &tensor : llvm::concat<const TensorFactors>(result_.operands, result_.results))
      for (const DimFactors &dim : tensor)
        for (int64_t number : dim)
          if (number >= static_cast<int64_t>(result_.factors.size()))
            return false;
    return true;
  }

  llvm::StringRef rest_;
  Factors result_;
};

} // namespace

MaybeFactors parseFactors(llvm::StringRef text) { return RuleParser(text).parse(); }

} // namespace tenon::ir
