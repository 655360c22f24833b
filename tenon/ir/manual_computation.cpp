// What has to hold for an sdy.manual_computation, as Shardy defines it: its shardings say how whole arrays are cut into
// the parts that the body takes and gives, so they must be there, possible, and agree with the types on both sides.
// Elsewhere a sharding only guides; here it is a part of what the program computes.
#include "tenon/ir/mesh.h"
#include "tenon/ir/sdy.h"

#include "mlir/IR/BuiltinOps.h"

namespace tenon::sdy {

using llvm::failure;
using llvm::LogicalResult;
using llvm::success;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::Type;
using mlir::TypeRange;

namespace {

class ComputationVerifier {
public:
  ComputationVerifier(ManualComputationOp op, mlir::ModuleOp module) : op_(op), meshes_(module) {}

  LogicalResult run() {
    mlir::Block &body = op_.getBody().front();
    if (failed(verifyValues("operand", op_.getInShardings(), op_->getOperandTypes(), body.getArgumentTypes())) ||
        failed(verifyValues("result", op_.getOutShardings(), op_->getResultTypes(),
                            body.getTerminator()->getOperandTypes())))
      return failure();
    for (mlir::StringAttr axis : op_.getManualAxes().getAxes())
      if (mesh_ && !mesh_->find(axis))
        return op_.emitOpError() << "is manual in axis " << axis << ", which its mesh does not have";
    return success();
  }

private:
  // The body's types are as many as those around it (ManualComputationOp::verify).
  LogicalResult verifyValues(llvm::StringRef what, TensorShardingPerValueAttr shardings, TypeRange wholes,
                             TypeRange parts) {
    if (shardings.getShardings().size() != wholes.size())
      return op_.emitOpError() << "has " << wholes.size() << ' ' << what << "s, but " << shardings.getShardings().size()
                               << " shardings of " << what << 's';
    for (auto [i, attribute] : llvm::enumerate(shardings.getShardings()))
      if (failed(verifyValue(what, i, attribute, wholes[i], parts[i])))
        return failure();
    return success();
  }

  LogicalResult verifyValue(llvm::StringRef what, size_t i, TensorShardingAttr attribute, Type whole, Type part) {
    auto array = llvm::dyn_cast<RankedTensorType>(whole); // null for a token
    StatusOr<ir::Sharding> sharding = meshes_.read(attribute, array ? array.getRank() : 0);
    if (!sharding.ok())
      return op_.emitOpError() << what << ' ' << i << ": " << sharding.status().message();
    // What names no axis lies the same way on any mesh.
    if (!sharding->mesh->axes.empty() && mesh_ && mesh_ != sharding->mesh)
      return op_.emitOpError() << what << ' ' << i << " lies on another mesh than those before it";
    if (!sharding->mesh->axes.empty())
      mesh_ = sharding->mesh;
    if (!array || sharding->mesh->isMaximal())
      return success();
    return verifyPart(what, i, *sharding, array, llvm::cast<RankedTensorType>(part));
  }

  LogicalResult verifyPart(llvm::StringRef what, size_t i, const ir::Sharding &sharding, RankedTensorType whole,
                           RankedTensorType part) {
    llvm::SmallVector<int64_t> sizes(whole.getShape());
    for (auto [d, cut] : llvm::enumerate(sharding.dims)) {
      int64_t parts = 1;
      for (auto [place, atom] : llvm::enumerate(cut.axes)) {
        if (!isManual(*sharding.mesh, atom))
          continue;
        if (place > 0 && !isManual(*sharding.mesh, cut.axes[place - 1]))
          return op_.emitOpError() << what << ' ' << i << ": axes of dimension " << d << " that are manual must come "
                                   << "before those that are not, got \"" << sharding.mesh->axes[atom.axis].name
                                   << "\" behind \"" << sharding.mesh->axes[cut.axes[place - 1].axis].name << '"';
        parts *= atom.size;
      }
      if (ShapedType::isDynamic(sizes[d]))
        continue;
      if (sizes[d] % parts != 0)
        return op_.emitOpError() << what << ' ' << i << ": dimension " << d << " of size " << sizes[d]
                                 << " can't be cut into " << parts << " equal parts";
      sizes[d] /= parts;
    }
    if (failed(mlir::verifyCompatibleShape(llvm::ArrayRef(sizes), part.getShape())))
      return op_.emitOpError() << what << ' ' << i << " of type " << whole << " is cut into parts of type "
                               << RankedTensorType::get(sizes, whole.getElementType()) << ", but the body has " << part;
    return success();
  }

  bool isManual(const ir::Mesh &mesh, const ir::Atom &atom) {
    return llvm::any_of(op_.getManualAxes().getAxes(),
                        [&](mlir::StringAttr axis) { return axis.getValue() == mesh.axes[atom.axis].name; });
  }

  ManualComputationOp op_;
  ir::MeshTable meshes_;
  const ir::Mesh *mesh_ = nullptr; // that of the shardings so far, if one has axes
};

} // namespace

LogicalResult ManualComputationOp::verifySymbolUses(mlir::SymbolTableCollection &) {
  auto module = (*this)->getParentOfType<mlir::ModuleOp>();
  if (!module)
    return success();
  for (auto outer = (*this)->getParentOfType<ManualComputationOp>(); outer;
       outer = outer->getParentOfType<ManualComputationOp>())
    for (mlir::StringAttr axis : getManualAxes().getAxes())
      if (llvm::is_contained(outer.getManualAxes().getAxes(), axis))
        return emitOpError() << "is manual in axis " << axis << ", in which the computation around it is already";
  return ComputationVerifier(*this, module).run();
}

} // namespace tenon::sdy
