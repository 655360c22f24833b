// LLVM IR for one tensor element, or for one SIMD vector of `lanes` elements: storage, constants, every elementwise
// op, and scalar regions (reduce bodies, comparators, map bodies).
//
// An Element is the value form of an element (lanes == 1) or of a vector of them (lanes > 1, fixed vectors). All
// functions here take the element's MLIR type (not the tensor's) where the form alone does not say it:
//
//   MLIR type                 value form                                  storage
//   i1                        i1 (a mask when lanes > 1)                  1 byte, 0 or 1
//   i2 i4 ui2 ui4             i8, kept sign- or zero-extended             1 byte, extended
//   i8..i64, ui8..ui64        integer of that width                       the same
//   f4* f6* f8*               i8 holding the code in its low bits         1 byte
//   bf16                      i16 holding the bits                        the same
//   f16 f32 f64               half, float, double                         the same
//   complex<f32|f64>          re and im, each as f32 or f64               re, im interleaved
//
// Emission may create basic blocks (rare slow paths): afterwards the builder stands at the end of the block where the
// result is available, so take builder.GetInsertBlock() for phis after emitting, not before. The builder must stand
// in a function of a module; large functions (pow, lgamma, ...) are emitted once per module as private functions that
// copy the attributes of the function they are first called from, so set target attributes when the function is
// created. No fast-math flags are set, and code generation must not contract across operations
// (TargetOptions::AllowFPOpFusion at Standard).
#pragma once

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace tenon::codegen {

struct Element {
  llvm::Value *re = nullptr;
  llvm::Value *im = nullptr; // only of complex types
};

// --- Types ---

// False for tokens, tuples and quantized types.
bool isElementTypeSupported(mlir::Type type);
// Bytes of one stored element (both parts of a complex one).
int64_t storageBytes(mlir::Type type);
// LLVM type of one stored element; of one part for complex types.
llvm::Type *storageType(llvm::LLVMContext &context, mlir::Type type);
// LLVM type of Element::re (and im).
llvm::Type *valueType(llvm::LLVMContext &context, mlir::Type type, unsigned lanes);

// --- Memory. `ptr` addresses the first element; alignment is assumed to be that of one stored element. ---

// `mask` (<lanes x i1>, or i1 for lanes == 1) leaves the lanes out where it is false: they read as zero.
Element loadElements(llvm::IRBuilderBase &builder, mlir::Type type, llvm::Value *ptr, unsigned lanes,
                     llvm::Value *mask = nullptr);
void storeElements(llvm::IRBuilderBase &builder, mlir::Type type, Element value, llvm::Value *ptr, unsigned lanes,
                   llvm::Value *mask = nullptr);
// `indices` count elements from `base`, one signed integer a lane (i32 or i64).
Element gatherElements(llvm::IRBuilderBase &builder, mlir::Type type, llvm::Value *base, llvm::Value *indices,
                       unsigned lanes, llvm::Value *mask = nullptr);
void scatterElements(llvm::IRBuilderBase &builder, mlir::Type type, Element value, llvm::Value *base,
                     llvm::Value *indices, unsigned lanes, llvm::Value *mask = nullptr);
// The address of element `index` (an i64).
llvm::Value *elementAddress(llvm::IRBuilderBase &builder, mlir::Type type, llvm::Value *base, llvm::Value *index);

// --- Values ---

// All lanes equal to the scalar element.
Element splat(llvm::IRBuilderBase &builder, Element scalar, unsigned lanes);
Element extractLane(llvm::IRBuilderBase &builder, Element vector, llvm::Value *lane);
Element insertLane(llvm::IRBuilderBase &builder, Element vector, Element scalar, llvm::Value *lane);
// Lanes of the concatenation of `a` and `b` (as shufflevector; `b` may be empty).
Element shuffleLanes(llvm::IRBuilderBase &builder, Element a, Element b, llvm::ArrayRef<int> lanes);
// condition ? a : b, with a scalar or a vector condition.
Element selectElement(llvm::IRBuilderBase &builder, llvm::Value *condition, Element a, Element b);
Element zeroElement(llvm::LLVMContext &context, mlir::Type type, unsigned lanes);

Element constantElement(llvm::LLVMContext &context, mlir::Type type, const llvm::APInt &value, unsigned lanes);
Element constantElement(llvm::LLVMContext &context, mlir::Type type, const llvm::APFloat &value, unsigned lanes);
Element constantElement(llvm::LLVMContext &context, mlir::Type type, const llvm::APFloat &re, const llvm::APFloat &im,
                        unsigned lanes);
// IntegerAttr, FloatAttr, complex as ArrayAttr of two FloatAttr, or a DenseElementsAttr that is a splat or has one
// element. Fails on anything else.
llvm::FailureOr<Element> constantElement(llvm::LLVMContext &context, mlir::Type type, mlir::Attribute value,
                                         unsigned lanes);
// Element `index` (row-major) of the array.
Element constantElement(llvm::LLVMContext &context, mlir::DenseElementsAttr array, int64_t index, unsigned lanes);

// The array as buffers hold it: private data of the module. Fails on attributes without known data.
llvm::FailureOr<llvm::Constant *> constantArray(llvm::Module &module, mlir::ElementsAttr value);

// --- Operations ---

// Whether emitElementwise takes the op: element_table.cpp has a function for it and its element types. Constants, iota,
// shape changes and ops with regions are not elementwise.
bool isElementwiseSupported(mlir::Operation *op);

// The op on one element of each operand, all in vectors of `lanes`. Scalar operands of select and clamp must have been
// splatted. Emits an error at the op when it is not supported.
llvm::FailureOr<Element> emitElementwise(llvm::IRBuilderBase &builder, mlir::Operation *op,
                                         llvm::ArrayRef<Element> operands, unsigned lanes);
// Cosines in the lanes of `isCosine` of a vector of f32 or f64, sines in the others, each as by itself.
Element emitSinesAndCosines(llvm::IRBuilderBase &builder, Element x, llvm::ArrayRef<bool> isCosine);

// --- Single operations by name, for emitters that build code without an op at hand ---

Element emitAdd(llvm::IRBuilderBase &builder, mlir::Type type, Element a, Element b);
Element emitMultiply(llvm::IRBuilderBase &builder, mlir::Type type, Element a, Element b);
Element emitMinimum(llvm::IRBuilderBase &builder, mlir::Type type, Element a, Element b);
Element emitMaximum(llvm::IRBuilderBase &builder, mlir::Type type, Element a, Element b);
Element emitConvert(llvm::IRBuilderBase &builder, mlir::Type from, mlir::Type to, Element value);

} // namespace tenon::codegen
