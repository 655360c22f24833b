// How inference and verification report a broken rule of the specification.
//
// A rule has a label, `<op>_c<n>` for the specification's constraint (Cn) of that op and `<op>_i<n>` for the type of
// its input (In). A message is the op, the label, the rule, and what was found:
//
//   'stablehlo.pad' op pad_c3: interior padding must be >= 0, got -1 in dimension 2
//
// Each op's rules are written once, over the op's adaptor, and serve both a builder that asks for the result types and
// the verifier that has the finished op.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "tenon/ir/types.h"
#include "llvm/ADT/STLExtras.h"

namespace tenon::stablehlo {

using llvm::ArrayRef;
using llvm::failed;
using llvm::failure;
using llvm::FailureOr;
using llvm::LogicalResult;
using llvm::SmallVector;
using llvm::SmallVectorImpl;
using llvm::StringRef;
using llvm::succeeded;
using llvm::success;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::Type;

/// A report under way; converts to failure whether or not anybody listens.
class [[nodiscard]] Broken {
public:
  explicit Broken(std::optional<mlir::InFlightDiagnostic> diagnostic) : diagnostic_(std::move(diagnostic)) {}

  template <typename T> Broken &operator<<(T &&value) {
    if (diagnostic_)
      *diagnostic_ << std::forward<T>(value);
    return *this;
  }
  /// A list of sizes or dimension numbers, as `[1, ?, 3]`.
  Broken &operator<<(ArrayRef<int64_t> values);
  Broken &operator<<(SmallVectorImpl<int64_t> &values) { return *this << ArrayRef<int64_t>(values); }

  operator LogicalResult() const { return failure(); }
  template <typename T> operator FailureOr<T>() const { return failure(); }

private:
  std::optional<mlir::InFlightDiagnostic> diagnostic_;
};

class Rules {
public:
  /// For the verifier.
  explicit Rules(mlir::Operation *op) : op_(op), location_(op->getLoc()), name_(op->getName().getStringRef()) {}
  /// For inference, before there is an op; silent without a location.
  Rules(std::optional<mlir::Location> location, StringRef name) : location_(location), name_(name) {}

  /// Begins a report of the rule with this label.
  Broken broken(const llvm::Twine &label) const;
  /// The same for constraint n of this op: `broken(3)` in pad is `broken("pad_c3")`.
  Broken broken(int constraint) const;

  /// The op's name without its dialect.
  StringRef mnemonic() const { return name_.substr(name_.find('.') + 1); }

private:
  mlir::Operation *op_ = nullptr;
  std::optional<mlir::Location> location_;
  StringRef name_;
};

//===- Dimensions and types --------------------------------------------------------------------------------------===//

inline RankedTensorType tensor(Type type) { return llvm::cast<RankedTensorType>(type); }
inline RankedTensorType tensor(mlir::Value value) { return llvm::cast<RankedTensorType>(value.getType()); }

/// Whether two sizes may be the same at run time: equal, or one of them dynamic.
inline bool compatible(int64_t a, int64_t b) { return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b; }
bool compatibleShapes(ArrayRef<int64_t> a, ArrayRef<int64_t> b);
using ir::compatibleElements;
/// Compatible shapes and elements; other types, such as tokens and tuples, elementwise so.
bool compatibleTypes(Type a, Type b);

/// The more static of the sizes at each dimension, with the bounds that remain; of types that are compatible.
RankedTensorType mostSpecific(ArrayRef<RankedTensorType> types);

/// A tensor of this shape and element type. Bounds may be empty; those of static dimensions are dropped.
RankedTensorType makeTensor(ArrayRef<int64_t> shape, Type element, ArrayRef<int64_t> bounds = {});

} // namespace tenon::stablehlo
