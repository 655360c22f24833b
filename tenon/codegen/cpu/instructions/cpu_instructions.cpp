#include "tenon/codegen/cpu/instructions/cpu_instructions.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IntrinsicsAArch64.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <memory>
#include <vector>

using namespace llvm;

namespace tenon::codegen {
namespace {

unsigned laneCount(Value *v) {
  auto *vector = dyn_cast<FixedVectorType>(v->getType());
  return vector ? vector->getNumElements() : 1;
}

class X86Instructions final : public math::InstructionSet {
public:
  X86Instructions(bool bf16, bool avx512, bool avx2, bool f16c)
      : InstructionSet(std::string("x86-64") + (bf16 ? "+avx512bf16" : "") + (avx512 ? "+avx512" : "") +
                       (avx2 ? "+avx2" : "") + (f16c ? "+f16c" : "")),
        bf16_(bf16), avx512_(avx512), avx2_(avx2), f16c_(f16c) {}

  unsigned registerBytes() const override { return avx512_ ? 64 : avx2_ ? 32 : 16; }
  bool convertsHalves() const override { return f16c_; }
  bool fusesMultiplyAdd() const override { return avx2_; } // no processor has the one without the other

  // VMAXPS and VMINPS, of the operands in both orders. Of vectors it takes as long as LLVM's way with AVX2. Of scalars
  // LLVM branches by the sign, which nobody can predict: 100,000 maxima by segment took six times as long.
  bool mergesExtremaByMasks(unsigned lanes) const override { return avx512_ || lanes == 1; }

  // VPMAXSD, VPMINUD and VPMAXUD.
  bool keepsExtremaOfBits(unsigned lanes) const override { return avx2_ && lanes > 1; }

  bool keepsBooleansInBytes() const override { return !avx512_; }

  // VCVTNE2PS2BF16, of two registers, or VCVTNEPS2BF16, of one or half of one.
  bool roundsToBfloat(unsigned lanes) const override { return bf16_ && (lanes == 8 || lanes % 16 == 0); }
  Value *roundToBfloat(IRBuilderBase &builder, Value *x) const override {
    unsigned lanes = laneCount(x), step = lanes % 32 == 0 ? 32 : std::min(lanes, 16U);
    auto part = [&](unsigned first, unsigned count) {
      auto *type = FixedVectorType::get(builder.getFloatTy(), count);
      return count == lanes ? x : builder.CreateExtractVector(type, x, first);
    };
    SmallVector<Value *> parts;
    for (unsigned first = 0; first < lanes; first += step) {
      Value *rounded = step == 32 ? builder.CreateIntrinsic(Intrinsic::x86_avx512bf16_cvtne2ps2bf16_512, {},
                                                            {part(first + 16, 16), part(first, 16)})
                                  : builder.CreateIntrinsic(step == 16 ? Intrinsic::x86_avx512bf16_cvtneps2bf16_512
                                                                       : Intrinsic::x86_avx512bf16_cvtneps2bf16_256,
                                                            {}, {part(first, step)});
      parts.push_back(builder.CreateBitCast(rounded, FixedVectorType::get(builder.getInt16Ty(), step)));
    }
    return concatenateVectors(builder, parts);
  }

  unsigned evenOddLanes() const override { return bf16_ ? 0 : avx512_ ? 16 : avx2_ ? 8 : 0; }

  bool gathersByElements() const override { return !avx512_; }

  // VSCALEF, for full registers: shorter ones are not worth it.
  unsigned scaledLanes(Type *element) const override { return !avx512_ ? 0 : element->isDoubleTy() ? 8 : 16; }
  Value *scale(IRBuilderBase &builder, Value *x, Value *n) const override {
    bool wide = x->getType()->getScalarType()->isDoubleTy();
    Type *maskType = builder.getIntNTy(wide ? 8 : 16);
    Intrinsic::ID id = wide ? Intrinsic::x86_avx512_mask_scalef_pd_512 : Intrinsic::x86_avx512_mask_scalef_ps_512;
    Value *currentRounding = builder.getInt32(4);
    return builder.CreateIntrinsic(
        id, {}, {x, n, Constant::getNullValue(x->getType()), Constant::getAllOnesValue(maskType), currentRounding});
  }

  unsigned permutedLanes(unsigned lanes) const override { return lanes % 16 == 0 && avx512_ ? 16 : avx2_ ? 8 : 0; }
  // VPERMPS of the table's repetition in as many lanes.
  Value *permute(IRBuilderBase &builder, ArrayRef<float> table, Value *index) const override {
    unsigned lanes = laneCount(index);
    SmallVector<float, 16> entries;
    while (entries.size() < lanes)
      entries.append(table.begin(), table.end());
    Intrinsic::ID id = lanes == 16 ? Intrinsic::x86_avx512_permvar_sf_512 : Intrinsic::x86_avx2_permps;
    return builder.CreateIntrinsic(id, {},
                                   {ConstantDataVector::get(builder.getContext(), ArrayRef<float>(entries)), index});
  }

  Value *dot(IRBuilderBase &builder, math::DotProduct product, Value *a, Value *b, Value *acc) const override {
    switch (product) {
    case math::DotProduct::kBf16Pairs:
      return call(builder, Intrinsic::x86_avx512bf16_dpbf16ps_128, Intrinsic::x86_avx512bf16_dpbf16ps_256,
                  Intrinsic::x86_avx512bf16_dpbf16ps_512, {acc, a, b});
    case math::DotProduct::kInt8Quads:
      return call(builder, Intrinsic::x86_avx512_vpdpbusd_128, Intrinsic::x86_avx512_vpdpbusd_256,
                  Intrinsic::x86_avx512_vpdpbusd_512, {acc, a, b});
    case math::DotProduct::kInt16Pairs:
      break;
    }
    Value *sums = call(builder, Intrinsic::x86_sse2_pmadd_wd, Intrinsic::x86_avx2_pmadd_wd,
                       Intrinsic::x86_avx512_pmaddw_d_512, {a, b});
    return builder.CreateAdd(acc, builder.CreateBitCast(sums, acc->getType()));
  }

private:
  // The one of three intrinsics that takes as many lanes of 32 bits as the first operand has.
  static Value *call(IRBuilderBase &builder, Intrinsic::ID x128, Intrinsic::ID x256, Intrinsic::ID x512,
                     ArrayRef<Value *> operands) {
    unsigned lanes = laneCount(operands.front());
    Intrinsic::ID id = lanes == 16 ? x512 : lanes == 8 ? x256 : x128;
    FunctionType *type = Intrinsic::getType(builder.getContext(), id);
    SmallVector<Value *> arguments;
    for (auto [i, operand] : enumerate(operands))
      arguments.push_back(builder.CreateBitCast(operand, type->getParamType(unsigned(i))));
    return builder.CreateIntrinsic(id, {}, arguments);
  }

  bool bf16_, avx512_, avx2_, f16c_;
};

class AArch64Instructions final : public math::InstructionSet {
public:
  AArch64Instructions() : InstructionSet("aarch64") {}

  unsigned registerBytes() const override { return 16; }
  bool convertsHalves() const override { return true; }
  bool fusesMultiplyAdd() const override { return true; }

  unsigned permutedLanes(unsigned) const override { return 4; }
  // TBL of bytes 4 i to 4 i + 3 for index i, out of the two registers that hold the table.
  Value *permute(IRBuilderBase &builder, ArrayRef<float> table, Value *index) const override {
    auto *bytes = FixedVectorType::get(builder.getInt8Ty(), 16);
    auto half = [&](ArrayRef<float> words) {
      return ConstantExpr::getBitCast(ConstantDataVector::get(builder.getContext(), words), bytes);
    };
    Value *word = builder.CreateAnd(index, ConstantInt::get(index->getType(), 7));
    Value *places = builder.CreateAdd(builder.CreateMul(word, ConstantInt::get(index->getType(), 0x04040404)),
                                      ConstantInt::get(index->getType(), 0x03020100));
    Value *found = builder.CreateIntrinsic(
        Intrinsic::aarch64_neon_tbl2, {bytes},
        {half(table.take_front(4)), half(table.drop_front(4)), builder.CreateBitCast(places, bytes)});
    return builder.CreateBitCast(found, FixedVectorType::get(builder.getFloatTy(), 4));
  }
};

// Nothing beyond what LLVM makes of ordinary operations.
class PlainInstructions final : public math::InstructionSet {
public:
  explicit PlainInstructions(bool convertsHalves)
      : InstructionSet(convertsHalves ? "plain/halves" : "plain"), convertsHalves_(convertsHalves) {}

  bool convertsHalves() const override { return convertsHalves_; }

private:
  bool convertsHalves_;
};

} // namespace

const math::InstructionSet &cpuInstructions(const Triple &triple, function_ref<bool(StringRef)> hasFeature) {
  if (triple.isAArch64()) {
    static const auto *aarch64 = new AArch64Instructions();
    return *aarch64;
  }
  if (!triple.isX86()) {
    static const auto *with = new PlainInstructions(true), *without = new PlainInstructions(false);
    return hasFeature("f16c") ? *with : *without;
  }
  static const auto *sets = [] {
    auto *made = new std::vector<std::unique_ptr<const X86Instructions>>();
    for (unsigned features = 0; features < 16; ++features)
      made->push_back(std::make_unique<const X86Instructions>(features & 8, features & 4, features & 2, features & 1));
    return made;
  }();
  unsigned wide = hasFeature("avx512f") ? 4 + 8 * hasFeature("avx512bf16") : 0;
  return *(*sets)[wide + 2 * hasFeature("avx2") + hasFeature("f16c")];
}

} // namespace tenon::codegen
