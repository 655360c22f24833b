// Ops whose value at an index depends on the operands at that index only.
#ifndef TENON_OPS_STABLEHLO_ELEMENTWISE
#define TENON_OPS_STABLEHLO_ELEMENTWISE

include "tenon/ops/stablehlo/base.td"

class UnaryOp<string mnemonic, Type operandType, Type resultType = operandType, list<Trait> traits = [InferredTypes]>
    : Stablehlo_Op<mnemonic, [Pure, ElementwiseFamily] # traits> {
  let arguments = (ins In<mnemonic # "_i1", operandType>:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
}

// An elementary function: floats and complex numbers to the same, with an optional demand on its accuracy.
class ElementaryOp<string mnemonic> : UnaryOp<mnemonic, FloatLikeTensor> {
  let arguments = (ins In<mnemonic # "_i1", FloatLikeTensor>:$operand,
                       DefaultValuedOptionalAttr<CheckedResultAccuracyAttr,
                           "::tenon::stablehlo::ResultAccuracyMode::DEFAULT">:$result_accuracy);
}

class BinaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : Stablehlo_Op<mnemonic, [Pure, ElementwiseFamily, InferredTypes] # traits> {
  let arguments = (ins In<mnemonic # "_i1", type>:$lhs, In<mnemonic # "_i2", type>:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` custom<SameOperandsAndResultType>(type($lhs), type($rhs), type($result))
  }];
}

//===- Unary -----------------------------------------------------------------------------------------------------===//

def AbsOp : UnaryOp<"abs", SignedOrFloatTensor>;
def CbrtOp : ElementaryOp<"cbrt">;
def CeilOp : UnaryOp<"ceil", FloatOrQuantizedTensor>;
def ConvertOp : UnaryOp<"convert", TensorWith<[Bool, SignedInt, UnsignedInt, Float, ComplexKind]>,
                        TensorWith<[Bool, SignedInt, UnsignedInt, Float, ComplexKind]>, []> {
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "::mlir::Type":$resultElementType)>];
}
def CosineOp : ElementaryOp<"cosine">;
def CountLeadingZerosOp : UnaryOp<"count_leading_zeros", IntTensor>;
def ExponentialOp : ElementaryOp<"exponential">;
def ExponentialMinusOneOp : ElementaryOp<"exponential_minus_one">;
def FloorOp : UnaryOp<"floor", FloatOrQuantizedTensor>;
def ImagOp : UnaryOp<"imag", FloatOrComplexTensor, FloatTensor>;
def IsFiniteOp : UnaryOp<"is_finite", FloatOrQuantizedTensor, BoolTensor> {
  let arguments = (ins In<"is_finite_i1", FloatOrQuantizedTensor>:$x);
  let results = (outs BoolTensor:$y);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def LogOp : ElementaryOp<"log">;
def LogPlusOneOp : ElementaryOp<"log_plus_one">;
def LogisticOp : ElementaryOp<"logistic">;
def NegateOp : UnaryOp<"negate", IntFloatOrQuantizedTensor>;
def NotOp : UnaryOp<"not", BoolOrIntTensor>;
def PopcntOp : UnaryOp<"popcnt", IntTensor>;
def RealOp : UnaryOp<"real", FloatOrComplexTensor, FloatTensor>;
def RoundNearestAfzOp : UnaryOp<"round_nearest_afz", FloatOrQuantizedTensor>;
def RoundNearestEvenOp : UnaryOp<"round_nearest_even", FloatOrQuantizedTensor>;
def RsqrtOp : ElementaryOp<"rsqrt">;
def SignOp : UnaryOp<"sign", SignedOrFloatTensor>;
def SineOp : ElementaryOp<"sine">;
def SqrtOp : ElementaryOp<"sqrt">;
def TanOp : ElementaryOp<"tan">;
def TanhOp : ElementaryOp<"tanh">;
def UniformQuantizeOp : UnaryOp<"uniform_quantize", TensorWith<[Float, Quantized, QuantizedPerAxis]>,
                                TensorWith<[Quantized, QuantizedPerAxis]>, []>;
def UniformDequantizeOp : UnaryOp<"uniform_dequantize", TensorWith<[Quantized, QuantizedPerAxis]>, FloatTensor>;
def ReducePrecisionOp : Stablehlo_Op<"reduce_precision", [Pure, ElementwiseFamily, InferredTypes]> {
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

def AddOp : BinaryOp<"add", AnyElementTensor, [Commutative]>;
def AndOp : BinaryOp<"and", BoolOrIntTensor, [Commutative]>;
def Atan2Op : BinaryOp<"atan2", FloatLikeTensor>;
def DivideOp : BinaryOp<"divide", IntFloatOrQuantizedTensor>;
def MaximumOp : BinaryOp<"maximum", PerTensorTensor, [Commutative]>;
def MinimumOp : BinaryOp<"minimum", PerTensorTensor, [Commutative]>;
def MultiplyOp : BinaryOp<"multiply", PerTensorTensor, [Commutative]>;
def OrOp : BinaryOp<"or", BoolOrIntTensor, [Commutative]>;
def PowerOp : BinaryOp<"power", IntFloatOrQuantizedTensor>;
def RemainderOp : BinaryOp<"remainder", IntFloatOrQuantizedTensor>;
def ShiftLeftOp : BinaryOp<"shift_left", IntTensor>;
def ShiftRightArithmeticOp : BinaryOp<"shift_right_arithmetic", IntTensor>;
def ShiftRightLogicalOp : BinaryOp<"shift_right_logical", IntTensor>;
def SubtractOp : BinaryOp<"subtract", IntFloatOrQuantizedTensor>;
def XorOp : BinaryOp<"xor", BoolOrIntTensor, [Commutative]>;

def ComplexOp : Stablehlo_Op<"complex", [Pure, ElementwiseFamily, InferredTypes]> {
  let arguments = (ins In<"complex_i1", TensorWith<[Float32Or64]>>:$lhs,
                       In<"complex_i2", TensorWith<[Float32Or64]>>:$rhs);
  let results = (outs ComplexTensor:$result);
  let assemblyFormat = "operands attr-dict `:` custom<ComplexOpType>(type($lhs), type($rhs), type($result))";
}

def CompareOp : Stablehlo_Op<"compare", [Pure, ElementwiseFamily, InferredTypes]> {
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

def ClampOp : Stablehlo_Op<"clamp", [Pure, ElementwiseFamily, InferredTypes]> {
  let arguments = (ins In<"clamp_i1", PerTensorTensor>:$min, In<"clamp_i2", PerTensorTensor>:$operand,
                       In<"clamp_i3", PerTensorTensor>:$max);
  let results = (outs PerTensorTensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict
        `:` custom<SameOperandsAndResultType>(type($min), type($operand), type($max), type($result))
  }];
}

def SelectOp : Stablehlo_Op<"select", [Pure, ElementwiseFamily, InferredTypes]> {
  let arguments = (ins In<"select_i1", BoolTensor>:$pred, In<"select_i2", PerTensorTensor>:$on_true,
                       In<"select_i3", PerTensorTensor>:$on_false);
  let results = (outs PerTensorTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<SelectOpType>(type($pred), type($on_true), type($on_false), type($result))
  }];
}

#endif
