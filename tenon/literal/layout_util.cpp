#include "tenon/literal/primitive_type.h"
#include "tenon/shape.h"
#include "tenon/support/strides.h"

#include <algorithm>

namespace tenon::xla_2017 {

Layout LayoutUtil::MakeLayout(gtl::ArraySlice<int64> minor_to_major) { return MakePaddedLayout(minor_to_major, {}); }

Layout LayoutUtil::MakePaddedLayout(gtl::ArraySlice<int64> minor_to_major, gtl::ArraySlice<int64> padded_dimensions,
                                    PaddingValue value) {
  Layout layout;
  for (int64 dimension : minor_to_major)
    layout.add_minor_to_major(dimension);
  for (int64 size : padded_dimensions)
    layout.add_padded_dimensions(size);
  if (value != ZERO_PAD)
    layout.set_padding_value(value);
  return layout;
}

Layout LayoutUtil::GetDefaultLayout(int64 rank) {
  Layout layout;
  for (int64 dimension = rank; dimension-- > 0;)
    layout.add_minor_to_major(dimension);
  return layout;
}

Layout LayoutUtil::LayoutOf(const Shape &shape) {
  return shape.has_layout() ? shape.layout() : GetDefaultLayout(shape.dimensions_size());
}

static PaddingValue paddingValueOf(const Layout &layout) {
  return layout.has_padding_value() ? layout.padding_value() : ZERO_PAD;
}

Status LayoutUtil::Validate(const Layout &layout, const Shape &shape) {
  auto invalid = [](const std::string &what) { return tenon::invalidArgument("invalid layout: " + what); };
  const auto *info = internal::findType(shape.element_type());
  if (!info)
    return invalid("a " + PrimitiveTypeName(shape.element_type()) + " has none");
  int rank = shape.dimensions_size();
  std::vector<bool> seen(static_cast<size_t>(rank));
  bool isPermutation = layout.minor_to_major_size() == rank;
  for (int64 dimension : layout.minor_to_major())
    if (dimension < 0 || dimension >= rank || seen[static_cast<size_t>(dimension)])
      isPermutation = false;
    else
      seen[static_cast<size_t>(dimension)] = true;
  if (!isPermutation)
    return invalid("minor_to_major is not an order of " + std::to_string(rank) + " dimensions");
  if (layout.padded_dimensions_size() != 0 && layout.padded_dimensions_size() != rank)
    return invalid("padded_dimensions has " + std::to_string(layout.padded_dimensions_size()) + " entries for " +
                   std::to_string(rank) + " dimensions");
  for (int d = 0; d < layout.padded_dimensions_size(); ++d)
    if (layout.padded_dimensions(d) < shape.dimensions(d))
      return invalid("dimension " + std::to_string(d) + " of size " + std::to_string(shape.dimensions(d)) +
                     " is padded to " + std::to_string(layout.padded_dimensions(d)));
  PaddingValue value = paddingValueOf(layout);
  if (value == INVALID_PAD || !PaddingValue_IsValid(value))
    return invalid("there is no padding value of number " + std::to_string(value));
  if (info->kind == tenon::ElementKind::kComplex && (value == LOWEST_PAD || value == HIGHEST_PAD))
    return invalid("complex numbers have no " + std::string(value == LOWEST_PAD ? "lowest" : "highest") + " value");
  return {};
}

template <typename Field> static bool sameNumbers(const Field &a, const Field &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

bool LayoutUtil::Equal(const Layout &a, const Layout &b) {
  return sameNumbers(a.minor_to_major(), b.minor_to_major()) &&
         sameNumbers(a.padded_dimensions(), b.padded_dimensions()) &&
         (a.padded_dimensions_size() == 0 || paddingValueOf(a) == paddingValueOf(b));
}

bool LayoutUtil::IsDefault(const Layout &layout) {
  for (int i = 0; i < layout.minor_to_major_size(); ++i)
    if (layout.minor_to_major(i) != layout.minor_to_major_size() - 1 - i)
      return false;
  return layout.padded_dimensions_size() == 0;
}

bool LayoutUtil::IsPadded(const Layout &layout, const Shape &shape) {
  return layout.padded_dimensions_size() != 0 && !sameNumbers(layout.padded_dimensions(), shape.dimensions());
}

std::vector<int64> LayoutUtil::PaddedDimensions(const Shape &shape) {
  const auto &padded = shape.layout().padded_dimensions();
  return padded.empty() ? ShapeUtil::Dimensions(shape) : std::vector<int64>(padded.begin(), padded.end());
}

std::vector<int64> LayoutUtil::Strides(const Shape &shape) {
  return tenon::denseStrides(PaddedDimensions(shape), LayoutOf(shape).minor_to_major());
}

} // namespace tenon::xla_2017
