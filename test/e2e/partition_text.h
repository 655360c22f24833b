// What makes up the text of a program with a mesh. Private to partition_programs.cpp.
#pragma once

#include "test/e2e/partition_programs.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace tenon {

using Sizes = std::vector<int64_t>;

struct Value {
  std::string name;
  Sizes sizes;
};

// The text of a program while it is written.
class ProgramText {
public:
  ProgramText(uint32_t seed, bool isFloat) : random_(seed), element_(isFloat ? "f32" : "i32"), isFloat_(isFloat) {}

protected:
  PartitionProgram finish(PartitionProgram program, const std::string &signature) {
    program.devices =
        static_cast<int32_t>(std::accumulate(mesh_.begin(), mesh_.end(), int64_t{1}, std::multiplies<>()));
    std::string returned, types;
    for (size_t i = values_.size() - std::min<size_t>(3, values_.size()); i < values_.size(); ++i) {
      returned += (returned.empty() ? "" : ", ") + values_[i].name;
      types += (types.empty() ? "" : ", ") + type(values_[i].sizes);
    }
    std::string axes;
    for (size_t i = 0; i < mesh_.size(); ++i)
      axes += (i ? ", " : "") + std::string("\"") + "xyz"[i] + "\"=" + std::to_string(mesh_[i]);
    program.text = "module attributes {mhlo.num_partitions = " + std::to_string(program.devices) +
                   " : i32} {\nsdy.mesh @mesh = <[" + axes + "]>\nfunc.func @main(" + signature + ") -> (" + types +
                   ") {\n" + body_ + "  return " + returned + " : " + types + "\n}\n}\n";
    return program;
  }

  uint32_t below(size_t limit) { return static_cast<uint32_t>(random_() % limit); }

  std::string type(const Sizes &sizes, const std::string &element = "") const {
    std::string text = "tensor<";
    for (int64_t size : sizes)
      text += std::to_string(size) + "x";
    return text + (element.empty() ? element_ : element) + ">";
  }
  static std::string list(const Sizes &values) {
    std::string text = "[";
    for (size_t i = 0; i < values.size(); ++i)
      text += (i ? ", " : "") + std::to_string(values[i]);
    return text + "]";
  }

  Sizes randomSizes() {
    static const Sizes sizes = {1, 2, 3, 4, 5, 6, 7, 8, 8, 12, 16};
    Sizes result(below(10) ? 1 + below(3) : 0);
    for (int64_t &size : result)
      size = sizes[below(sizes.size())];
    return result;
  }

  // "@mesh, [{"x"}, {}]", with each axis in a random dimension or nowhere.
  std::string sharding(const Sizes &sizes, bool isEven) {
    std::vector<std::string> dims(sizes.size());
    Sizes parts(sizes.size(), 1);
    for (size_t axis = 0; axis < mesh_.size() && !sizes.empty(); ++axis) {
      size_t dim = below(sizes.size() + 1);
      if (dim == sizes.size() || (isEven && sizes[dim] % (parts[dim] * mesh_[axis]) != 0))
        continue;
      parts[dim] *= mesh_[axis];
      dims[dim] += (dims[dim].empty() ? "\"" : ", \"") + std::string(1, "xyz"[axis]) + "\"";
    }
    std::string text = "@mesh, [";
    for (size_t i = 0; i < dims.size(); ++i)
      text += (i ? ", {" : "{") + dims[i] + "}";
    return text + "]";
  }

  const Value &anyValue() { return values_[below(values_.size())]; }
  std::string fresh() { return "%v" + std::to_string(next_++); }
  std::string emit(const std::string &rest, const Sizes &sizes) {
    std::string name = fresh();
    body_ += "  " + name + " = " + rest + "\n";
    values_.push_back({name, sizes});
    return name;
  }
  std::string line(const std::string &rest) { // a value that is not for others
    std::string name = fresh();
    body_ += "  " + name + " = " + rest + "\n";
    return name;
  }
  std::string scalar(int value) {
    return line("stablehlo.constant dense<" + std::to_string(value) + (isFloat_ ? ".0" : "") + "> : " + type({}));
  }
  std::string index(int64_t value) {
    return line("stablehlo.constant dense<" + std::to_string(value) + "> : tensor<i32>");
  }

  std::mt19937 random_;
  std::string element_, body_;
  bool isFloat_;
  Sizes mesh_;
  std::vector<Value> values_;
  int next_ = 0;
};

} // namespace tenon
