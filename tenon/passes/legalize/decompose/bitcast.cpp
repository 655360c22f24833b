// bitcast_convert between elements of different widths, as shifts of integers: the parts of a wide element lie along a
// last dimension, the lowest bits first.
//
//   bitcast_convert : tensor<3xi32> -> tensor<3x4xi8>  =>  convert (x >> [0, 8, 16, 24])
//   bitcast_convert : tensor<3x4xi8> -> tensor<3xi32>  =>  reduce with or (convert(x) << [0, 8, 16, 24])

#include "tenon/ir/element_types.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/passes/legalize/decompose/patterns.h"

#include <cmath>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::typeOf;

// 0 for types that are not taken apart here.
unsigned bitsOf(Type element) { return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0; }

// Floats of six bits, for which there is no integer of their width, and their codes as ui8: through f32, whose exponent
// and leading bits of the mantissa are those of the code but for the bias.
class SixBits {
public:
  SixBits(PatternRewriter &rewriter, Location loc, FloatType type, ArrayRef<int64_t> shape)
      : rewriter_(rewriter), loc_(loc), type_(RankedTensorType::get(shape, type)),
        f32_(this->type_.clone(rewriter.getF32Type())), u32_(this->type_.clone(rewriter.getIntegerType(32, false))),
        mantissaBits_(floatFormat(ir::toElementType(type)).mantissaBits),
        bias_(floatFormat(ir::toElementType(type)).bias),
        // The distance of subnormal numbers, which their codes count.
        step_(std::ldexp(1.0, int(1 - bias_ - mantissaBits_))) {}

  Value encode(Value value) {
    Value number = sh::ConvertOp::create(rewriter_, loc_, f32_, value);
    Value bits = sh::BitcastConvertOp::create(rewriter_, loc_, u32_, number);
    Value sign = shiftLeft(shiftRight(bits, 31), 5);
    Value magnitude = sh::AbsOp::create(rewriter_, loc_, f32_, number);
    Value steps = sh::DivideOp::create(rewriter_, loc_, f32_, magnitude, splat(step_));
    Value subnormal = sh::ConvertOp::create(rewriter_, loc_, u32_, steps);
    Value normal = binary<sh::SubtractOp>(
        shiftRight(sh::BitcastConvertOp::create(rewriter_, loc_, u32_, magnitude), 23 - mantissaBits_),
        splat(uint32_t(127 - bias_) << mantissaBits_));
    Value code = binary<sh::OrOp>(sign, choose(less(subnormal, firstNormal()), subnormal, normal));
    return sh::ConvertOp::create(rewriter_, loc_, type_.clone(rewriter_.getIntegerType(8, false)), code);
  }

  Value decode(Value code) {
    Value bits = sh::ConvertOp::create(rewriter_, loc_, u32_, code);
    Value magnitude = binary<sh::AndOp>(bits, splat(uint32_t(31)));
    Value number = sh::ConvertOp::create(rewriter_, loc_, f32_, magnitude);
    Value subnormal = sh::BitcastConvertOp::create(
        rewriter_, loc_, u32_, sh::MultiplyOp::create(rewriter_, loc_, f32_, number, splat(step_)).getResult());
    Value normal = binary<sh::AddOp>(shiftLeft(magnitude, 23 - mantissaBits_), splat(uint32_t(127 - bias_) << 23));
    Value sign = shiftLeft(shiftRight(bits, 5), 31);
    Value all = binary<sh::OrOp>(sign, choose(less(magnitude, firstNormal()), subnormal, normal));
    Value value = sh::BitcastConvertOp::create(rewriter_, loc_, f32_, all);
    return sh::ConvertOp::create(rewriter_, loc_, type_, value);
  }

private:
  template <typename Op> Value binary(Value a, Value b) { return Op::create(rewriter_, loc_, a.getType(), a, b); }
  Value splat(uint32_t value) {
    return sh::ConstantOp::create(rewriter_, loc_, SplatElementsAttr::get(u32_, APInt(32, value)));
  }
  Value splat(double value) {
    return sh::ConstantOp::create(rewriter_, loc_, SplatElementsAttr::get(f32_, APFloat(float(value))));
  }
  Value firstNormal() { return splat(uint32_t(1) << mantissaBits_); }
  Value shiftLeft(Value value, int64_t by) { return binary<sh::ShiftLeftOp>(value, splat(uint32_t(by))); }
  Value shiftRight(Value value, int64_t by) { return binary<sh::ShiftRightLogicalOp>(value, splat(uint32_t(by))); }
  Value less(Value a, Value b) {
    return sh::CompareOp::create(rewriter_, loc_, type_.clone(rewriter_.getI1Type()), a, b, sh::ComparisonDirection::LT,
                                 sh::ComparisonTypeAttr());
  }
  Value choose(Value condition, Value a, Value b) {
    return sh::SelectOp::create(rewriter_, loc_, a.getType(), condition, a, b);
  }

  PatternRewriter &rewriter_;
  Location loc_;
  RankedTensorType type_, f32_, u32_;
  int64_t mantissaBits_, bias_;
  double step_;
};

class Bits {
public:
  Bits(sh::BitcastConvertOp op, PatternRewriter &rewriter)
      : rewriter_(rewriter), loc_(op.getLoc()), operand_(op.getOperand()), result_(typeOf(op.getResult())) {}

  // [...] to [..., parts]
  Value narrow() {
    unsigned part = bitsOf(result_.getElementType()), whole = bitsOf(typeOf(operand_).getElementType());
    SmallVector<int64_t> dims = leading(typeOf(operand_).getRank());
    Value bits = as(operand_, integer(whole));
    auto wide = result_.clone(integer(whole));
    Value spread = sh::BroadcastInDimOp::create(rewriter_, loc_, wide, bits, dims);
    Value shifted = binary<sh::ShiftRightLogicalOp>(spread, offsets(wide, part));
    if (part == 1) // any number but zero converts to true
      shifted = binary<sh::AndOp>(shifted, constant(wide, 1));
    return as(convert(shifted, integer(part)), result_.getElementType());
  }

  // [..., parts] to [...]
  Value widen() {
    unsigned part = bitsOf(typeOf(operand_).getElementType()), whole = bitsOf(result_.getElementType());
    Value bits = convert(as(operand_, integer(part)), integer(whole));
    Value shifted = binary<sh::ShiftLeftOp>(bits, offsets(typeOf(bits), part));
    auto scalar = RankedTensorType::get({}, integer(whole));
    auto reduce = sh::ReduceOp::create(rewriter_, loc_, TypeRange{result_.clone(integer(whole))}, ValueRange{shifted},
                                       ValueRange{constant(scalar, 0)}, ArrayRef<int64_t>{result_.getRank()});
    {
      OpBuilder::InsertionGuard guard(rewriter_);
      Block *body = rewriter_.createBlock(&reduce.getBody(), {}, {scalar, scalar}, {loc_, loc_});
      Value both = sh::OrOp::create(rewriter_, loc_, scalar, body->getArgument(0), body->getArgument(1));
      sh::ReturnOp::create(rewriter_, loc_, both);
    }
    return as(reduce.getResult(0), result_.getElementType());
  }

private:
  // The codes of floats of six bits take eight.
  Type integer(unsigned bits) { return rewriter_.getIntegerType(bits == 6 ? 8 : bits, /*isSigned=*/false); }
  // Signless i1 is the boolean; there is no ui1.
  Type integerOrBool(unsigned bits) { return bits == 1 ? Type(rewriter_.getI1Type()) : integer(bits); }
  static SmallVector<int64_t> leading(int64_t rank) { return llvm::to_vector(llvm::seq<int64_t>(0, rank)); }

  Value as(Value value, Type element) {
    if (element == integer(1))
      element = rewriter_.getI1Type();
    RankedTensorType type = typeOf(value).clone(element);
    Type given = typeOf(value).getElementType();
    if (given != element && bitsOf(given) == 6)
      return SixBits(rewriter_, loc_, cast<FloatType>(given), type.getShape()).encode(value);
    if (given != element && bitsOf(element) == 6)
      return SixBits(rewriter_, loc_, cast<FloatType>(element), type.getShape()).decode(value);
    return type == value.getType() ? value : sh::BitcastConvertOp::create(rewriter_, loc_, type, value).getResult();
  }
  Value convert(Value value, Type element) {
    RankedTensorType type = typeOf(value).clone(integerOrBool(bitsOf(element)));
    return type == value.getType() ? value : sh::ConvertOp::create(rewriter_, loc_, type, value).getResult();
  }
  template <typename Op> Value binary(Value a, Value b) { return Op::create(rewriter_, loc_, a.getType(), a, b); }
  Value constant(RankedTensorType type, uint64_t value) {
    APInt bits(type.getElementTypeBitWidth(), value);
    return sh::ConstantOp::create(rewriter_, loc_, SplatElementsAttr::get(type, bits));
  }
  // How far up each part of the last dimension lies.
  Value offsets(RankedTensorType type, unsigned part) {
    Value number = sh::IotaOp::create(rewriter_, loc_, type, type.getRank() - 1);
    return binary<sh::MultiplyOp>(number, constant(type, part));
  }

  PatternRewriter &rewriter_;
  Location loc_;
  Value operand_;
  RankedTensorType result_;
};

struct WidthPattern : OpRewritePattern<sh::BitcastConvertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::BitcastConvertOp op, PatternRewriter &rewriter) const override {
    RankedTensorType from = typeOf(op.getOperand()), to = typeOf(op.getResult());
    unsigned fromBits = bitsOf(from.getElementType()), toBits = bitsOf(to.getElementType());
    if (!from.hasStaticShape() || !to.hasStaticShape() || !fromBits || !toBits || fromBits == toBits)
      return failure();
    Bits bits(op, rewriter);
    rewriter.replaceOp(op, toBits < fromBits ? bits.narrow() : bits.widen());
    return success();
  }
};

// complex<f64> as two complex<f32>: each part by itself.
struct ComplexPattern : OpRewritePattern<sh::BitcastConvertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::BitcastConvertOp op, PatternRewriter &rewriter) const override {
    RankedTensorType from = typeOf(op.getOperand()), to = typeOf(op.getResult());
    auto fromElement = dyn_cast<ComplexType>(from.getElementType());
    auto toElement = dyn_cast<ComplexType>(to.getElementType());
    if (!fromElement || !toElement || fromElement == toElement || !from.hasStaticShape() || !to.hasStaticShape())
      return failure();
    // The real part is the first complex number of the last dimension, the imaginary part the second.
    bool narrows = fromElement.getElementType().isF64();
    RankedTensorType narrow = narrows ? to : from;
    SmallVector<int64_t> column(narrow.getShape()), start(column.size(), 0), strides(column.size(), 1);
    column.back() = 1;
    auto columnType = narrow.clone(column), halves = RankedTensorType::get(narrow.getShape(), rewriter.getF32Type());
    auto columnHalves = columnType.clone(rewriter.getF32Type());
    Location loc = op.getLoc();
    auto half = [&](Value pair, int64_t i) -> Value {
      SmallVector<int64_t> first(start), limit(column);
      first.back() = i;
      limit.back() = i + 1;
      RankedTensorType type = typeOf(pair).clone(column);
      return sh::SliceOp::create(rewriter, loc, type, pair, first, limit, strides);
    };
    if (narrows) {
      auto numberOf = [&](Value part) -> Value {
        Value pair = sh::BitcastConvertOp::create(rewriter, loc, halves, part);
        return sh::ComplexOp::create(rewriter, loc, columnType, half(pair, 0), half(pair, 1));
      };
      auto parts = from.clone(rewriter.getF64Type());
      Value re = sh::RealOp::create(rewriter, loc, parts, op.getOperand());
      Value im = sh::ImagOp::create(rewriter, loc, parts, op.getOperand());
      rewriter.replaceOpWithNewOp<sh::ConcatenateOp>(op, to, ValueRange{numberOf(re), numberOf(im)}, to.getRank() - 1);
      return success();
    }
    auto partOf = [&](Value number) -> Value {
      Value re = sh::RealOp::create(rewriter, loc, columnHalves, number);
      Value im = sh::ImagOp::create(rewriter, loc, columnHalves, number);
      Value pair = sh::ConcatenateOp::create(rewriter, loc, halves, ValueRange{re, im}, from.getRank() - 1);
      return sh::BitcastConvertOp::create(rewriter, loc, to.clone(rewriter.getF64Type()), pair);
    };
    rewriter.replaceOpWithNewOp<sh::ComplexOp>(op, to, partOf(half(op.getOperand(), 0)),
                                               partOf(half(op.getOperand(), 1)));
    return success();
  }
};

} // namespace

void populateBitcastPatterns(RewritePatternSet &patterns) {
  patterns.add<WidthPattern, ComplexPattern>(patterns.getContext());
}

} // namespace tenon::passes
