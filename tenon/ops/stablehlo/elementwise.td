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

def AbsOp : UnaryOp<"abs", Simple, SignedOrFloatTensor>,
            Document<"The absolute value of each element; of complex elements the modulus.",
                     "as the operand; of complex elements their real type">;
def CbrtOp : ElementaryOp<"cbrt", Trigonometric>,
             LikeOperand<"The cube root of each element.">;
def CeilOp : SameTypeUnaryOp<"ceil", Simple, FloatOrQuantizedTensor>,
             LikeOperand<"The least whole number that is not below each element.">;
def ConvertOp : UnaryOp<"convert", Simple, TensorWith<[Bool, SignedInt, UnsignedInt, Float, ComplexKind]>,
                        TensorWith<[Bool, SignedInt, UnsignedInt, Float, ComplexKind]>, []>,
                Document<"Each element in another type: rounded to nearest, ties to even; floats to integers toward "
                         "zero.",
                         "the operand's shape, of the element type given"> {
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "::mlir::Type":$resultElementType)>];
}
def CosineOp : ElementaryOp<"cosine", Trigonometric>,
               LikeOperand<"The cosine of each element, in radians.">;
def CountLeadingZerosOp : SameTypeUnaryOp<"count_leading_zeros", Simple, IntTensor>,
                          LikeOperand<"The number of zero bits above the highest one of each element.">;
def ExponentialOp : ElementaryOp<"exponential", Exponential>,
                    LikeOperand<"e to the power of each element.">;
def ExponentialMinusOneOp : ElementaryOp<"exponential_minus_one", Exponential>,
                            LikeOperand<"e to the power of each element, less 1, exact near 0.">;
def FloorOp : SameTypeUnaryOp<"floor", Simple, FloatOrQuantizedTensor>,
              LikeOperand<"The greatest whole number that is not above each element.">;
def ImagOp : UnaryOp<"imag", Simple, FloatOrComplexTensor, FloatTensor>,
             Document<"The imaginary part of each element; 0 of real ones.", "the operand's shape, of the real type">;
def IsFiniteOp : UnaryOp<"is_finite", Simple, FloatOrQuantizedTensor, BoolTensor>,
                 Document<"Whether each element is neither infinite nor NaN.", "the operand's shape, of i1"> {
  let arguments = (ins In<"is_finite_i1", FloatOrQuantizedTensor>:$x);
  let results = (outs BoolTensor:$y);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def LogOp : ElementaryOp<"log", Exponential>,
            LikeOperand<"The natural logarithm of each element.">;
def LogPlusOneOp : ElementaryOp<"log_plus_one", Trigonometric>,
                   LikeOperand<"The natural logarithm of each element plus 1, exact near 0.">;
def LogisticOp : ElementaryOp<"logistic", Exponential>,
                 LikeOperand<"1 / (1 + exp(-x)) of each element x.">;
def NegateOp : SameTypeUnaryOp<"negate", Simple, IntFloatOrQuantizedTensor>,
               LikeOperand<"The negative of each element; integers wrap around.">;
def NotOp : SameTypeUnaryOp<"not", Simple, BoolOrIntTensor>,
            LikeOperand<"Each truth value, or each bit, turned around.">;
def PopcntOp : SameTypeUnaryOp<"popcnt", Simple, IntTensor>,
               LikeOperand<"The number of one bits of each element.">;
def RealOp : UnaryOp<"real", Simple, FloatOrComplexTensor, FloatTensor>,
             Document<"The real part of each element; real ones themselves.", "the operand's shape, of the real type">;
def RoundNearestAfzOp : SameTypeUnaryOp<"round_nearest_afz", Simple, FloatOrQuantizedTensor>,
                        LikeOperand<"Each element rounded to the nearest whole number, ties away from zero.">;
def RoundNearestEvenOp : SameTypeUnaryOp<"round_nearest_even", Simple, FloatOrQuantizedTensor>,
                         LikeOperand<"Each element rounded to the nearest whole number, ties to even.">;
def RsqrtOp : ElementaryOp<"rsqrt", Root>,
              LikeOperand<"1 / sqrt(x) of each element x.">;
def SignOp : SameTypeUnaryOp<"sign", Simple, SignedOrFloatTensor>,
             LikeOperand<"-1, 0 or 1 by the sign of each element; NaN of NaN; x / |x| of complex ones.">;
def SineOp : ElementaryOp<"sine", Trigonometric>,
             LikeOperand<"The sine of each element, in radians.">;
def SqrtOp : ElementaryOp<"sqrt", Root>,
             LikeOperand<"The square root of each element.">;
def TanOp : ElementaryOp<"tan", Trigonometric>,
            LikeOperand<"The tangent of each element, in radians.">;
def TanhOp : ElementaryOp<"tanh", Exponential>,
             LikeOperand<"The hyperbolic tangent of each element.">;
def UniformQuantizeOp : UnaryOp<"uniform_quantize", Simple, TensorWith<[Float, Quantized, QuantizedPerAxis]>,
                                TensorWith<[Quantized, QuantizedPerAxis]>, []>,
                        Document<"Each element quantized, or quantized anew.",
                                 "the operand's shape, of the quantized element type given">;
def UniformDequantizeOp : UnaryOp<"uniform_dequantize", Simple, TensorWith<[Quantized, QuantizedPerAxis]>, FloatTensor>,
                          Document<"Each quantized element as the number that it stands for.",
                                   "the operand's shape, of the type that its elements express">;
def ReducePrecisionOp : Stablehlo_Op<"reduce_precision", [Pure, Simple, InferredTypes]>,
                        LikeOperand<"Each element rounded to one with so many bits of exponent and of mantissa."> {
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

def AddOp : BinaryOp<"add", Simple, AnyElementTensor, [Commutative]>,
            LikeOperands<"lhs + rhs; integers wrap around, truth values are combined by or."> {
  let extraClassDefinition = ?; // which operands are quantized along a dimension has rules of its own
}
def AndOp : BinaryOp<"and", Simple, BoolOrIntTensor, [Commutative]>,
            LikeOperands<"lhs and rhs, of truth values or bit by bit.">;
def Atan2Op : BinaryOp<"atan2", Trigonometric, FloatLikeTensor>,
              LikeOperands<"The angle of the point (rhs, lhs), between -pi and pi.">;
def DivideOp : BinaryOp<"divide", Division, IntFloatOrQuantizedTensor>,
               LikeOperands<"lhs / rhs; integers truncate toward zero.">;
def MaximumOp : BinaryOp<"maximum", Simple, PerTensorTensor, [Commutative]>,
                LikeOperands<"The greater one; NaN where an operand is NaN; of truth values or.">;
def MinimumOp : BinaryOp<"minimum", Simple, PerTensorTensor, [Commutative]>,
                LikeOperands<"The smaller one; NaN where an operand is NaN; of truth values and.">;
def MultiplyOp : BinaryOp<"multiply", Simple, PerTensorTensor, [Commutative]>,
                 LikeOperands<"lhs * rhs, element by element; integers wrap around, truth values are combined by "
                              "and.">;
def OrOp : BinaryOp<"or", Simple, BoolOrIntTensor, [Commutative]>,
           LikeOperands<"lhs or rhs, of truth values or bit by bit.">;
def PowerOp : BinaryOp<"power", Trigonometric, IntFloatOrQuantizedTensor>,
              LikeOperands<"lhs to the power of rhs.">;
def RemainderOp : BinaryOp<"remainder", Remainder, IntFloatOrQuantizedTensor>,
                  LikeOperands<"What the division of lhs by rhs leaves, with the sign of lhs.">;
def ShiftLeftOp : BinaryOp<"shift_left", Simple, IntTensor>,
                  LikeOperands<"lhs shifted to the left by rhs bits; 0 from its width on.">;
def ShiftRightArithmeticOp : BinaryOp<"shift_right_arithmetic", Simple, IntTensor>,
                             LikeOperands<"lhs shifted to the right by rhs bits, filled with its sign.">;
def ShiftRightLogicalOp : BinaryOp<"shift_right_logical", Simple, IntTensor>,
                          LikeOperands<"lhs shifted to the right by rhs bits, filled with zeros.">;
def SubtractOp : BinaryOp<"subtract", Simple, IntFloatOrQuantizedTensor>,
                 LikeOperands<"lhs - rhs; integers wrap around.">;
def XorOp : BinaryOp<"xor", Simple, BoolOrIntTensor, [Commutative]>,
            LikeOperands<"Either lhs or rhs, of truth values or bit by bit.">;

def ComplexOp : Stablehlo_Op<"complex", [Pure, Simple, InferredTypes]>,
                Document<"lhs + rhs i, of real and imaginary parts.", "the operands' shape, of the complex type"> {
  let arguments = (ins In<"complex_i1", TensorWith<[Float32Or64]>>:$lhs,
                       In<"complex_i2", TensorWith<[Float32Or64]>>:$rhs);
  let results = (outs ComplexTensor:$result);
  let assemblyFormat = "operands attr-dict `:` custom<ComplexOpType>(type($lhs), type($rhs), type($result))";
}

def CompareOp : Stablehlo_Op<"compare", [Pure, Simple, InferredTypes]>,
                Document<"Whether the relation holds, element by element. Complex numbers have EQ and NE alone.",
                         "the operands' shape, of i1"> {
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

def ClampOp : Stablehlo_Op<"clamp", [Pure, Simple, InferredTypes]>,
              Document<"Each element raised to min and then lowered to max, which have its shape or are scalars.",
                       "as the operand"> {
  let arguments = (ins In<"clamp_i1", PerTensorTensor>:$min, In<"clamp_i2", PerTensorTensor>:$operand,
                       In<"clamp_i3", PerTensorTensor>:$max);
  let results = (outs PerTensorTensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict
        `:` custom<SameOperandsAndResultType>(type($min), type($operand), type($max), type($result))
  }];
}

def SelectOp : Stablehlo_Op<"select", [Pure, Simple, InferredTypes]>,
               Document<"on_true where pred holds, on_false elsewhere; pred has their shape, or is a scalar.",
                        "as on_true and on_false, which are of one type"> {
  let arguments = (ins In<"select_i1", BoolTensor>:$pred, In<"select_i2", PerTensorTensor>:$on_true,
                       In<"select_i3", PerTensorTensor>:$on_false);
  let results = (outs PerTensorTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<SelectOpType>(type($pred), type($on_true), type($on_false), type($result))
  }];
}

#endif
