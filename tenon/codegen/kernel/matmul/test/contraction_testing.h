// Contractions against plain loops, for tests.
#pragma once

#include "tenon/codegen/kernel/matmul/problem.h"
#include "tenon/codegen/kernel/matmul/test/array_testing.h"
#include "tenon/codegen/kernel/matmul/test/jit_testing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace tenon::codegen::testing {

struct Sizes {
  int64_t batch, m, n, k;
};

// Row-major lhs [b, m, k], rhs [b, k, n], out [b, m, n], with either operand transposed on request.
inline ContractionSpec plainSpec(Type lhs, Type rhs, Type out, Sizes s, bool lhsT = false, bool rhsT = false) {
  ContractionSpec spec;
  spec.lhs = mlirType(lhs), spec.rhs = mlirType(rhs), spec.out = mlirType(out);
  spec.batch = {{s.batch, s.m * s.k, s.k * s.n, s.m * s.n}};
  spec.m = {{s.m, lhsT ? 1 : s.k, 0, s.n}};
  spec.n = {{s.n, 0, rhsT ? s.k : 1, 1}};
  spec.k = {{s.k, lhsT ? s.m : 1, rhsT ? 1 : s.n, 0}};
  return spec;
}

struct Walk {
  int64_t lhs = 0, rhs = 0, out = 0;
};

template <typename Body> void walk(llvm::ArrayRef<ContractionDim> dims, Walk at, const Body &body) {
  if (dims.empty())
    return body(at);
  for (int64_t i = 0; i < dims[0].size; ++i)
    walk(dims.drop_front(),
         Walk{at.lhs + i * dims[0].lhsStride, at.rhs + i * dims[0].rhsStride, at.out + i * dims[0].outStride}, body);
}

template <typename Body> void forEachResult(const ContractionSpec &spec, const Body &body) {
  llvm::SmallVector<ContractionDim> outer;
  auto append = [&](llvm::ArrayRef<ContractionDim> dims, bool lhs, bool rhs) {
    for (ContractionDim dim : dims)
      outer.push_back({dim.size, lhs ? dim.lhsStride : 0, rhs ? dim.rhsStride : 0, dim.outStride});
  };
  append(spec.batch, true, true);
  append(spec.m, true, false);
  append(spec.n, false, true);
  walk(outer, Walk{spec.lhsOffset, spec.rhsOffset, spec.outOffset}, body);
}

inline int64_t extentOf(const ContractionSpec &spec, int64_t ContractionDim::*stride, int64_t offset) {
  int64_t last = offset;
  for (auto *dims : {&spec.batch, &spec.m, &spec.n, &spec.k})
    for (const ContractionDim &dim : *dims) {
      if (dim.size == 0)
        continue;
      bool used = dims == &spec.batch || (stride == &ContractionDim::lhsStride && dims != &spec.n) ||
                  (stride == &ContractionDim::rhsStride && dims != &spec.m);
      if (stride == &ContractionDim::outStride)
        used = dims != &spec.k;
      if (used)
        last += std::max<int64_t>(0, (dim.size - 1) * (dim.*stride));
    }
  return last + 1;
}

// What the epilogue makes of a sum, given the element's offset in the output.
using After = std::function<double(double, int64_t)>;

// The operand epilogues may read besides.
inline std::vector<float> extraOperand(const Array &out) {
  std::vector<float> extra(out.bytes.size() + 64);
  for (size_t i = 0; i < extra.size(); ++i)
    extra[i] = float(i % 13);
  return extra;
}

inline bool matchesInteger(const Array &out, int64_t at, uint64_t sum, const After &after) {
  int64_t expected = out.type == Type::kI1 ? sum != 0 : Array::fromBits(out.type, sum);
  if (after)
    expected = int64_t(after(double(expected), at));
  return out.getInt(at) == expected;
}

inline bool matchesFloat(const Array &out, int64_t at, const PlainSum &plain, const After &after) {
  Array rounded(out.type, 1); // saturation and the like
  rounded.set(0, after ? after(plain.sum.real(), at) : plain.sum);
  std::complex<double> ideal = rounded.get(0), got = out.get(at);
  double accumulate = isComplex(out.type) || out.type == Type::kF64 ? ulpOf(out.type) : 0x1p-23;
  double tolerance = ulpOf(out.type) * std::abs(ideal) * 1.01 + (plain.magnitude + 4) * accumulate * 8;
  if (out.type < Type::kF32)
    tolerance += ulpOf(out.type) * 1e-3; // smallest subnormals
  return std::abs(got - ideal) <= tolerance || got == ideal || (std::isnan(got.real()) && std::isnan(ideal.real()));
}

inline void compareWithPlainSums(const ContractionSpec &spec, const Array &lhs, const Array &rhs, const Array &out,
                                 const After &after) {
  const Elements lhsElements(lhs), rhsElements(rhs);
  int failures = 0;
  forEachResult(spec, [&](Walk at) {
    PlainSum plain;
    walk(spec.k, at, [&](Walk inner) { plain.add(lhsElements, inner.lhs, rhsElements, inner.rhs); });
    bool same = isInteger(out.type) ? matchesInteger(out, at.out, plain.integer, after)
                                    : matchesFloat(out, at.out, plain, after);
    if (!same && ++failures <= 4)
      ADD_FAILURE() << "at " << at.out << " got " << out.get(at.out) << " for a sum of " << plain.sum << " / "
                    << int64_t(plain.integer);
  });
}

// Compares with the plain sums, and any partition of the tasks with any other.
inline void checkPlanned(const ContractionPlan &plan, const ContractionSpec &spec, const MatmulTarget &target,
                         const Epilogue &epilogue = {}, const After &after = {}) {
  std::mt19937 random(7);
  Array lhs(spec.lhs, extentOf(spec, &ContractionDim::lhsStride, spec.lhsOffset));
  Array rhs(spec.rhs, extentOf(spec, &ContractionDim::rhsStride, spec.rhsOffset));
  Array out(spec.out, extentOf(spec, &ContractionDim::outStride, spec.outOffset));
  lhs.fill(random), rhs.fill(random);
  std::fill(out.bytes.begin(), out.bytes.end(), uint8_t(0x5a));
  Array whole = out;
  JitModule jit(target);
  emitContraction(plan, jit.module(), epilogue);
  jit.compile();
  SCOPED_TRACE(plan.schedule.toString() + " bits " + std::to_string(target.vectorBits));
  std::vector<float> extra = extraOperand(out);
  std::vector<void *> buffers = {lhs.bytes.data(), rhs.bytes.data()};
  if (spec.extraOperands)
    buffers.push_back(extra.data());
  buffers.push_back(out.bytes.data());
  runKernel(jit, plan.kernel, buffers, 3);
  buffers.back() = whole.bytes.data();
  runKernel(jit, plan.kernel, buffers, 1);
  EXPECT_TRUE(out.bytes == whole.bytes) << "the partition changed the bits";
  compareWithPlainSums(spec, lhs, rhs, out, after);
}

inline void check(const ContractionSpec &spec, const MatmulTarget &target, const Epilogue &epilogue = {},
                  const After &after = {}) {
  StatusOr<ContractionPlan> plan = planContraction(spec, target, "kernel", bool(epilogue));
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  checkPlanned(*plan, spec, target, epilogue, after);
}

// acc * 2 + extra[outOffset], checking the indices against outOffset on the way.
inline Epilogue scaleAndAdd(const ContractionSpec &spec, int extraIndex) {
  return [spec, extraIndex](llvm::IRBuilderBase &b, const EpilogueContext &context, Element sum) -> Element {
    llvm::Type *element = b.getFloatTy();
    llvm::Type *type = context.lanes == 1 ? element : llvm::FixedVectorType::get(element, context.lanes);
    llvm::Value *offset = b.getInt64(spec.outOffset);
    size_t at = 0;
    for (auto *dims : {&spec.batch, &spec.m, &spec.n})
      for (const ContractionDim &dim : *dims)
        offset = b.CreateAdd(offset, b.CreateMul(context.index[at++], b.getInt64(dim.outStride)));
    llvm::Value *wrong = b.CreateSIToFP(b.CreateSub(offset, context.outOffset), element);
    llvm::Value *base =
        b.CreateLoad(b.getPtrTy(), b.CreateConstGEP1_64(b.getPtrTy(), context.buffers, uint64_t(extraIndex)));
    llvm::Value *extra = b.CreateAlignedLoad(type, b.CreateGEP(element, base, context.outOffset), llvm::Align(4));
    if (context.lanes > 1)
      wrong = b.CreateVectorSplat(context.lanes, wrong);
    llvm::Value *doubled = b.CreateFMul(sum.re, llvm::ConstantFP::get(type, 2));
    return {b.CreateFAdd(b.CreateFAdd(doubled, extra), wrong)};
  };
}

} // namespace tenon::codegen::testing
