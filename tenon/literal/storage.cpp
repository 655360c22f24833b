#include "tenon/literal/storage.h"
#include "tenon/support/shown.h"

#include "tenon/literal/primitive_type.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tenon::xla_2017::internal {
namespace {

constexpr std::uintptr_t kAlignment = 64;

class Filler {
public:
  Filler(const Shape &shape, unsigned char *data, const tenon::ElementTypeInfo &info, const unsigned char *value)
      : dims_(ShapeUtil::Dimensions(shape)), sizes_(LayoutUtil::PaddedDimensions(shape)),
        strides_(LayoutUtil::Strides(shape)), data_(data), width_(static_cast<size_t>(info.bytes)), value_(value) {
    Layout layout = LayoutUtil::LayoutOf(shape);
    order_.assign(layout.minor_to_major().rbegin(), layout.minor_to_major().rend());
    // Dimensions more minor than the last padded one have nothing to fill.
    while (!order_.empty() && dims_[size_t(order_.back())] == sizes_[size_t(order_.back())])
      order_.pop_back();
  }

  // The part of the block that begins at element `offset`, from the `level`-th dimension of the major ones on. What is
  // behind a dimension's end lies together there, since all more minor dimensions are whole.
  void run(size_t level = 0, int64 offset = 0) {
    if (level == order_.size())
      return;
    auto d = static_cast<size_t>(order_[level]);
    for (int64 i = 0; i < dims_[d]; ++i)
      run(level + 1, offset + i * strides_[d]);
    fill(offset + dims_[d] * strides_[d], (sizes_[d] - dims_[d]) * strides_[d]);
  }

private:
  void fill(int64 first, int64 count) {
    unsigned char *at = data_ + static_cast<size_t>(first) * width_;
    if (width_ == 1) {
      std::memset(at, *value_, static_cast<size_t>(count));
      return;
    }
    for (int64 i = 0; i < count; ++i, at += width_)
      std::memcpy(at, value_, width_);
  }

  std::vector<int64> dims_, sizes_, strides_;
  // Major to minor.
  std::vector<int64> order_;
  unsigned char *data_;
  size_t width_;
  const unsigned char *value_;
};

} // namespace

// The pointer that malloc gave lies in front of the memory.
void *allocateZeros(int64 bytes) {
  size_t total;
  if (__builtin_add_overflow(static_cast<size_t>(bytes), kAlignment + sizeof(void *), &total))
    return nullptr;
  void *block = std::calloc(1, total);
  if (!block)
    return nullptr;
  std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(block) + sizeof(void *);
  size_t gap = (kAlignment - begin % kAlignment) % kAlignment + sizeof(void *);
  void *data = static_cast<char *>(block) + gap;
  static_cast<void **>(data)[-1] = block;
  return data;
}

void freeZeros(void *data) { std::free(static_cast<void **>(data)[-1]); }

Status checkMemory(const Shape &shape, const void *data) {
  TENON_RETURN_IF_ERROR(ShapeUtil::Validate(shape));
  const tenon::ElementTypeInfo *info = findType(shape.element_type());
  if (!info)
    return tenon::invalidArgument(ShapeUtil::HumanString(shape) + " is not an array");
  if (!data && ShapeUtil::ByteSizeOf(shape) != 0)
    return tenon::invalidArgument("no memory is given for " + ShapeUtil::HumanString(shape));
  int alignment = info->kind == tenon::ElementKind::kComplex ? info->bytes / 2 : info->bytes;
  if (reinterpret_cast<std::uintptr_t>(data) % static_cast<unsigned>(alignment) != 0)
    return tenon::invalidArgument(std::string("the memory is not aligned to its elements, which are ") + info->xlaName);
  return {};
}

TENON_SHOWN void fillPadding(const Shape &shape, void *data, bool is_zero) {
  if (!LayoutUtil::IsPadded(LayoutUtil::LayoutOf(shape), shape) || ShapeUtil::ByteSizeOf(shape) == 0)
    return;
  Special which = Special::kZero;
  switch (shape.layout().has_padding_value() ? shape.layout().padding_value() : ZERO_PAD) {
  case ONE_PAD:
    which = Special::kOne;
    break;
  case LOWEST_PAD:
    which = Special::kLowest;
    break;
  case HIGHEST_PAD:
    which = Special::kHighest;
    break;
  case UNKNOWN_PAD:
    return;
  default:
    break;
  }
  const tenon::ElementTypeInfo &info = *findType(shape.element_type());
  unsigned char value[16];
  specialValue(info, which, value);
  if (is_zero && std::all_of(value, value + info.bytes, [](unsigned char byte) { return byte == 0; }))
    return;
  Filler(shape, static_cast<unsigned char *>(data), info, value).run();
}

} // namespace tenon::xla_2017::internal
