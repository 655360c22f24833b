#include "tenon/frontend/builder/program_state.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon::xla_2017::internal {

void ProgramState::fail(Status status) {
  if (dieImmediately)
    tenon::dieBecauseOf(status);
  if (!error)
    error = std::move(status);
}

void ProgramState::fail(const std::string &place, const std::string &message) {
  if (!failed())
    fail(tenon::invalidArgument(name + ": " + place + ": " + message));
}

mlir::Location ProgramState::locationOf(llvm::StringRef method, SourceLocation at) {
  if (caller) {
    method = caller->method;
    at = caller->at;
  }
  mlir::Location place = mlir::FileLineColLoc::get(&context(), at.file, at.line, 1);
  return mlir::NameLoc::get(mlir::StringAttr::get(&context(), name + "/" + method), place);
}

std::string ProgramState::placeOf(llvm::StringRef method, SourceLocation at) const {
  if (caller) {
    method = caller->method;
    at = caller->at;
  }
  return method.str() + " at " + at.file + ":" + std::to_string(at.line);
}

std::string errorsOf(mlir::MLIRContext &context, llvm::function_ref<llvm::LogicalResult()> function,
                     const char *otherwise) {
  std::string errors;
  auto thread = llvm::get_threadid();
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (llvm::get_threadid() != thread)
      return mlir::failure();
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error) {
      llvm::raw_string_ostream stream(errors);
      stream << (errors.empty() ? "" : "\n") << diagnostic;
    }
    return mlir::success();
  });
  if (llvm::failed(function()) && errors.empty())
    errors = otherwise;
  return errors;
}

std::string errorsOf(mlir::Operation *op) {
  return errorsOf(*op->getContext(), [&] { return mlir::verify(op); }, "not a valid operation");
}

// The elements of a row-major array without padding. Those of fewer than 8 bits are given by their bits.
static mlir::DenseElementsAttr denseElementsOf(mlir::RankedTensorType type, const Literal &literal) {
  mlir::Type element = type.getElementType();
  const auto *bytes = static_cast<const char *>(literal.untyped_data());
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 == 0)
    return mlir::DenseElementsAttr::getFromRawBuffer(type, {bytes, static_cast<size_t>(literal.size_bytes())});
  unsigned width = element.getIntOrFloatBitWidth();
  llvm::SmallVector<mlir::Attribute> values;
  for (int64 i = 0; i < literal.size_bytes(); ++i) {
    llvm::APInt bits(width, static_cast<uint8>(bytes[i]), /*isSigned=*/false, /*implicitTrunc=*/true);
    if (auto floatType = mlir::dyn_cast<mlir::FloatType>(element))
      values.push_back(mlir::FloatAttr::get(floatType, llvm::APFloat(floatType.getFloatSemantics(), bits)));
    else
      values.push_back(mlir::IntegerAttr::get(element, bits));
  }
  return mlir::DenseElementsAttr::get(type, values);
}

mlir::DenseElementsAttr elementsOf(mlir::RankedTensorType type, const Literal &literal) {
  Layout layout = LayoutUtil::LayoutOf(literal.shape());
  if (LayoutUtil::IsDefault(layout) && !LayoutUtil::IsPadded(layout, literal.shape()))
    return denseElementsOf(type, literal);
  return denseElementsOf(type, literal.Relayout(LayoutUtil::GetDefaultLayout(type.getRank())));
}

} // namespace tenon::xla_2017::internal
