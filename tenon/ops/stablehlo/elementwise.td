// Ops whose value at an index depends on the operands at that index only.
#ifndef TENON_OPS_STABLEHLO_ELEMENTWISE
#define TENON_OPS_STABLEHLO_ELEMENTWISE

include "tenon/ops/stablehlo/base.td"

class UnaryOp<string mnemonic, Trait cost, Type operandType, Type resultType = operandType,
              list<Trait> traits = [InferredTypes]>
    : Stablehlo_Op<mnemonic, [Pure, cost] # traits> {
  let arguments = (ins In<mnemonic # "_i1", operandType>:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
}

class SameTypeUnaryOp<string mnemonic, Trait cost, Type type> : UnaryOp<mnemonic, cost, type> {
  let extraClassDefinition = "TENON_SAME_TYPE($cppClass)";
}

// An elementary function: floats and complex numbers to the same, with an optional demand on its accuracy.
class ElementaryOp<string mnemonic, Trait cost> : SameTypeUnaryOp<mnemonic, cost, FloatLikeTensor> {
  let arguments = (ins In<mnemonic # "_i1", FloatLikeTensor>:$operand,
                       DefaultValuedOptionalAttr<CheckedResultAccuracyAttr,
                           "::tenon::stablehlo::ResultAccuracyMode::DEFAULT">:$result_accuracy);
}

class BinaryOp<string mnemonic, Trait cost, Type type, list<Trait> traits = []>
    : Stablehlo_Op<mnemonic, [Pure, cost, InferredTypes] # traits> {
  let arguments = (ins In<mnemonic # "_i1", type>:$lhs, In<mnemonic # "_i2", type>:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` custom<SameOperandsAndResultType>(type($lhs), type($rhs), type($result))
  }];
  let extraClassDefinition = "TENON_SAME_TYPE($cppClass)";
}

//===- Unary -----------------------------------------------------------------------------------------------------===//

def AbsOp : UnaryOp<"abs", Simple, SignedOrFloatTensor>;
def CbrtOp : ElementaryOp<"cbrt", Exponential>;
def CeilOp : SameTypeUnaryOp<"ceil", Simple, FloatOrQuantizedTensor>;
def ConvertOp : UnaryOp<"convert", Simple, TensorWith<[Bool, SignedInt, UnsignedInt, Float, ComplexKind]>,
                        TensorWith<[Bool, SignedInt, UnsignedInt, Float, ComplexKind]>, []> {
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "::mlir::Type":$resultElementType)>];
}
def CosineOp : ElementaryOp<"cosine", Trigonometric>;
def CountLeadingZerosOp : SameTypeUnaryOp<"count_leading_zeros", Simple, IntTensor>;
def ExponentialOp : ElementaryOp<"exponential", Exponential>;
def ExponentialMinusOneOp : ElementaryOp<"exponential_minus_one", Exponential>;
def FloorOp : SameTypeUnaryOp<"floor", Simple, FloatOrQuantizedTensor>;
def ImagOp : UnaryOp<"imag", Simple, FloatOrComplexTensor, FloatTensor>;
def IsFiniteOp : UnaryOp<"is_finite", Simple, FloatOrQuantizedTensor, BoolTensor> {
  let arguments = (ins In<"is_finite_i1", FloatOrQuantizedTensor>:$x);
  let results = (outs BoolTensor:$y);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def LogOp : ElementaryOp<"log", Exponential>;
def LogPlusOneOp : ElementaryOp<"log_plus_one", Exponential>;
def LogisticOp : ElementaryOp<"logistic", Exponential>;
def NegateOp : SameTypeUnaryOp<"negate", Simple, IntFloatOrQuantizedTensor>;
def NotOp : SameTypeUnaryOp<"not", Simple, BoolOrIntTensor>;
def PopcntOp : SameTypeUnaryOp<"popcnt", Simple, IntTensor>;
def RealOp : UnaryOp<"real", Simple, FloatOrComplexTensor, FloatTensor>;
def RoundNearestAfzOp : SameTypeUnaryOp<"round_nearest_afz", Simple, FloatOrQuantizedTensor>;
def RoundNearestEvenOp : SameTypeUnaryOp<"round_nearest_even", Simple, FloatOrQuantizedTensor>;
def RsqrtOp : ElementaryOp<"rsqrt", Root>;
def SignOp : SameTypeUnaryOp<"sign", Simple, SignedOrFloatTensor>;
def SineOp : ElementaryOp<"sine", Trigonometric>;
def SqrtOp : ElementaryOp<"sqrt", Root>;
def TanOp : ElementaryOp<"tan", Trigonometric>;
def TanhOp : ElementaryOp<"tanh", Exponential>;
def UniformQuantizeOp : UnaryOp<"uniform_quantize", Simple, TensorWith<[Float, Quantized, QuantizedPerAxis]>,
                                TensorWith<[Quantized, QuantizedPerAxis]>, []>;
def UniformDequantizeOp : UnaryOp<"uniform_dequantize", Simple, TensorWith<[Quantized, QuantizedPerAxis]>, FloatTensor>;
def ReducePrecisionOp : Stablehlo_Op<"reduce_precision", [Pure, Simple, InferredTypes]> {
  let arguments = (ins In<"reduce_precision_i1", FloatOrQuantizedTensor>:$operand,
                       A<"reduce_precision_i2", I32Attr>:$exponent_bits,
                       A<"reduce_precision_i3", I32Attr>:$mantissa_bits);
  let results = (outs FloatOrQuantizedTensor:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits) attr-dict
        `:` custom<SameOperandsAndResultType>(type($operand), type($output))
  }];
}

//===- Binary ----------------------------------------------------------------------------------------------------===//

def AddOp : BinaryOp<"add", Simple, AnyElementTensor, [Commutative]> {
  let extraClassDefinition = ?; // which operands are quantized along a dimension has rules of its own
}
def AndOp : BinaryOp<"and", Simple, BoolOrIntTensor, [Commutative]>;
def Atan2Op : BinaryOp<"atan2", Trigonometric, FloatLikeTensor>;
def DivideOp : BinaryOp<"divide", Division, IntFloatOrQuantizedTensor>;
def MaximumOp : BinaryOp<"maximum", Simple, PerTensorTensor, [Commutative]>;
def MinimumOp : BinaryOp<"minimum", Simple, PerTensorTensor, [Commutative]>;
def MultiplyOp : BinaryOp<"multiply", Simple, PerTensorTensor, [Commutative]>;
def OrOp : BinaryOp<"or", Simple, BoolOrIntTensor, [Commutative]>;
def PowerOp : BinaryOp<"power", Trigonometric, IntFloatOrQuantizedTensor>;
def RemainderOp : BinaryOp<"remainder", Remainder, IntFloatOrQuantizedTensor>;
def ShiftLeftOp : BinaryOp<"shift_left", Simple, IntTensor>;
def ShiftRightArithmeticOp : BinaryOp<"shift_right_arithmetic", Simple, IntTensor>;
def ShiftRightLogicalOp : BinaryOp<"shift_right_logical", Simple, IntTensor>;
def SubtractOp : BinaryOp<"subtract", Simple, IntFloatOrQuantizedTensor>;
def XorOp : BinaryOp<"xor", Simple, BoolOrIntTensor, [Commutative]>;

def ComplexOp : Stablehlo_Op<"complex", [Pure, Simple, InferredTypes]> {
  let arguments = (ins In<"complex_i1", TensorWith<[Float32Or64]>>:$lhs,
                       In<"complex_i2", TensorWith<[Float32Or64]>>:$rhs);
  let results = (outs ComplexTensor:$result);
  let assemblyFormat = "operands attr-dict `:` custom<ComplexOpType>(type($lhs), type($rhs), type($result))";
}

def CompareOp : Stablehlo_Op<"compare", [Pure, Simple, InferredTypes]> {
  let arguments = (ins In<"compare_i1", PerTensorTensor>:$lhs, In<"compare_i2", PerTensorTensor>:$rhs,
                       A<"compare_i3", ComparisonDirectionAttr>:$comparison_direction,
                       OptionalAttr<A<"compare_i4", ComparisonTypeAttr>>:$compare_type);
  let results = (outs BoolTensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs,
                                 "::tenon::stablehlo::ComparisonDirection":$direction,
                                 CArg<"::tenon::stablehlo::ComparisonType",
                                      "::tenon::stablehlo::ComparisonType::NOTYPE">:$type)>];
  let assemblyFormat = [{
    $comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)? attr-dict
        `:` functional-type(operands, results)
  }];
}

//===- Ternary ---------------------------------------------------------------------------------------------------===//

def ClampOp : Stablehlo_Op<"clamp", [Pure, Simple, InferredTypes]> {
  let arguments = (ins In<"clamp_i1", PerTensorTensor>:$min, In<"clamp_i2", PerTensorTensor>:$operand,
                       In<"clamp_i3", PerTensorTensor>:$max);
  let results = (outs PerTensorTensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict
        `:` custom<SameOperandsAndResultType>(type($min), type($operand), type($max), type($result))
  }];
}

def SelectOp : Stablehlo_Op<"select", [Pure, Simple, InferredTypes]> {
  let arguments = (ins In<"select_i1", BoolTensor>:$pred, In<"select_i2", PerTensorTensor>:$on_true,
                       In<"select_i3", PerTensorTensor>:$on_false);
  let results = (outs PerTensorTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<SelectOpType>(type($pred), type($on_true), type($on_false), type($result))
  }];
}

#endif
