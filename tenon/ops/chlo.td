// The CHLO dialect: elementary functions and implicitly broadcasting forms that frontends send beside StableHLO.
include "tenon/ops/common.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::tenon::chlo";
  let summary = "operations above StableHLO, to be expanded into it";
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

class Chlo_Op<string mnemonic, list<Trait> traits = []> : Op<Chlo_Dialect, mnemonic, traits>;

//===- Attributes ------------------------------------------------------------------------------------------------===//

class Chlo_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::tenon::chlo";
}
def Chlo_ComparisonDirection : Chlo_Enum<"ComparisonDirection", "relation tested", [
  I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>, I32EnumAttrCase<"GT", 3>,
  I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def Chlo_ComparisonDirectionAttr : EnumAttr<Chlo_Dialect, Chlo_ComparisonDirection, "comparison_direction">;
def Chlo_ComparisonType : Chlo_Enum<"ComparisonType", "order the relation is taken from", [
  I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>, I32EnumAttrCase<"TOTALORDER", 2>,
  I32EnumAttrCase<"SIGNED", 3>, I32EnumAttrCase<"UNSIGNED", 4>]>;
def Chlo_ComparisonTypeAttr : EnumAttr<Chlo_Dialect, Chlo_ComparisonType, "comparison_type">;
def Chlo_Precision : Chlo_Enum<"Precision", "how exactly an operand is to be multiplied", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>, I32EnumAttrCase<"HIGHEST", 2>]>;
def Chlo_PrecisionAttr : EnumAttr<Chlo_Dialect, Chlo_Precision, "precision">;
def Chlo_PrecisionConfigAttr : TypedArrayAttrBase<Chlo_PrecisionAttr, "array of precisions">;

def Chlo_RaggedDotDimensionNumbers : AttrDef<Chlo_Dialect, "RaggedDotDimensionNumbers"> {
  let mnemonic = "ragged_dot";
  let parameters = (ins DimensionList<>:$lhsBatchingDimensions, DimensionList<>:$rhsBatchingDimensions,
                        DimensionList<>:$lhsContractingDimensions, DimensionList<>:$rhsContractingDimensions,
                        DimensionList<>:$lhsRaggedDimensions, DimensionList<>:$rhsGroupDimensions);
  let hasCustomAssemblyFormat = 1;
}

//===- Elementary functions --------------------------------------------------------------------------------------===//

class UnaryFunction<string mnemonic, Trait cost, Type operandType, Type resultType = operandType>
    : Chlo_Op<mnemonic, [Pure, cost, CheckedInferredTypes]> {
  let arguments = (ins operandType:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let extraClassDefinition = "TENON_SAME_TYPE($cppClass)";
}
// The result has the operand's shape, of booleans.
class Predicate<string mnemonic, Trait cost, Type operandType>
    : UnaryFunction<mnemonic, cost, operandType, BoolTensor> {
  let extraClassDefinition = "TENON_BOOLEANS($cppClass)";
}
def AcosOp : UnaryFunction<"acos", Special, FloatOrComplexTensor>,
             LikeOperand<"The arc cosine of each element.">;
def AcoshOp : UnaryFunction<"acosh", Special, FloatOrComplexTensor>,
              LikeOperand<"The inverse hyperbolic cosine of each element.">;
def AsinOp : UnaryFunction<"asin", Special, FloatOrComplexTensor>,
             LikeOperand<"The arc sine of each element.">;
def AsinhOp : UnaryFunction<"asinh", Special, FloatOrComplexTensor>,
              LikeOperand<"The inverse hyperbolic sine of each element.">;
def AsinAcosKernelOp : UnaryFunction<"_asin_acos_kernel", Simple, ComplexTensor>;
def AtanOp : UnaryFunction<"atan", Special, FloatOrComplexTensor>,
             LikeOperand<"The arc tangent of each element.">;
def AtanhOp : UnaryFunction<"atanh", Special, FloatOrComplexTensor>,
              LikeOperand<"The inverse hyperbolic tangent of each element.">;
def BesselI1eOp : UnaryFunction<"bessel_i1e", Special, FloatOrComplexTensor>,
                  LikeOperand<"exp(-|x|) I1(x) of each element x.">;
def ConjOp : UnaryFunction<"conj", Simple, FloatOrComplexTensor>,
             LikeOperand<"The conjugate of each element.">;
def CoshOp : UnaryFunction<"cosh", Special, FloatOrComplexTensor>,
             LikeOperand<"The hyperbolic cosine of each element.">;
def DigammaOp : UnaryFunction<"digamma", Special, FloatTensor>,
                LikeOperand<"The derivative of lgamma at each element.">;
def ErfOp : UnaryFunction<"erf", Special, FloatTensor>,
            LikeOperand<"The error function of each element.">;
def ErfInvOp : UnaryFunction<"erf_inv", Special, FloatTensor>,
               LikeOperand<"The inverse of the error function of each element.">;
def ErfcOp : UnaryFunction<"erfc", Special, FloatTensor>,
             LikeOperand<"1 - erf(x) of each element x.">;
def IsInfOp : Predicate<"is_inf", Simple, FloatTensor>,
              Document<"Whether each element is infinite.", "the operand's shape, of i1">;
def IsNegInfOp : Predicate<"is_neg_inf", Simple, FloatTensor>,
                 Document<"Whether each element is minus infinity.", "the operand's shape, of i1">;
def IsPosInfOp : Predicate<"is_pos_inf", Simple, FloatTensor>,
                 Document<"Whether each element is plus infinity.", "the operand's shape, of i1">;
def LgammaOp : UnaryFunction<"lgamma", Special, FloatTensor>,
               LikeOperand<"The logarithm of the absolute value of the gamma function of each element.">;
def SinhOp : UnaryFunction<"sinh", Special, FloatOrComplexTensor>,
             LikeOperand<"The hyperbolic sine of each element.">;
def SquareOp : UnaryFunction<"square", Simple, FloatOrComplexTensor>,
               LikeOperand<"x * x of each element x.">;
def TanOp : UnaryFunction<"tan", Special, FloatOrComplexTensor>;

class BinaryFunction<string mnemonic, Trait cost, Type type, string lhs, string rhs, list<Trait> traits = []>
    : Chlo_Op<mnemonic, [Pure, cost, CheckedInferredTypes] # traits> {
  let results = (outs type:$result);
  let extraClassDefinition = "TENON_SAME_TYPE($cppClass)";
  let assemblyFormat = "$" # lhs # " `,` $" # rhs # " attr-dict `:` type($" # lhs # ") `,` type($" # rhs
                       # ") `->` type(results)";
}
def NextAfterOp : BinaryFunction<"next_after", Simple, FloatTensor, "x", "y">,
                  LikeOperands<"The number next to x toward y."> {
  let arguments = (ins FloatTensor:$x, FloatTensor:$y);
}
def PolygammaOp : BinaryFunction<"polygamma", Special, FloatTensor, "n", "x">,
                  LikeOperands<"The derivative of order n of digamma at x."> {
  let arguments = (ins FloatTensor:$n, FloatTensor:$x);
}
def ZetaOp : BinaryFunction<"zeta", Special, FloatTensor, "x", "q">,
             LikeOperands<"Hurwitz's zeta function: the sum of (q + k)^-x."> {
  let arguments = (ins FloatTensor:$x, FloatTensor:$q);
}
def MulhiOp : BinaryFunction<"mulhi", Simple, IntTensor, "lhs", "rhs", [Commutative]>,
              LikeOperands<"The upper half of the bits of lhs * rhs."> {
  let arguments = (ins IntTensor:$lhs, IntTensor:$rhs);
}

//===- Constants -------------------------------------------------------------------------------------------------===//

def ConstantOp : Chlo_Op<"constant", [Pure, ConstantLike, CheckedInferredTypes]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs PerTensorTensor:$output);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
  let hasVerifier = 1;
}
def ConstantLikeOp : Chlo_Op<"constant_like", [Pure, CheckedInferredTypes]> {
  let summary = "a constant in every element, in the operand's shape";
  let arguments = (ins TypedAttrInterface:$value, AnyTensor:$operand);
  let results = (outs AnyTensor:$result);
  let hasVerifier = 1;
}

//===- Broadcasting forms ----------------------------------------------------------------------------------------===//

// The operands are first broadcast to a common shape: of equal ranks by stretching dimensions of size one, of unequal
// ranks by broadcast_dimensions, which default to the trailing ones.
class BroadcastingOp<string mnemonic, Type operandType = AnyTensor, Type resultType = operandType,
                     list<Trait> traits = []>
    : Chlo_Op<"broadcast_" # mnemonic, [Pure, CheckedInferredTypes] # traits> {
  let arguments = (ins operandType:$lhs, operandType:$rhs, OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs resultType:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type(results)";
}
def BroadcastAddOp : BroadcastingOp<"add", AnyTensor, AnyTensor, [Commutative]>;
def BroadcastAndOp : BroadcastingOp<"and", AnyTensor, AnyTensor, [Commutative]>;
def BroadcastAtan2Op : BroadcastingOp<"atan2">;
def BroadcastComplexOp : BroadcastingOp<"complex">;
def BroadcastDivideOp : BroadcastingOp<"divide">;
def BroadcastMaximumOp : BroadcastingOp<"maximum", AnyTensor, AnyTensor, [Commutative]>;
def BroadcastMinimumOp : BroadcastingOp<"minimum", AnyTensor, AnyTensor, [Commutative]>;
def BroadcastMultiplyOp : BroadcastingOp<"multiply", AnyTensor, AnyTensor, [Commutative]>;
def BroadcastNextAfterOp : BroadcastingOp<"next_after">;
def BroadcastOrOp : BroadcastingOp<"or", AnyTensor, AnyTensor, [Commutative]>;
def BroadcastPolygammaOp : BroadcastingOp<"polygamma">;
def BroadcastPowerOp : BroadcastingOp<"power">;
def BroadcastRemainderOp : BroadcastingOp<"remainder">;
def BroadcastShiftLeftOp : BroadcastingOp<"shift_left">;
def BroadcastShiftRightArithmeticOp : BroadcastingOp<"shift_right_arithmetic">;
def BroadcastShiftRightLogicalOp : BroadcastingOp<"shift_right_logical">;
def BroadcastSubtractOp : BroadcastingOp<"subtract">;
def BroadcastXorOp : BroadcastingOp<"xor", AnyTensor, AnyTensor, [Commutative]>;
def BroadcastZetaOp : BroadcastingOp<"zeta">;
def BroadcastCompareOp : BroadcastingOp<"compare"> {
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs, OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions,
                       Chlo_ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<Chlo_ComparisonTypeAttr>:$compare_type);
}
def BroadcastSelectOp : Chlo_Op<"broadcast_select", [Pure, CheckedInferredTypes]> {
  let arguments = (ins AnyTensor:$pred, AnyTensor:$on_true, AnyTensor:$on_false);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict
        `:` `(` type($pred) `,` type($on_true) `,` type($on_false) `)` `->` type(results)
  }];
}

//===- Structured ------------------------------------------------------------------------------------------------===//

def RaggedDotOp : Chlo_Op<"ragged_dot", [Pure]>,
                  Document<"A matrix product for each group of rows along one ragged dimension.", "the one given"> {
  let summary = "a matrix product per group of rows along one ragged dimension";
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs, IntTensor:$group_sizes,
                       Chlo_RaggedDotDimensionNumbers:$ragged_dot_dimension_numbers,
                       OptionalAttr<Chlo_PrecisionConfigAttr>:$precision_config);
  let results = (outs AnyTensor:$result);
  let hasVerifier = 1;
}

def TopKOp : Chlo_Op<"top_k", [Pure, CheckedInferredTypes]>,
             Document<"The k largest elements of the last dimension in decreasing order, and their indices.",
                      "the operand's with k elements in the last dimension, and the same of i32"> {
  let summary = "the k largest elements of the last dimension, and their indices";
  let arguments = (ins PerTensorTensor:$operand, I64Attr:$k, DefaultValuedOptionalAttr<BoolAttr, "true">:$is_stable);
  let results = (outs PerTensorTensor:$values, PerTensorTensor:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k (`,` `is_stable` `=` $is_stable^)? `)` attr-dict
        `:` type($operand) `->` `(` type($values) `,` type($indices) `)`
  }];
  let useCustomPropertiesEncoding = 1; // see ChloVersion
}

def ScanOp : Chlo_Op<"scan", [AttrSizedOperandSegments, AttrSizedResultSegments, IsolatedFromAbove, OpAsmOpInterface,
                              RecursiveMemoryEffects]> {
  let summary = "folds a body over one dimension, keeping what it yields at every step";
  let arguments = (ins Variadic<AnyTensor>:$inputs, Variadic<AnyTensor>:$inits, I64Attr:$dimension,
                       OptionalAttr<I64Attr>:$scan_dim_size, DefaultValuedOptionalAttr<BoolAttr, "false">:$is_reverse,
                       OptionalAttr<BoolAttr>:$is_associative);
  let results = (outs Variadic<AnyTensor>:$outputs, Variadic<AnyTensor>:$carries);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    void getAsmBlockArgumentNames(::mlir::Region &region, ::mlir::OpAsmSetValueNameFn setName);
  }];
}
