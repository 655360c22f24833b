#include "test/e2e/partition_programs.h"

#include "test/e2e/partition_text.h"

#include <algorithm>
#include <numeric>

namespace tenon {
namespace {

class Writer : ProgramText {
public:
  using ProgramText::ProgramText;

  PartitionProgram write() {
    static const std::vector<Sizes> meshes = {{2}, {3}, {4}, {8}, {2, 2}, {2, 4}, {4, 2}, {2, 2, 2}, {3, 2}, {6}};
    mesh_ = meshes[below(meshes.size())];
    PartitionProgram program;
    std::string signature;
    for (int i = 0, count = 1 + static_cast<int>(below(3)); i < count; ++i) {
      Value value{"%arg" + std::to_string(i), randomSizes()};
      signature += (i ? ", " : "") + value.name + ": " + type(value.sizes);
      if (below(4))
        signature += " {sdy.sharding = #sdy.sharding<" + sharding(value.sizes, /*isEven=*/true) + ">}";
      program.argumentSizes.push_back(value.sizes);
      values_.push_back(std::move(value));
    }
    for (int i = 0, count = 3 + static_cast<int>(below(7)); i < count; ++i)
      writeOp(below(kOps));
    return finish(std::move(program), signature);
  }

  // One op that moves elements to neighbours.
  PartitionProgram writeMoving(bool isScan) {
    mesh_ = std::vector<Sizes>{{2}, {3}, {4}, {8}, {2, 2}}[below(5)];
    PartitionProgram program;
    size_t rank = 1 + below(2);
    Value value{"%arg0", {}};
    for (size_t i = 0; i < rank; ++i)
      value.sizes.push_back(5 + below(30));
    program.argumentSizes.push_back(value.sizes);
    values_.push_back(value);
    // No axis is left out, so that something is cut.
    std::string axes;
    for (size_t axis = 0; axis < mesh_.size(); ++axis)
      axes += (axis ? ", \"" : "\"") + std::string(1, "xyz"[axis]) + "\"";
    size_t dim = below(rank);
    std::string cut = "@mesh, [";
    for (size_t i = 0; i < rank; ++i)
      cut += std::string(i ? ", {" : "{") + (i == dim ? axes : "") + "}";
    auto constrain = [&](const Value &given) {
      emit("sdy.sharding_constraint " + given.name + " <" + cut + "]> : " + type(given.sizes), given.sizes);
    };
    constrain(value);
    writeMove(values_.back(), dim, isScan);
    if (values_.back().sizes.size() == rank)
      constrain(values_.back());
    values_.erase(values_.begin(), values_.end() - 1);
    return finish(std::move(program), "%arg0: " + type(value.sizes));
  }

private:
  static constexpr uint32_t kOps = 25;

  void writeOp(uint32_t kind) {
    Value value = anyValue();
    const Sizes &sizes = value.sizes;
    switch (kind) {
    case 0:
    case 1:
      return writeBinary(value);
    case 2:
    case 3:
      emit("sdy.sharding_constraint " + value.name + " <" + sharding(sizes, /*isEven=*/false) + "> : " + type(sizes),
           sizes);
      return;
    case 4:
    case 5:
      return writeDot(value);
    case 6:
    case 7:
      return writeReduce(value);
    case 8:
      return writeTranspose(value);
    case 9:
      return writeReshape(value);
    case 10:
      return writeBroadcast(value);
    case 11:
      return writeSlice(value);
    case 12:
      return writePad(value);
    case 13:
      return writeReverse(value);
    case 14:
      return writeLoop(value);
    case 15:
      return writeDynamic(value);
    case 16:
      return writeConcatenate(value);
    case 17:
    case 18:
      return writeGather(value);
    case 19:
    case 20:
      return writeScatter(value);
    case 21:
      return writeSort(value);
    case 22:
      return writeBranches(value);
    case 23:
      return writeArgMax(value);
    default:
      return writeIota(value);
    }
  }

  void writeBinary(const Value &value) {
    static const char *ops[] = {"add", "subtract", "maximum", "minimum"};
    std::string other = value.name;
    for (const Value &candidate : values_)
      if (candidate.sizes == value.sizes && below(2))
        other = candidate.name;
    emit(std::string("stablehlo.") + ops[below(4)] + " " + value.name + ", " + other + " : " + type(value.sizes),
         value.sizes);
  }

  void writeDot(const Value &value) {
    if (value.sizes.empty() || value.sizes.size() > 2)
      return;
    Sizes other = {value.sizes.back(), int64_t{1} + below(8)}, result(value.sizes.begin(), value.sizes.end() - 1);
    std::string rhs;
    for (const Value &candidate : values_)
      if (candidate.sizes.size() == 2 && candidate.sizes[0] == value.sizes.back()) {
        rhs = candidate.name;
        other = candidate.sizes;
      }
    if (rhs.empty())
      rhs = line("stablehlo.iota dim = " + std::to_string(below(2)) + " : " + type(other));
    result.push_back(other[1]);
    emit("stablehlo.dot_general " + value.name + ", " + rhs + ", contracting_dims = [" +
             std::to_string(value.sizes.size() - 1) + "] x [0] : (" + type(value.sizes) + ", " + type(other) + ") -> " +
             type(result),
         result);
  }

  void writeReduce(const Value &value) {
    Sizes dims, result;
    for (size_t i = 0; i < value.sizes.size(); ++i)
      if (below(2))
        dims.push_back(static_cast<int64_t>(i));
      else
        result.push_back(value.sizes[i]);
    bool isSum = below(2);
    std::string initial = scalar(static_cast<int>(below(3)));
    emit("stablehlo.reduce(" + value.name + " init: " + initial + ") applies stablehlo." + (isSum ? "add" : "maximum") +
             " across dimensions = " + list(dims) + " : (" + type(value.sizes) + ", " + type({}) + ") -> " +
             type(result),
         result);
  }

  void writeTranspose(const Value &value) {
    Sizes order(value.sizes.size()), result;
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    for (int64_t dim : order)
      result.push_back(value.sizes[dim]);
    emit("stablehlo.transpose " + value.name + ", dims = " + list(order) + " : (" + type(value.sizes) + ") -> " +
             type(result),
         result);
  }

  void writeReshape(const Value &value) {
    Sizes result = value.sizes;
    if (result.size() > 1 && below(2)) {
      result[1] *= result[0];
      result.erase(result.begin());
    } else if (!result.empty()) {
      size_t dim = below(result.size());
      for (int64_t part : {4, 2, 3})
        if (result[dim] % part == 0) {
          result[dim] /= part;
          result.insert(result.begin() + static_cast<int64_t>(dim), part);
          break;
        }
    }
    emit("stablehlo.reshape " + value.name + " : (" + type(value.sizes) + ") -> " + type(result), result);
  }

  void writeBroadcast(const Value &value) {
    if (value.sizes.size() > 2)
      return;
    Sizes result = value.sizes, dims;
    auto place = static_cast<int64_t>(below(result.size() + 1));
    result.insert(result.begin() + place, int64_t{1} + below(6));
    for (int64_t i = 0; i < static_cast<int64_t>(result.size()); ++i)
      if (i != place)
        dims.push_back(i);
    emit("stablehlo.broadcast_in_dim " + value.name + ", dims = " + list(dims) + " : (" + type(value.sizes) + ") -> " +
             type(result),
         result);
  }

  void writeSlice(const Value &value) {
    Sizes result;
    std::string ranges;
    for (int64_t size : value.sizes) {
      bool isWhole = below(2);
      int64_t start = isWhole ? 0 : below(size), limit = isWhole ? size : start + 1 + below(size - start);
      ranges += (ranges.empty() ? "" : ", ") + std::to_string(start) + ":" + std::to_string(limit);
      result.push_back(limit - start);
    }
    emit("stablehlo.slice " + value.name + " [" + ranges + "] : (" + type(value.sizes) + ") -> " + type(result),
         result);
  }

  void writePad(const Value &value) {
    Sizes low, high, inner(value.sizes.size(), 0), result;
    for (int64_t size : value.sizes) {
      low.push_back(below(3));
      high.push_back(below(3));
      result.push_back(size + low.back() + high.back());
    }
    std::string filler = scalar(5);
    emit("stablehlo.pad " + value.name + ", " + filler + ", low = " + list(low) + ", high = " + list(high) +
             ", interior = " + list(inner) + " : (" + type(value.sizes) + ", " + type({}) + ") -> " + type(result),
         result);
  }

  void writeReverse(const Value &value) {
    Sizes dims;
    for (size_t i = 0; i < value.sizes.size(); ++i)
      if (below(2))
        dims.push_back(static_cast<int64_t>(i));
    emit("stablehlo.reverse " + value.name + ", dims = " + list(dims) + " : " + type(value.sizes), value.sizes);
  }

  // Adds up a value three times.
  void writeLoop(const Value &value) {
    std::string zero = index(0), one = index(1), three = index(3), name = fresh(), t = type(value.sizes);
    body_ += "  " + name + ":2 = stablehlo.while(%i = " + zero + ", %a = " + value.name + ") : tensor<i32>, " + t +
             "\n  cond {\n    %p = stablehlo.compare LT, %i, " + three +
             " : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n  } do {\n    %n = "
             "stablehlo.add %i, " +
             one + " : tensor<i32>\n    %s = stablehlo.maximum %a, " + value.name + " : " + t +
             "\n    %r = stablehlo.add %s, %a : " + t + "\n    stablehlo.return %n, %r : tensor<i32>, " + t + "\n  }\n";
    values_.push_back({name + "#1", value.sizes});
  }

  // Takes a slice, or writes it back somewhere else.
  void writeDynamic(const Value &value) {
    Sizes sizes;
    std::string starts, types;
    for (int64_t size : value.sizes) {
      sizes.push_back(below(2) ? size : 1 + below(size));
      starts += ", " + index(static_cast<int64_t>(below(9)) - 1);
      types += ", tensor<i32>";
    }
    std::string slice = emit("stablehlo.dynamic_slice " + value.name + starts + ", sizes = " + list(sizes) + " : (" +
                                 type(value.sizes) + types + ") -> " + type(sizes),
                             sizes);
    std::string places;
    for (size_t i = 0; i < sizes.size(); ++i)
      places += ", " + index(static_cast<int64_t>(below(5)));
    if (below(2))
      emit("stablehlo.dynamic_update_slice " + value.name + ", " + slice + places + " : (" + type(value.sizes) + ", " +
               type(sizes) + types + ") -> " + type(value.sizes),
           value.sizes);
  }

  // Indices from -2 on, some of them outside.
  std::string indexList(int64_t count) {
    std::string text;
    for (int64_t i = 0; i < count; ++i)
      text += (i ? ", [" : "[") + std::to_string(static_cast<int64_t>(below(12)) - 2) + "]";
    std::string constant = line("stablehlo.constant dense<[" + text + "]> : " + type({count, 1}, "i32"));
    return below(2) ? constant
                    : line("sdy.sharding_constraint " + constant + " <" + sharding({count, 1}, false) +
                           "> : " + type({count, 1}, "i32"));
  }

  // Rows of an array along some dimension.
  void writeGather(const Value &value) {
    if (value.sizes.empty())
      return;
    size_t dim = below(value.sizes.size());
    int64_t count = 1 + below(8);
    Sizes slices = value.sizes, result = {count}, offsets;
    slices[dim] = 1;
    for (size_t i = 0; i < value.sizes.size(); ++i)
      if (i != dim) {
        result.push_back(value.sizes[i]);
        offsets.push_back(static_cast<int64_t>(result.size()) - 1);
      }
    emit("\"stablehlo.gather\"(" + value.name + ", " + indexList(count) +
             ") <{dimension_numbers = #stablehlo.gather<offset_dims = " + list(offsets) + ", collapsed_slice_dims = [" +
             std::to_string(dim) + "], start_index_map = [" + std::to_string(dim) +
             "], index_vector_dim = 1>, slice_sizes = array<i64" + (slices.empty() ? "" : ": ") +
             list(slices).substr(1, list(slices).size() - 2) + ">}> : (" + type(value.sizes) + ", " +
             type({count, 1}, "i32") + ") -> " + type(result),
         result);
  }

  // Rows are added to an array, or their maximum is taken.
  void writeScatter(const Value &value) {
    if (value.sizes.empty())
      return;
    size_t dim = below(value.sizes.size());
    int64_t count = 1 + below(8);
    Sizes updates = {count}, windows;
    for (size_t i = 0; i < value.sizes.size(); ++i)
      if (i != dim) {
        updates.push_back(value.sizes[i]);
        windows.push_back(static_cast<int64_t>(updates.size()) - 1);
      }
    std::string rows = line("stablehlo.iota dim = " + std::to_string(below(updates.size())) + " : " + type(updates));
    std::string indices = indexList(count), t = type({});
    emit("\"stablehlo.scatter\"(" + value.name + ", " + indices + ", " + rows +
             ") <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = " + list(windows) +
             ", inserted_window_dims = [" + std::to_string(dim) + "], scatter_dims_to_operand_dims = [" +
             std::to_string(dim) + "], index_vector_dim = 1>}> ({\n  ^bb0(%a: " + t + ", %b: " + t +
             "):\n    %c = stablehlo." + (below(2) ? "add" : "maximum") + " %a, %b : " + t +
             "\n    stablehlo.return %c : " + t + "\n  }) : (" + type(value.sizes) + ", " + type({count, 1}, "i32") +
             ", " + type(updates) + ") -> " + type(value.sizes),
         value.sizes);
  }

  void writeSort(const Value &value) {
    if (value.sizes.empty())
      return;
    std::string t = type({});
    emit("\"stablehlo.sort\"(" + value.name + ") <{dimension = " + std::to_string(below(value.sizes.size())) +
             " : i64}> ({\n  ^bb0(%a: " + t + ", %b: " + t + "):\n    %c = stablehlo.compare LT, %a, %b : (" + t +
             ", " + t + ") -> tensor<i1>\n    stablehlo.return %c : tensor<i1>\n  }) : (" + type(value.sizes) +
             ") -> " + type(value.sizes),
         value.sizes);
  }

  // The largest elements along a dimension, and where the first of them are.
  void writeArgMax(const Value &value) {
    if (value.sizes.empty())
      return;
    size_t dim = below(value.sizes.size());
    Sizes result = value.sizes;
    result.erase(result.begin() + static_cast<int64_t>(dim));
    std::string t = type({}), places = line("stablehlo.iota dim = " + std::to_string(dim) + " : " + type(value.sizes)),
                least = scalar(-1000000), zero = scalar(0), name = fresh();
    body_ += "  " + name + ":2 = stablehlo.reduce(" + value.name + " init: " + least + "), (" + places +
             " init: " + zero + ") across dimensions = [" + std::to_string(dim) + "] : (" + type(value.sizes) + ", " +
             type(value.sizes) + ", " + t + ", " + t + ") -> (" + type(result) + ", " + type(result) +
             ")\n    reducer(%a: " + t + ", %c: " + t + ") (%b: " + t + ", %d: " + t +
             ") {\n      %g = stablehlo.compare GE, %a, %c : (" + t + ", " + t +
             ") -> tensor<i1>\n      %m = stablehlo.select %g, %a, %c : tensor<i1>, " + t +
             "\n      %e = stablehlo.compare EQ, %a, %c : (" + t + ", " + t +
             ") -> tensor<i1>\n      %f = stablehlo.minimum %b, %d : " + t +
             "\n      %h = stablehlo.select %g, %b, %d : tensor<i1>, " + t +
             "\n      %i = stablehlo.select %e, %f, %h : tensor<i1>, " + t + "\n      stablehlo.return %m, %i : " + t +
             ", " + t + "\n    }\n";
    values_.push_back({name + "#0", result});
    values_.push_back({name + "#1", result});
  }

  // Which branch is taken, an array's maximum decides.
  void writeBranches(const Value &value) {
    Sizes dims(value.sizes.size());
    std::iota(dims.begin(), dims.end(), 0);
    std::string zero = scalar(2), t = type(value.sizes), result = fresh();
    std::string most = line("stablehlo.reduce(" + value.name + " init: " + zero +
                            ") applies stablehlo.maximum across dimensions = " + list(dims) + " : (" + t + ", " +
                            type({}) + ") -> " + type({}));
    std::string isLarge =
        line("stablehlo.compare GT, " + most + ", " + zero + " : (" + type({}) + ", " + type({}) + ") -> tensor<i1>");
    body_ += "  " + result + " = \"stablehlo.if\"(" + isLarge + ") ({\n    %t = stablehlo.negate " + value.name +
             " : " + t + "\n    stablehlo.return %t : " + t + "\n  }, {\n    stablehlo.return " + value.name + " : " +
             t + "\n  }) : (tensor<i1>) -> " + t + "\n";
    values_.push_back({result, value.sizes});
  }

  void writeConcatenate(const Value &value) {
    if (value.sizes.empty())
      return;
    size_t dim = below(value.sizes.size());
    Sizes result = value.sizes;
    result[dim] *= 2;
    emit("stablehlo.concatenate " + value.name + ", " + value.name + ", dim = " + std::to_string(dim) + " : (" +
             type(value.sizes) + ", " + type(value.sizes) + ") -> " + type(result),
         result);
  }

  void writeIota(const Value &value) {
    if (value.sizes.empty())
      return;
    std::string numbers =
        line("stablehlo.iota dim = " + std::to_string(below(value.sizes.size())) + " : " + type(value.sizes));
    emit("stablehlo.add " + value.name + ", " + numbers + " : " + type(value.sizes), value.sizes);
  }

  void writeMove(const Value &value, size_t dim, bool isScan) {
    using Write = void (Writer::*)(const Value &, size_t);
    static constexpr Write kMoves[] = {&Writer::writeStridedSlice, &Writer::writeCrop,    &Writer::writeReversed,
                                       &Writer::writeRoll,         &Writer::writeWindows, &Writer::writeWindows,
                                       &Writer::writeConvolution};
    (this->*(isScan ? &Writer::writeScan : kMoves[below(std::size(kMoves) - !isFloat_)]))(value, dim);
  }
  void writeReversed(const Value &value, size_t) { writeReverse(value); }

  void writeStridedSlice(const Value &value, size_t) {
    Sizes result;
    std::string ranges;
    for (int64_t size : value.sizes) {
      int64_t start = below(4), limit = size - below(4) + 1, stride = 1 + below(3);
      limit = std::clamp(limit, start + 1, size);
      ranges += (ranges.empty() ? "" : ", ") + std::to_string(start) + ":" + std::to_string(limit) + ":" +
                std::to_string(stride);
      result.push_back((limit - start + stride - 1) / stride);
    }
    emit("stablehlo.slice " + value.name + " [" + ranges + "] : (" + type(value.sizes) + ") -> " + type(result),
         result);
  }

  void writeCrop(const Value &value, size_t) {
    Sizes low, high, inner, result;
    for (int64_t size : value.sizes) {
      low.push_back(static_cast<int64_t>(below(6)) - 2);
      high.push_back(below(3) ? static_cast<int64_t>(below(6)) - 2 : -low.back());
      inner.push_back(below(8) == 0);
      result.push_back(size + low.back() + high.back() + inner.back() * (size - 1));
    }
    std::string filler = scalar(5);
    emit("stablehlo.pad " + value.name + ", " + filler + ", low = " + list(low) + ", high = " + list(high) +
             ", interior = " + list(inner) + " : (" + type(value.sizes) + ", " + type({}) + ") -> " + type(result),
         result);
  }

  void writeRoll(const Value &value, size_t dim) {
    int64_t size = value.sizes[dim], by = 1 + below(static_cast<size_t>(size) - 1);
    if (below(2))
      by = 1 + below(3);
    auto sliceOf = [&](int64_t start, int64_t limit) {
      Sizes sizes = value.sizes;
      sizes[dim] = limit - start;
      std::string ranges;
      for (size_t i = 0; i < sizes.size(); ++i)
        ranges += (i ? ", " : "") +
                  (i == dim ? std::to_string(start) + ":" + std::to_string(limit) : "0:" + std::to_string(sizes[i]));
      std::string result = type(sizes);
      return std::pair(
          line("stablehlo.slice " + value.name + " [" + ranges + "] : (" + type(value.sizes) + ") -> " + result),
          result);
    };
    auto [first, firstType] = sliceOf(size - by, size);
    auto [second, secondType] = sliceOf(0, size - by);
    emit("stablehlo.concatenate " + first + ", " + second + ", dim = " + std::to_string(dim) + " : (" + firstType +
             ", " + secondType + ") -> " + type(value.sizes),
         value.sizes);
  }

  void writeReduceWindow(const Value &value, const Sizes &windows, const Sizes &strides, const Sizes &dilations,
                         const Sizes &low, const Sizes &high, bool isSum) {
    Sizes result;
    std::string padding;
    for (size_t i = 0; i < value.sizes.size(); ++i) {
      padding += (i ? ", " : "") + list({low[i], high[i]});
      int64_t width = (windows[i] - 1) * dilations[i] + 1, padded = value.sizes[i] + low[i] + high[i];
      result.push_back(padded < width ? 0 : (padded - width) / strides[i] + 1);
    }
    auto array = [&](const Sizes &numbers) {
      std::string text = list(numbers);
      return "array<i64: " + text.substr(1, text.size() - 2) + ">";
    };
    std::string initial = scalar(isSum ? 0 : -9);
    emit("\"stablehlo.reduce_window\"(" + value.name + ", " + initial + ") <{window_dimensions = " + array(windows) +
             ", window_strides = " + array(strides) + ", window_dilations = " + array(dilations) +
             ", padding = dense<[" + padding + "]> : tensor<" + std::to_string(value.sizes.size()) +
             "x2xi64>}> ({\n  ^bb0(%a: " + type({}) + ", %b: " + type({}) + "):\n    %s = stablehlo." +
             (isSum ? "add" : "maximum") + " %a, %b : " + type({}) + "\n    stablehlo.return %s : " + type({}) +
             "\n  }) : (" + type(value.sizes) + ", " + type({}) + ") -> " + type(result),
         result);
  }

  void writeWindows(const Value &value, size_t) {
    Sizes windows, strides, dilations, low, high;
    for (size_t i = 0; i < value.sizes.size(); ++i) {
      windows.push_back(1 + below(3));
      strides.push_back(1 + below(3));
      dilations.push_back(1 + below(2));
      low.push_back(below(3));
      high.push_back(below(3));
    }
    writeReduceWindow(value, windows, strides, dilations, low, high, below(2));
  }

  // A sum or maximum of all that is before, or behind.
  void writeScan(const Value &value, size_t dim) {
    Sizes ones(value.sizes.size(), 1), low(value.sizes.size(), 0), windows = ones, high = low;
    windows[dim] = value.sizes[dim];
    (below(2) ? low : high)[dim] = value.sizes[dim] - 1;
    writeReduceWindow(value, windows, ones, ones, low, high, below(2));
  }

  void writeConvolution(const Value &value, size_t dim) {
    int64_t size = value.sizes[dim], width = 1 + below(4), low = below(3), high = below(3), stride = 1 + below(2);
    int64_t result = (size + low + high - width) / stride + 1, rest = value.sizes.size() > 1 ? value.sizes[1 - dim] : 1;
    std::string input = value.name, inputType = type(value.sizes), kernel = type({width, 1, 1});
    std::string reshaped = type({rest, size, 1});
    if (dim == 0 && value.sizes.size() > 1) {
      input = line("stablehlo.transpose " + input + ", dims = [1, 0] : (" + inputType + ") -> " + type({rest, size}));
      inputType = type({rest, size});
    }
    input = line("stablehlo.reshape " + input + " : (" + inputType + ") -> " + reshaped);
    std::string weights = line("stablehlo.iota dim = 0 : " + kernel);
    emit("stablehlo.convolution(" + input + ", " + weights +
             ") dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [" + std::to_string(stride) +
             "], pad = [" + list({low, high}) + "]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (" +
             reshaped + ", " + kernel + ") -> " + type({rest, result, 1}),
         {rest, result, 1});
  }
};

} // namespace

PartitionProgram makePartitionProgram(uint32_t seed, bool isFloat) { return Writer(seed, isFloat).write(); }

PartitionProgram makeMovingProgram(uint32_t seed, bool isFloat, bool isScan) {
  return Writer(seed, isFloat).writeMoving(isScan);
}

} // namespace tenon
