// Custom calls whose meaning everybody knows, in the forms that the runtime has.
//
//   Qr(a : T[b,m,n])                                     =>  LAPACK's geqrf, in the type that has a routine
//   ProductOfElementaryHouseholderReflectors(a, taus)    =>  orgqr (ungqr of complex matrices)
//   lapack_strsm_ffi(a, b) of column-major matrices      =>  triangular_solve(a, b), of matrices as they are
//   shape_assertion(c : i1[4], n : i8)                   =>  shape_assertion(and of c : i1, convert(n) : i64)

#include "tenon/passes/legalize/decompose/all_true.h"
#include "tenon/passes/legalize/decompose/patterns.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

// The dimensions of an array, minor to major: matrices are column-major where it has some.
Attribute layoutOf(OpBuilder &builder, int64_t rank, bool hasMatrices) {
  SmallVector<int64_t> order;
  for (int64_t d = rank - 1; d >= 0; --d)
    order.push_back(d);
  if (hasMatrices)
    std::swap(order[0], order[1]);
  return builder.getIndexTensorAttr(order);
}

// Calls of a routine of LAPACK on matrices, which come first, and vectors.
class LapackCall {
public:
  LapackCall(PatternRewriter &rewriter, sh::CustomCallOp call) : rewriter_(rewriter), loc_(call.getLoc()) {
    Type element = getElementTypeOrSelf(call.getOperand(0).getType());
    computed_ = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32 ? Type(rewriter.getF32Type()) : element;
  }

  // "f32" takes the one of the names that begins with s, and so on.
  std::string nameOf(StringRef real, StringRef complex) const {
    if (auto parts = dyn_cast<ComplexType>(computed_))
      return ("lapack_" + Twine(parts.getElementType().isF32() ? "c" : "z") + complex + "_ffi").str();
    return ("lapack_" + Twine(computed_.isF32() ? "s" : "d") + real + "_ffi").str();
  }

  Value toComputed(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return type.getElementType() == computed_
               ? value
               : sh::ConvertOp::create(rewriter_, loc_, type.clone(computed_), value).getResult();
  }
  RankedTensorType toComputed(Type type) { return cast<RankedTensorType>(type).clone(computed_); }
  Value fromComputed(Value value, Type type) {
    return value.getType() == type ? value : sh::ConvertOp::create(rewriter_, loc_, type, value).getResult();
  }

  ResultRange run(StringRef name, ValueRange operands, TypeRange results) {
    OperationState state(loc_, sh::CustomCallOp::getOperationName(), operands, results);
    auto layouts = [&](TypeRange types) {
      SmallVector<Attribute> all;
      for (auto [i, type] : llvm::enumerate(types))
        all.push_back(layoutOf(rewriter_, cast<RankedTensorType>(type).getRank(), /*hasMatrices=*/i == 0));
      return rewriter_.getArrayAttr(all);
    };
    state.addAttribute("call_target_name", rewriter_.getStringAttr(name));
    state.addAttribute("api_version", rewriter_.getI32IntegerAttr(4));
    state.addAttribute("backend_config", rewriter_.getDictionaryAttr({}));
    state.addAttribute("operand_layouts", layouts(operands.getTypes()));
    state.addAttribute("result_layouts", layouts(results));
    return rewriter_.create(state)->getResults();
  }

private:
  PatternRewriter &rewriter_;
  Location loc_;
  Type computed_;
};

// Whether the operands are matrices of numbers that LAPACK computes with, and so on, of known sizes.
bool isOfMatrices(sh::CustomCallOp call, unsigned operands, unsigned results) {
  if (call->getNumOperands() != operands || call->getNumResults() != results ||
      !llvm::all_of(call->getOperandTypes(), isStaticTensor) || !llvm::all_of(call->getResultTypes(), isStaticTensor))
    return false;
  auto matrices = cast<RankedTensorType>(call.getOperand(0).getType());
  Type element = matrices.getElementType();
  auto isOfElement = [&](Type type) { return getElementTypeOrSelf(type) == element; };
  return matrices.getRank() >= 2 && isa<FloatType, ComplexType>(element) &&
         llvm::all_of(call->getOperandTypes(), isOfElement) && llvm::all_of(call->getResultTypes(), isOfElement) &&
         call->getResult(0).getType() == matrices;
}

// One scale for each reflector of each matrix.
bool areScalesOf(RankedTensorType scales, RankedTensorType matrices, bool ofAll) {
  ArrayRef<int64_t> shape = matrices.getShape();
  int64_t most = std::min(shape[shape.size() - 1], shape[shape.size() - 2]);
  return scales.getRank() == matrices.getRank() - 1 && scales.getShape().drop_back() == shape.drop_back(2) &&
         (ofAll ? scales.getShape().back() == most : scales.getShape().back() <= most);
}

struct QrPattern : OpRewritePattern<sh::CustomCallOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::CustomCallOp call, PatternRewriter &rewriter) const override {
    if (call.getCallTargetName() != "Qr" || !isOfMatrices(call, 1, 2) ||
        !areScalesOf(cast<RankedTensorType>(call.getResult(1).getType()),
                     cast<RankedTensorType>(call.getOperand(0).getType()), /*ofAll=*/true))
      return failure(); // a target that nobody knows
    LapackCall lapack(rewriter, call);
    Type types[] = {lapack.toComputed(call.getResult(0).getType()), lapack.toComputed(call.getResult(1).getType())};
    ResultRange results = lapack.run(lapack.nameOf("geqrf", "geqrf"), lapack.toComputed(call.getOperand(0)), types);
    rewriter.replaceOp(call, {lapack.fromComputed(results[0], call.getResult(0).getType()),
                              lapack.fromComputed(results[1], call.getResult(1).getType())});
    return success();
  }
};

struct ReflectorsPattern : OpRewritePattern<sh::CustomCallOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::CustomCallOp call, PatternRewriter &rewriter) const override {
    if (call.getCallTargetName() != "ProductOfElementaryHouseholderReflectors" || !isOfMatrices(call, 2, 1))
      return failure(); // a target that nobody knows
    auto type = cast<RankedTensorType>(call.getOperand(0).getType());
    if (!areScalesOf(cast<RankedTensorType>(call.getOperand(1).getType()), type, /*ofAll=*/false))
      return failure();
    LapackCall lapack(rewriter, call);
    ArrayBuilder builder(rewriter, call.getLoc());
    // No more columns than rows: the product is square, and further columns of its first rows are zero.
    SmallVector<int64_t> square(type.getShape()), start(type.getRank(), 0);
    square.back() = std::min(square.back(), square[square.size() - 2]);
    Value matrices = call.getOperand(0);
    if (type.getShape().back() != square.back())
      matrices = builder.slice(matrices, start, square);
    Value operands[] = {lapack.toComputed(matrices), lapack.toComputed(call.getOperand(1))};
    Value product = lapack.run(lapack.nameOf("orgqr", "ungqr"), operands, operands[0].getType())[0];
    if (type.getShape().back() != square.back())
      product = builder.padLast(product, type.getShape().back());
    rewriter.replaceOp(call, lapack.fromComputed(product, type));
    return success();
  }
};

// The op solves by the same routine, but the transposed equations, whose column-major matrices are these row-major
// ones: nothing is transposed. And ahead of time, where there is no routine, it has a kernel.
struct TriangularSolvePattern : OpRewritePattern<sh::CustomCallOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::CustomCallOp call, PatternRewriter &rewriter) const override {
    StringRef name = call.getCallTargetName();
    auto config = call->getAttrOfType<DictionaryAttr>("mhlo.backend_config");
    if (!name.consume_front("lapack_") || !name.consume_back("trsm_ffi") || !config || !isOfColumnMajor(call))
      return failure();
    auto type = cast<RankedTensorType>(call.getOperand(0).getType());
    if (LapackCall lapack(rewriter, call);
        call.getCallTargetName() != lapack.nameOf("trsm", "trsm") || lapack.toComputed(type) != type)
      return failure();
    std::optional<char> side = letter(config, "side", "LR"), uplo = letter(config, "uplo", "LU"),
                        diag = letter(config, "diag", "NU"), transposed = letter(config, "trans_x", "NTC");
    if (!side || !uplo || !diag || !transposed)
      return failure(); // the runtime says what is wrong
    auto transpose = *transposed == 'N'   ? sh::Transpose::NO_TRANSPOSE
                     : *transposed == 'T' ? sh::Transpose::TRANSPOSE
                                          : sh::Transpose::ADJOINT;
    rewriter.replaceOpWithNewOp<sh::TriangularSolveOp>(call, call.getResult(0).getType(), call.getOperand(0),
                                                       call.getOperand(1), *side == 'L', *uplo == 'L', *diag == 'U',
                                                       transpose);
    return success();
  }

private:
  // Square matrices and right sides that fit, in the layouts that JAX gives.
  static bool isOfColumnMajor(sh::CustomCallOp call) {
    if (call->getNumOperands() != 2 || call->getNumResults() != 1 ||
        !llvm::all_of(call->getOperandTypes(), isStaticTensor) ||
        call.getOperand(1).getType() != call.getResult(0).getType())
      return false;
    RankedTensorType a = ir::typeOf(call.getOperand(0)), b = ir::typeOf(call.getOperand(1));
    if (a.getRank() < 2 || a.getRank() != b.getRank() || a.getShape().drop_back(2) != b.getShape().drop_back(2))
      return false;
    OpBuilder builder(call.getContext());
    Attribute layout = layoutOf(builder, a.getRank(), /*hasMatrices=*/true);
    auto isColumnMajor = [&](ArrayAttr layouts, unsigned count) {
      return layouts && layouts.size() == count && llvm::all_of(layouts, [&](Attribute own) { return own == layout; });
    };
    return isColumnMajor(call.getOperandLayoutsAttr(), 2) && isColumnMajor(call.getResultLayoutsAttr(), 1);
  }

  static std::optional<char> letter(DictionaryAttr config, StringRef name, StringRef allowed) {
    auto code = config.getAs<IntegerAttr>(name);
    if (!code || !code.getValue().isIntN(7) || !allowed.contains(char(code.getValue().getZExtValue())))
      return std::nullopt;
    return char(code.getValue().getZExtValue());
  }
};

// The condition as one boolean, and the numbers of the message as the runtime prints them.
struct AssertionPattern : OpRewritePattern<sh::CustomCallOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::CustomCallOp call, PatternRewriter &rewriter) const override {
    if (call.getCallTargetName() != "shape_assertion" || call->getNumOperands() == 0 ||
        !llvm::all_of(call->getOperandTypes(), isStaticTensor))
      return failure();
    ArrayBuilder builder(rewriter, call.getLoc());
    SmallVector<Value> operands(call->getOperands());
    if (auto type = ir::typeOf(operands[0]); type.getRank() > 0 && type.getElementType().isInteger(1))
      operands[0] = allTrue(builder, operands[0]);
    for (Value &number : llvm::drop_begin(operands)) {
      auto type = ir::typeOf(number);
      auto integer = dyn_cast<IntegerType>(type.getElementType());
      if (!integer || type.getNumElements() != 1)
        continue; // the runtime says what it cannot print
      if (type.getRank() > 0)
        number = builder.reshape(number, {});
      if (integer.getWidth() < 32)
        number =
            sh::ConvertOp::create(rewriter, call.getLoc(), RankedTensorType::get({}, rewriter.getI64Type()), number);
    }
    if (llvm::equal(operands, call->getOperands()))
      return failure();
    rewriter.modifyOpInPlace(call, [&] { call->setOperands(operands); });
    return success();
  }
};

} // namespace

void populateKnownCallPatterns(RewritePatternSet &patterns) {
  patterns.add<QrPattern, ReflectorsPattern, TriangularSolvePattern, AssertionPattern>(patterns.getContext());
}

} // namespace tenon::passes
