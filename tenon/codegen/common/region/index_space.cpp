#include "tenon/codegen/common/region/index_space.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using mlir::AffineBinaryOpExpr;
using mlir::AffineConstantExpr;
using mlir::AffineDimExpr;
using mlir::AffineExpr;
using mlir::AffineExprKind;
using mlir::AffineSymbolExpr;

namespace tenon::codegen {

int64_t LinearForm::coefficient(AffineExpr atom) const {
  for (auto &[term, factor] : terms)
    if (term == atom)
      return factor;
  return 0;
}

AffineExpr IndexSpace::addDim(int64_t extent) {
  dims_.push_back({0, std::max<int64_t>(extent - 1, 0)});
  return dim(dims_.size() - 1);
}

AffineExpr IndexSpace::addSymbol(IndexRange range) {
  symbols_.push_back(range);
  if (range.min == range.max)
    return constant(range.min);
  return mlir::getAffineSymbolExpr(symbols_.size() - 1, context_);
}

AffineExpr IndexSpace::dim(unsigned index) const {
  if (dims_[index].max == 0 && dims_[index].min == 0)
    return constant(0);
  return mlir::getAffineDimExpr(index, context_);
}

AffineExpr IndexSpace::constant(int64_t value) const { return mlir::getAffineConstantExpr(value, context_); }

static void collectTerms(AffineExpr expr, int64_t factor, LinearForm &form) {
  if (auto constant = llvm::dyn_cast<AffineConstantExpr>(expr)) {
    form.constant += factor * constant.getValue();
    return;
  }
  if (auto binary = llvm::dyn_cast<AffineBinaryOpExpr>(expr)) {
    if (expr.getKind() == AffineExprKind::Add) {
      collectTerms(binary.getLHS(), factor, form);
      collectTerms(binary.getRHS(), factor, form);
      return;
    }
    auto scale = llvm::dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (expr.getKind() == AffineExprKind::Mul && scale) {
      collectTerms(binary.getLHS(), factor * scale.getValue(), form);
      return;
    }
  }
  for (auto &[atom, coefficient] : form.terms) {
    if (atom == expr) {
      coefficient += factor;
      return;
    }
  }
  form.terms.push_back({expr, factor});
}

LinearForm IndexSpace::linearForm(AffineExpr expr) {
  LinearForm form;
  collectTerms(expr, 1, form);
  return form;
}

// (x floordiv n) * (n * k) + (x mod n) * k  ->  x * k. Returns whether something was replaced.
static bool recombine(LinearForm &form) {
  for (auto &[atom, factor] : form.terms) {
    if (atom.getKind() != AffineExprKind::Mod || factor == 0)
      continue;
    auto mod = llvm::cast<AffineBinaryOpExpr>(atom);
    auto divisor = llvm::cast<AffineConstantExpr>(mod.getRHS()).getValue();
    AffineExpr quotient = mod.getLHS().floorDiv(divisor);
    for (auto &[other, otherFactor] : form.terms) {
      if (other != quotient || otherFactor != factor * divisor)
        continue;
      int64_t scale = factor;
      AffineExpr base = mod.getLHS();
      factor = 0;
      otherFactor = 0;
      collectTerms(base, scale, form);
      return true;
    }
  }
  return false;
}

static std::pair<int, unsigned> termOrder(AffineExpr atom) {
  if (auto dim = llvm::dyn_cast<AffineDimExpr>(atom))
    return {0, dim.getPosition()};
  if (auto symbol = llvm::dyn_cast<AffineSymbolExpr>(atom))
    return {1, symbol.getPosition()};
  return {2, 0};
}

AffineExpr IndexSpace::fromLinear(LinearForm form) const {
  while (recombine(form))
    ;
  llvm::erase_if(form.terms, [](auto &term) { return term.second == 0; });
  for (size_t i = 1; i < form.terms.size(); ++i) // few terms: a stable insertion sort
    for (size_t j = i; j > 0 && termOrder(form.terms[j].first) < termOrder(form.terms[j - 1].first); --j)
      std::swap(form.terms[j], form.terms[j - 1]);
  AffineExpr sum;
  for (auto &[atom, factor] : form.terms) {
    AffineExpr term = factor == 1 ? atom : atom * factor;
    sum = sum ? sum + term : term;
  }
  if (!sum)
    return constant(form.constant);
  return form.constant == 0 ? sum : sum + form.constant;
}

IndexRange IndexSpace::range(AffineExpr expr) const {
  LinearForm form = linearForm(expr);
  IndexRange result{form.constant, form.constant};
  for (auto &[atom, factor] : form.terms) {
    IndexRange r;
    if (auto dim = llvm::dyn_cast<AffineDimExpr>(atom)) {
      r = dims_[dim.getPosition()];
    } else if (auto symbol = llvm::dyn_cast<AffineSymbolExpr>(atom)) {
      r = symbols_[symbol.getPosition()];
    } else {
      auto binary = llvm::cast<AffineBinaryOpExpr>(atom);
      int64_t divisor = llvm::cast<AffineConstantExpr>(binary.getRHS()).getValue();
      IndexRange inner = range(binary.getLHS());
      if (atom.getKind() == AffineExprKind::Mod)
        r = inner.min >= 0 && inner.max < divisor ? inner : IndexRange{0, divisor - 1};
      else
        r = {llvm::divideFloorSigned(inner.min, divisor), llvm::divideFloorSigned(inner.max, divisor)};
    }
    result.min += factor > 0 ? factor * r.min : factor * r.max;
    result.max += factor > 0 ? factor * r.max : factor * r.min;
  }
  return result;
}

AffineExpr IndexSpace::add(AffineExpr a, AffineExpr b) const {
  LinearForm form;
  collectTerms(a, 1, form);
  collectTerms(b, 1, form);
  return fromLinear(std::move(form));
}

AffineExpr IndexSpace::addConstant(AffineExpr a, int64_t c) const {
  if (c == 0)
    return a;
  LinearForm form = linearForm(a);
  form.constant += c;
  return fromLinear(std::move(form));
}

AffineExpr IndexSpace::scale(AffineExpr a, int64_t factor) const {
  if (factor == 1)
    return a;
  LinearForm form;
  collectTerms(a, factor, form);
  return fromLinear(std::move(form));
}

void IndexSpace::requestSplit(const LinearForm &rest, int64_t divisor) const {
  for (auto &[atom, factor] : rest.terms) {
    auto dim = llvm::dyn_cast<AffineDimExpr>(atom);
    if (!dim || factor <= 0 || divisor % factor != 0)
      continue;
    int64_t split = divisor / factor, extent = dims_[dim.getPosition()].max + 1;
    if (split > 1 && split < extent && extent % split == 0)
      splitRequests_.push_back({dim.getPosition(), split});
  }
}

// Takes the multiples of `divisor` out of `form` (they are returned divided) and leaves the rest.
static LinearForm takeMultiples(LinearForm &form, int64_t divisor) {
  LinearForm multiples;
  multiples.constant = llvm::divideFloorSigned(form.constant, divisor);
  form.constant -= multiples.constant * divisor;
  for (auto &[atom, factor] : form.terms) {
    if (factor % divisor != 0)
      continue;
    multiples.terms.push_back({atom, factor / divisor});
    factor = 0;
  }
  llvm::erase_if(form.terms, [](auto &term) { return term.second == 0; });
  return multiples;
}

// Divides the form by the greatest common divisor of its coefficients and `divisor`; returns it. The constant is
// rounded down, which changes neither floordiv nor (up to the remainder) mod.
static int64_t normalize(LinearForm &form, int64_t divisor) {
  int64_t common = divisor;
  for (auto &term : form.terms)
    common = std::gcd(common, term.second);
  if (common > 1) {
    for (auto &term : form.terms)
      term.second /= common;
    form.constant = llvm::divideFloorSigned(form.constant, common);
  }
  return common;
}

AffineExpr IndexSpace::floorDiv(AffineExpr a, int64_t divisor) const {
  if (divisor == 1)
    return a;
  LinearForm rest = linearForm(a);
  LinearForm quotient = takeMultiples(rest, divisor);
  int64_t common = normalize(rest, divisor);
  divisor /= common;
  AffineExpr base = fromLinear(rest);
  IndexRange r = range(base);
  if (llvm::divideFloorSigned(r.min, divisor) == llvm::divideFloorSigned(r.max, divisor)) {
    quotient.constant += llvm::divideFloorSigned(r.min, divisor);
    return fromLinear(std::move(quotient));
  }
  requestSplit(rest, divisor);
  collectTerms(base.floorDiv(divisor), 1, quotient);
  return fromLinear(std::move(quotient));
}

AffineExpr IndexSpace::mod(AffineExpr a, int64_t divisor) const {
  if (divisor == 1)
    return constant(0);
  LinearForm rest = linearForm(a);
  takeMultiples(rest, divisor);
  IndexRange whole = range(fromLinear(rest));
  if (whole.min >= 0 && whole.max < divisor)
    return fromLinear(std::move(rest));
  int64_t constantBefore = rest.constant;
  int64_t common = normalize(rest, divisor);
  int64_t remainder = constantBefore - rest.constant * common;
  AffineExpr base = fromLinear(rest);
  requestSplit(rest, divisor / common);
  LinearForm result;
  result.constant = remainder;
  collectTerms(base % (divisor / common), common, result);
  return fromLinear(std::move(result));
}

AffineExpr IndexSpace::linearize(llvm::ArrayRef<AffineExpr> index, llvm::ArrayRef<int64_t> shape) const {
  LinearForm form;
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1)
      collectTerms(index[i], stride, form);
    stride *= shape[i];
  }
  return fromLinear(std::move(form));
}

llvm::SmallVector<AffineExpr> IndexSpace::delinearize(AffineExpr position, llvm::ArrayRef<int64_t> shape) const {
  llvm::SmallVector<AffineExpr> index(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    bool outermost = std::all_of(shape.begin(), shape.begin() + i, [](int64_t n) { return n == 1; });
    if (shape[i] == 1) {
      index[i] = constant(0);
      continue;
    }
    index[i] = outermost ? position : mod(position, std::max<int64_t>(shape[i], 1));
    if (!outermost)
      position = floorDiv(position, std::max<int64_t>(shape[i], 1));
  }
  return index;
}

llvm::SmallVector<AffineExpr> IndexSpace::reshape(llvm::ArrayRef<AffineExpr> index, llvm::ArrayRef<int64_t> from,
                                                  llvm::ArrayRef<int64_t> to) const {
  llvm::SmallVector<AffineExpr> result;
  result.reserve(to.size());
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    // The shortest groups of dimensions with equal element counts.
    size_t iBegin = i, jBegin = j;
    int64_t left = i < from.size() ? from[i++] : 1, right = j < to.size() ? to[j++] : 1;
    while (left != right) {
      bool growLeft = left < right ? i < from.size() : j >= to.size();
      if (growLeft && i < from.size())
        left *= from[i++];
      else if (j < to.size())
        right *= to[j++];
      else
        break;
    }
    AffineExpr position = linearize(index.slice(iBegin, i - iBegin), from.slice(iBegin, i - iBegin));
    llvm::append_range(result, delinearize(position, to.slice(jBegin, j - jBegin)));
  }
  return result;
}

} // namespace tenon::codegen
