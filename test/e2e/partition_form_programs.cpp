// Programs of one op each whose dimensions are cut, for the forms that are more than a move to neighbours.
#include "test/e2e/partition_programs.h"
#include "test/e2e/partition_text.h"

#include <functional>
#include <numeric>

namespace tenon {
namespace {

class FormWriter : ProgramText {
public:
  using ProgramText::ProgramText;

  // The form is the `number`-th that the element type has.
  PartitionProgram write(uint32_t number) {
    mesh_ = std::vector<Sizes>{{2}, {3}, {4}, {8}, {2, 2}}[below(5)];
    size_t rank = 1 + below(2);
    Value value{"%arg0", {}};
    for (size_t i = 0; i < rank; ++i)
      value.sizes.push_back(1 + below(20));
    PartitionProgram program;
    program.argumentSizes = {value.sizes};
    size_t dim = below(rank);
    struct Form {
      void (FormWriter::*write)(const Value &, size_t);
      bool isAlways = true; // has a local form, whatever the sizes
    };
    static constexpr Form kForms[] = {
        {&FormWriter::writeSlice},         {&FormWriter::writeUpdate},     {&FormWriter::writeWindows},
        {&FormWriter::writeTopK},          {&FormWriter::writeRandom},     {&FormWriter::writeJoin},
        {&FormWriter::writeSelect},        {&FormWriter::writePad, false}, {&FormWriter::writeReduce, false},
        {&FormWriter::writeGroups, false}, {&FormWriter::writeFeatures},   {&FormWriter::writeUpsample, false},
        {&FormWriter::writeNarrowSum},     {&FormWriter::writeRaggedDot}};
    constexpr uint32_t kOfFloats = 5; // the last ones
    const Form *form = &kForms[number % (std::size(kForms) - (isFloat_ ? 0 : kOfFloats))];
    (this->*form->write)(value, dim);
    program.hasLocalForm = form->isAlways && !mayBeWhole_;
    return finish(std::move(program), "%arg0: " + type(value.sizes));
  }

private:
  bool mayBeWhole_ = false; // computed whole, since the result is cut along what an op has of its own, or is sorted

  // The value, cut along all axes of the mesh in that dimension.
  Value cut(const Value &value, size_t dim, const std::string &element = "") {
    std::string axes, dims;
    for (size_t axis = 0; axis < mesh_.size(); ++axis)
      axes += (axis ? ", \"" : "\"") + std::string(1, "xyz"[axis]) + "\"";
    for (size_t i = 0; i < value.sizes.size(); ++i)
      dims += std::string(i ? ", {" : "{") + (i == dim ? axes : "") + "}";
    return {line("sdy.sharding_constraint " + value.name + " <@mesh, [" + dims + "]> : " + type(value.sizes, element)),
            value.sizes};
  }
  // What is given back, cut or open.
  void give(const std::string &text, const Sizes &sizes, size_t dim) {
    Value result{line(text), sizes};
    mayBeWhole_ = below(2) && !sizes.empty();
    values_.push_back(mayBeWhole_ ? cut(result, dim % sizes.size()) : result);
  }
  std::string places(const Sizes &sizes, std::string &types) {
    std::string text;
    for (int64_t size : sizes) {
      text += ", " + index(static_cast<int64_t>(below(static_cast<size_t>(size) + 6)) - 3);
      types += ", tensor<i32>";
    }
    return text;
  }
  // Small sizes in the dimension, any in others.
  Sizes partSizes(const Sizes &sizes, size_t dim) {
    Sizes result;
    for (size_t i = 0; i < sizes.size(); ++i)
      result.push_back(i == dim || below(2)
                           ? 1 + below(std::min<size_t>(static_cast<size_t>(sizes[i]), below(2) ? 3 : 20))
                           : sizes[i]);
    return result;
  }
  static std::string array(const Sizes &numbers) {
    std::string text = list(numbers);
    return "array<i64" + (numbers.empty() ? "" : ": " + text.substr(1, text.size() - 2)) + ">";
  }

  void writeSlice(const Value &value, size_t dim) {
    Sizes sizes = partSizes(value.sizes, dim);
    std::string types, starts = places(value.sizes, types), operand = cut(value, dim).name;
    give("stablehlo.dynamic_slice " + operand + starts + ", sizes = " + list(sizes) + " : (" + type(value.sizes) +
             types + ") -> " + type(sizes),
         sizes, dim);
  }

  void writeUpdate(const Value &value, size_t dim) {
    Sizes sizes = partSizes(value.sizes, dim);
    std::string types, starts = places(value.sizes, types), operand = cut(value, dim).name,
                       update = line("stablehlo.iota dim = " + std::to_string(dim) + " : " + type(sizes));
    give("stablehlo.dynamic_update_slice " + operand + ", " + update + starts + " : (" + type(value.sizes) + ", " +
             type(sizes) + types + ") -> " + type(value.sizes),
         value.sizes, dim);
  }

  // Windows at places that indices say, some of them outside.
  void writeWindows(const Value &value, size_t dim) {
    Sizes slices = partSizes(value.sizes, dim), result = {static_cast<int64_t>(1 + below(5))}, offsets;
    std::string numbers;
    for (int64_t i = 0; i < result[0]; ++i)
      numbers += (i ? ", [" : "[") + std::to_string(static_cast<int64_t>(below(26)) - 3) + "]";
    std::string indices = line("stablehlo.constant dense<[" + numbers + "]> : " + type({result[0], 1}, "i32"));
    for (int64_t size : slices) {
      offsets.push_back(static_cast<int64_t>(result.size()));
      result.push_back(size);
    }
    size_t indexed = below(3) ? dim : below(value.sizes.size());
    std::string operand = cut(value, dim).name;
    give("\"stablehlo.gather\"(" + operand + ", " + indices +
             ") <{dimension_numbers = #stablehlo.gather<offset_dims = " + list(offsets) + ", start_index_map = [" +
             std::to_string(indexed) + "], index_vector_dim = 1>, slice_sizes = " + array(slices) + "}> : (" +
             type(value.sizes) + ", " + type({result[0], 1}, "i32") + ") -> " + type(result),
         result, dim + 1);
  }

  // Two arrays, or three, behind each other along the dimension that is cut.
  void writeJoin(const Value &value, size_t dim) {
    auto devices = std::accumulate(mesh_.begin(), mesh_.end(), int64_t{1}, std::multiplies<>());
    bool isEven = below(2);
    Sizes sizes = value.sizes, result = sizes;
    std::string first = value.name;
    if (isEven) { // of as many elements as there are devices, or twice as many
      sizes[dim] = devices * (1 + below(2));
      first = line("stablehlo.iota dim = " + std::to_string(dim) + " : " + type(sizes));
      first = line("stablehlo.negate " + first + " : " + type(sizes));
    }
    Sizes other = sizes;
    if (!isEven)
      other[dim] = 1 + below(20);
    std::string numbers = line("stablehlo.iota dim = " + std::to_string(dim) + " : " + type(other)), operands, types;
    std::vector<Value> parts = {cut({first, sizes}, dim), cut({numbers, other}, dim)};
    if (below(2))
      std::swap(parts[0], parts[1]);
    if (!isEven && below(2))
      parts.push_back(parts[below(2)]);
    result[dim] = 0;
    for (const Value &part : parts) {
      operands += (operands.empty() ? "" : ", ") + part.name;
      types += (types.empty() ? "" : ", ") + type(part.sizes);
      result[dim] += part.sizes[dim];
    }
    give("stablehlo.concatenate " + operands + ", dim = " + std::to_string(dim) + " : (" + types + ") -> " +
             type(result),
         result, dim);
    mayBeWhole_ = !isEven || devices < 4;
  }

  // What is added where windows have their largest elements: the gradient of a maximum.
  void writeSelect(const Value &value, size_t dim) {
    Sizes windows, strides, source, operand;
    std::string padding;
    for (size_t i = 0; i < value.sizes.size(); ++i) {
      windows.push_back(1 + below(3));
      strides.push_back(1 + below(3));
      operand.push_back(std::max<int64_t>(value.sizes[i], windows.back()));
      int64_t low = below(4) ? 0 : below(2), high = below(4) ? 0 : below(2);
      padding += (i ? ", " : "") + list({low, high});
      source.push_back((operand.back() + low + high - windows.back()) / strides.back() + 1);
    }
    std::string filler = scalar(-1), t = type({});
    Sizes zeros(operand.size(), 0), high;
    for (size_t i = 0; i < operand.size(); ++i)
      high.push_back(operand[i] - value.sizes[i]);
    Value whole{line("stablehlo.pad " + value.name + ", " + filler + ", low = " + list(zeros) +
                     ", high = " + list(high) + ", interior = " + list(zeros) + " : (" + type(value.sizes) + ", " + t +
                     ") -> " + type(operand)),
                operand};
    std::string sources = line("stablehlo.iota dim = " + std::to_string(dim) + " : " + type(source)),
                initial = scalar(3);
    give("\"stablehlo.select_and_scatter\"(" + cut(whole, dim).name + ", " + sources + ", " + initial +
             ") <{window_dimensions = " + array(windows) + ", window_strides = " + array(strides) +
             ", padding = dense<[" + padding + "]> : tensor<" + std::to_string(operand.size()) +
             "x2xi64>}> ({\n  ^bb0(%a: " + t + ", %b: " + t + "):\n    %s = stablehlo.compare GE, %a, %b : (" + t +
             ", " + t + ") -> tensor<i1>\n    stablehlo.return %s : tensor<i1>\n  }, {\n  ^bb0(%a: " + t +
             ", %b: " + t + "):\n    %s = stablehlo.add %a, %b : " + t + "\n    stablehlo.return %s : " + t +
             "\n  }) : (" + type(operand) + ", " + type(source) + ", " + t + ") -> " + type(operand),
         operand, dim);
    mayBeWhole_ = true;
  }

  // Among numbers many of which are equal, and floats that are NaN, -0 and subnormal, by their bits.
  void writeTopK(const Value &value, size_t) {
    size_t last = value.sizes.size() - 1;
    Sizes sizes = value.sizes;
    auto k = static_cast<int64_t>(below(static_cast<size_t>(sizes[last]) + 1));
    mayBeWhole_ = k == sizes[last];
    std::string operand = value.name, element = element_;
    if (!isFloat_ && below(2)) {
      if (below(2)) {
        std::string factor = line("stablehlo.constant dense<536870912> : " + type(sizes));
        operand = line("stablehlo.multiply " + operand + ", " + factor + " : " + type(sizes));
      }
      element = "f32";
      operand = line("stablehlo.bitcast_convert " + operand + " : (" + type(sizes) + ") -> " + type(sizes, element));
    }
    operand = cut({operand, sizes}, last, element).name;
    sizes[last] = k;
    std::string top = fresh();
    body_ += "  " + top + ":2 = chlo.top_k(" + operand + ", k = " + std::to_string(k) +
             ") : " + type(value.sizes, element) + " -> (" + type(sizes, element) + ", " + type(sizes, "i32") + ")\n";
    std::string values = top + "#0", indices = top + "#1";
    if (element != element_)
      values = line("stablehlo.bitcast_convert " + values + " : (" + type(sizes, element) + ") -> " + type(sizes));
    if (isFloat_)
      indices = line("stablehlo.convert " + indices + " : (" + type(sizes, "i32") + ") -> " + type(sizes));
    values_ = {{values, sizes}, {indices, sizes}};
  }

  void writePad(const Value &value, size_t dim) {
    Sizes low, high, inner, result;
    for (int64_t size : value.sizes) {
      low.push_back(static_cast<int64_t>(below(6)) - 2);
      high.push_back(static_cast<int64_t>(below(6)) - 2);
      inner.push_back(below(4));
      result.push_back(std::max<int64_t>(0, size + low.back() + high.back() + inner.back() * (size - 1)));
      if (size + low.back() + high.back() + inner.back() * (size - 1) < 0)
        high.back() -= size + low.back() + high.back() + inner.back() * (size - 1);
    }
    std::string filler = scalar(5), operand = cut(value, dim).name;
    give("stablehlo.pad " + operand + ", " + filler + ", low = " + list(low) + ", high = " + list(high) +
             ", interior = " + list(inner) + " : (" + type(value.sizes) + ", " + type({}) + ") -> " + type(result),
         result, dim);
  }

  // Sums and maxima over windows of an array with holes, which have an element of their own.
  void writeReduce(const Value &value, size_t dim) {
    Sizes windows, strides, dilations, result;
    std::string padding;
    for (int64_t size : value.sizes) {
      windows.push_back(1 + below(3));
      strides.push_back(1 + below(3));
      dilations.push_back(1 + below(3));
      int64_t low = below(3), high = below(3), padded = (size - 1) * dilations.back() + 1 + low + high;
      padding += (padding.empty() ? "" : ", ") + list({low, high});
      result.push_back(padded < windows.back() ? 0 : (padded - windows.back()) / strides.back() + 1);
    }
    std::string initial = scalar(2), t = type({}), operand = cut(value, dim).name;
    give("\"stablehlo.reduce_window\"(" + operand + ", " + initial + ") <{window_dimensions = " + array(windows) +
             ", window_strides = " + array(strides) + ", base_dilations = " + array(dilations) + ", padding = dense<[" +
             padding + "]> : tensor<" + std::to_string(value.sizes.size()) + "x2xi64>}> ({\n  ^bb0(%a: " + t +
             ", %b: " + t + "):\n    %s = stablehlo." + (below(2) ? "add" : "maximum") + " %a, %b : " + t +
             "\n    stablehlo.return %s : " + t + "\n  }) : (" + type(value.sizes) + ", " + t + ") -> " + type(result),
         result, dim);
  }

  // Bits of any width, of both generators, whose state is the same wherever they are.
  void writeRandom(const Value &value, size_t dim) {
    static const std::pair<const char *, int> kinds[] = {
        {"THREE_FRY", 2}, {"PHILOX", 2}, {"PHILOX", 3}, {"DEFAULT", 3}};
    auto [algorithm, words] = kinds[below(std::size(kinds))];
    std::string element = std::vector<std::string>{"ui32", "ui32", "ui64", "ui8", "ui16"}[below(5)],
                stateType = type({words}, "ui64");
    std::string state =
        line(std::string("stablehlo.constant dense<[") + (below(2) ? "7, 18446744073709551614" : "4294967297, 3") +
             (words == 3 ? ", 5" : "") + "]> : " + stateType);
    Sizes sizes = value.sizes;
    if (below(2))
      sizes.push_back(1 + below(5));
    std::string random = fresh();
    body_ += "  " + random + ":2 = stablehlo.rng_bit_generator " + state + ", algorithm = " + algorithm + " : (" +
             stateType + ") -> (" + stateType + ", " + type(sizes, element) + ")\n";
    auto toNumbers = [&](const std::string &name, const Sizes &of, const std::string &from) {
      return line("stablehlo.convert " + name + " : (" + type(of, from) + ") -> " + type(of));
    };
    Value bits = cut({random + "#1", sizes}, below(3) ? dim : below(sizes.size()), element);
    std::string numbers = bits.name;
    if (element == "ui64") { // all of it
      Sizes halves = sizes;
      halves.push_back(2);
      numbers =
          line("stablehlo.bitcast_convert " + numbers + " : (" + type(sizes, element) + ") -> " + type(halves, "ui32"));
      values_.push_back({toNumbers(numbers, halves, "ui32"), halves});
    } else {
      values_.push_back({toNumbers(numbers, sizes, element), sizes});
    }
    std::string next =
        line("stablehlo.bitcast_convert " + random + "#0 : (" + stateType + ") -> " + type({words, 2}, "ui32"));
    values_.push_back({toNumbers(next, {words, 2}, "ui32"), {words, 2}});
  }

  // A convolution of an argument's elements as an array of another shape, by numbers.
  struct Convolution {
    Sizes input, kernel, result; // [b, 0, f], [0, i, o], [b, 0, f]
    std::string windows;
    int64_t batchGroups = 1, featureGroups = 1;
  };
  void writeConvolution(const Value &value, const Convolution &convolution, size_t dim, size_t kernelDim) {
    int64_t count = 1;
    for (int64_t size : convolution.input)
      count *= size;
    int64_t all = 1;
    for (int64_t size : value.sizes)
      all *= size;
    std::string flat = line("stablehlo.reshape " + value.name + " : (" + type(value.sizes) + ") -> " + type({all}));
    std::string initial = scalar(1);
    std::string sized =
        line("stablehlo.pad " + flat + ", " + initial + ", low = [0], high = [" + std::to_string(count - all) +
             "], interior = [0] : (" + type({all}) + ", " + type({}) + ") -> " + type({count}));
    Value input = cut({line("stablehlo.reshape " + sized + " : (" + type({count}) + ") -> " + type(convolution.input)),
                       convolution.input},
                      dim);
    std::string weights = line("stablehlo.iota dim = " + std::to_string(below(3)) + " : " + type(convolution.kernel));
    if (kernelDim < 3)
      weights = cut({weights, convolution.kernel}, kernelDim).name;
    give("stablehlo.convolution(" + input.name + ", " + weights +
             ") dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {" + convolution.windows +
             "} {batch_group_count = " + std::to_string(convolution.batchGroups) +
             " : i64, feature_group_count = " + std::to_string(convolution.featureGroups) + " : i64} : (" +
             type(convolution.input) + ", " + type(convolution.kernel) + ") -> " + type(convolution.result),
         convolution.result, 2);
  }

  // Groups of features, or of batches, along the groups or another dimension.
  void writeGroups(const Value &value, size_t) {
    int64_t groups = std::vector<int64_t>{2, 4, 8, 6}[below(4)], inner = 1 + below(2), outer = 1 + below(2),
            size = 3 + below(6), width = 1 + below(3), batch = 1 + below(3);
    if (below(2))
      writeConvolution(value,
                       {{batch, size, groups * inner},
                        {width, inner, groups * outer},
                        {batch, size - width + 1, groups * outer},
                        "pad = [[0, 0]]",
                        1,
                        groups},
                       below(3) ? 2 : below(2), below(2) ? 2 : 3);
    else
      writeConvolution(value,
                       {{groups * batch, size, inner},
                        {width, inner, groups * outer},
                        {batch, size - width + 1, groups * outer},
                        "pad = [[0, 0]]",
                        groups,
                        1},
                       below(3) ? 0 : 1 + below(2), below(2) ? 2 : 3);
  }

  // Input features that are cut, and summed over.
  void writeFeatures(const Value &value, size_t) {
    int64_t features = 1 + below(12), size = 3 + below(6), width = 1 + below(3), batch = 1 + below(3),
            out = 1 + below(4);
    writeConvolution(
        value, {{batch, size, features}, {width, features, out}, {batch, size - width + 3, out}, "pad = [[1, 1]]"}, 2,
        below(2) ? 1 : 3);
  }

  // Sums of an array of bf16 along a dimension, by each op that sums.
  Value sumByScatter(const Value &operand) { // of rank 1, every second element
    std::string places = type({operand.sizes[0], 1}, "i32"), twos = line("stablehlo.constant dense<2> : " + places);
    std::string counts = line("stablehlo.iota dim = 0 : " + places);
    std::string indices = line("stablehlo.remainder " + counts + ", " + twos + " : " + places);
    std::string sums = type({2}, "bf16"), zeros = line("stablehlo.constant dense<0.0> : " + sums);
    return {line("\"stablehlo.scatter\"(" + zeros + ", " + indices + ", " + operand.name +
                 ") <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], "
                 "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n  ^bb0(%a: tensor<bf16>, %b: "
                 "tensor<bf16>):\n    %s = stablehlo.add %a, %b : tensor<bf16>\n    stablehlo.return %s : "
                 "tensor<bf16>\n  }) : (" +
                 sums + ", " + places + ", " + type(operand.sizes, "bf16") + ") -> " + sums),
            {2}};
  }
  Value sumByReduce(const Value &operand, size_t dim) {
    Sizes result = operand.sizes;
    result.erase(result.begin() + static_cast<int64_t>(dim));
    std::string zero = line("stablehlo.constant dense<0.0> : tensor<bf16>");
    return {line("stablehlo.reduce(" + operand.name + " init: " + zero +
                 ") applies stablehlo.add across dimensions = [" + std::to_string(dim) + "] : (" +
                 type(operand.sizes, "bf16") + ", tensor<bf16>) -> " + type(result, "bf16")),
            result};
  }
  Value sumByDot(const Value &operand, size_t dim) {
    Sizes result = {3}, weights = {3, operand.sizes[dim]};
    for (size_t i = 0; i < operand.sizes.size(); ++i)
      if (i != dim)
        result.push_back(operand.sizes[i]);
    std::string ones = line("stablehlo.constant dense<1.0> : " + type(weights, "bf16"));
    return {line("stablehlo.dot_general " + ones + ", " + operand.name + ", contracting_dims = [1] x [" +
                 std::to_string(dim) + "] : (" + type(weights, "bf16") + ", " + type(operand.sizes, "bf16") + ") -> " +
                 type(result, "bf16")),
            result};
  }
  Value sumByWindow(const Value &operand, size_t dim) {
    size_t rank = operand.sizes.size();
    Sizes windows(rank, 1);
    windows[dim] = operand.sizes[dim];
    std::string padding, of = type(operand.sizes, "bf16");
    for (size_t i = 0; i < rank; ++i)
      padding += (i ? ", " : "") + list({i == dim ? operand.sizes[dim] - 1 : 0, 0});
    std::string zero = line("stablehlo.constant dense<0.0> : tensor<bf16>");
    return {line("\"stablehlo.reduce_window\"(" + operand.name + ", " + zero + ") <{window_dimensions = " +
                 array(windows) + ", padding = dense<[" + padding + "]> : tensor<" + std::to_string(rank) +
                 "x2xi64>}> ({\n  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):\n    %s = stablehlo.add %a, %b : "
                 "tensor<bf16>\n    stablehlo.return %s : tensor<bf16>\n  }) : (" +
                 of + ", tensor<bf16>) -> " + of),
            operand.sizes};
  }

  // Sums of bf16 over a dimension that is cut, which are rounded once.
  void writeNarrowSum(const Value &value, size_t) {
    size_t dim = value.sizes.size() - 1;
    Sizes wide = value.sizes, dims, sizes = wide; // longer, so that many sums are rounded
    wide.push_back(17);
    sizes[dim] *= 17;
    for (size_t i = 0; i < value.sizes.size(); ++i)
      dims.push_back(static_cast<int64_t>(i));
    std::string numbers = line("stablehlo.iota dim = " + std::to_string(dim + 1) + " : " + type(wide));
    std::string spread = line("stablehlo.broadcast_in_dim " + value.name + ", dims = " + list(dims) + " : (" +
                              type(value.sizes) + ") -> " + type(wide));
    std::string products = line("stablehlo.multiply " + spread + ", " + numbers + " : " + type(wide));
    uint32_t kind = below(4);
    if (kind == 3) { // a scatter, of single elements
      dim = 0;
      sizes = {std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>())};
    }
    std::string longer = line("stablehlo.reshape " + products + " : (" + type(wide) + ") -> " + type(sizes));
    Value operand =
        cut({line("stablehlo.convert " + longer + " : (" + type(sizes) + ") -> " + type(sizes, "bf16")), sizes}, dim,
            "bf16");
    Value sum = kind == 0   ? sumByReduce(operand, dim)
                : kind == 1 ? sumByDot(operand, dim)
                : kind == 2 ? sumByWindow(operand, dim)
                            : sumByScatter(operand);
    give("stablehlo.convert " + sum.name + " : (" + type(sum.sizes, "bf16") + ") -> " + type(sum.sizes), sum.sizes,
         dim);
  }

  // Rows in groups, some of them empty, and some rows in none; cut along rows, or along what is summed over.
  void writeRaggedDot(const Value &value, size_t) {
    int64_t rows = 3 + below(14), inner = 1 + below(6), columns = 1 + below(4), all = 1;
    for (int64_t size : value.sizes)
      all *= size;
    std::string flat = line("stablehlo.reshape " + value.name + " : (" + type(value.sizes) + ") -> " + type({all}));
    std::string filler = scalar(2);
    std::string sized =
        line("stablehlo.pad " + flat + ", " + filler + ", low = [0], high = [" + std::to_string(rows * inner - all) +
             "], interior = [0] : (" + type({all}) + ", " + type({}) + ") -> " + type({rows * inner}));
    std::string matrix =
        line("stablehlo.reshape " + sized + " : (" + type({rows * inner}) + ") -> " + type({rows, inner}));
    bool areRowsSummed = below(2);
    std::string x = cut({matrix, {rows, inner}}, below(3) ? 0 : 1).name;
    Sizes other = areRowsSummed ? Sizes{rows, columns} : Sizes{3, inner, columns},
          result = areRowsSummed ? Sizes{3, inner, columns} : Sizes{rows, columns};
    std::string y = line("stablehlo.iota dim = " + std::to_string(below(other.size())) + " : " + type(other));
    int64_t first = below(static_cast<size_t>(rows)), second = below(static_cast<size_t>(rows - first + 1));
    std::string groups =
        line("stablehlo.constant dense<[" + std::to_string(first) + ", " + std::to_string(second) + ", " +
             std::to_string(below(static_cast<size_t>(rows - first - second + 1))) + "]> : tensor<3xi32>");
    give("\"chlo.ragged_dot\"(" + x + ", " + y + ", " + groups +
             ") <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], "
             "rhs_batching_dimensions = [], lhs_contracting_dimensions = [" +
             (areRowsSummed ? "0" : "1") + "], rhs_contracting_dimensions = [" + (areRowsSummed ? "0" : "1") +
             "], lhs_ragged_dimensions = [0], rhs_group_dimensions = [" + (areRowsSummed ? "" : "0") + "]>}> : (" +
             type({rows, inner}) + ", " + type(other) + ", tensor<3xi32>) -> " + type(result),
         result, 1);
  }

  // An input with holes, as in the gradient of a convolution with strides.
  void writeUpsample(const Value &value, size_t) {
    int64_t dilation = 2 + below(2), size = 4 + below(12), width = 1 + below(4), low = below(3), high = below(3),
            stride = 1 + below(2);
    int64_t result = ((size - 1) * dilation + 1 + low + high - width) / stride + 1;
    writeConvolution(value,
                     {{2, size, 1},
                      {width, 1, 2},
                      {2, result, 2},
                      "stride = [" + std::to_string(stride) + "], pad = [" + list({low, high}) + "], lhs_dilate = [" +
                          std::to_string(dilation) + "]"},
                     1, 3);
  }
};

} // namespace

PartitionProgram makeFormProgram(uint32_t seed, bool isFloat) { return FormWriter(seed, isFloat).write(seed / 2); }

PartitionProgram makeTransformProgram(const std::vector<int64_t> &sizes, const std::string &dims,
                                      const std::string &kind, size_t along) {
  std::string shape, lengths, half;
  for (size_t i = 0; i < sizes.size(); ++i) {
    bool isLast = i + 1 == sizes.size();
    shape += std::to_string(sizes[i]) + "x";
    half += std::to_string(isLast ? sizes[i] / 2 + 1 : sizes[i]) + "x";
    if (i + along >= sizes.size())
      lengths += (lengths.empty() ? "" : ", ") + std::to_string(sizes[i]);
  }
  bool isOfReal = kind == "RFFT", isToReal = kind == "IRFFT";
  const std::string from = isToReal ? half : shape, to = isOfReal ? half : shape;
  const std::string array = "tensor<" + from + "f32>", result = "tensor<" + to + "f32>";
  const std::string operand = isOfReal ? array : "tensor<" + from + "complex<f32>>";
  const std::string given = isToReal ? result : "tensor<" + to + "complex<f32>>";
  PartitionProgram program;
  program.devices = 8;
  program.argumentSizes.assign(2, sizes);
  for (std::vector<int64_t> &argument : program.argumentSizes)
    argument.back() = isToReal ? sizes.back() / 2 + 1 : sizes.back();
  program.hasLocalForm = true;
  program.text = R"(module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%re: )" +
                 array + ", %im: " + array + ") -> (" + result + ", " + result + ") {\n";
  auto cut = [&](const std::string &name, const std::string &value, const std::string &type) {
    program.text += name + " = sdy.sharding_constraint " + value + " <@mesh, [" + dims + "]> : " + type + "\n";
  };
  if (isOfReal) {
    cut("%x", "%re", operand);
  } else {
    program.text += "%c = stablehlo.complex %re, %im : " + operand + "\n";
    cut("%x", "%c", operand);
  }
  program.text +=
      "%y = stablehlo.fft %x, type = " + kind + ", length = [" + lengths + "] : (" + operand + ") -> " + given + "\n";
  program.text += isToReal ? "return %y, %y : " + result + ", " + result
                           : "%r = stablehlo.real %y : (" + given + ") -> " + result + "\n%i = stablehlo.imag %y : (" +
                                 given + ") -> " + result + "\nreturn %r, %i : " + result + ", " + result;
  program.text += "\n}\n}";
  return program;
}

PartitionProgram makePaddingProgram(int64_t devices, int64_t size, int64_t low, int64_t high, int64_t interior) {
  int64_t padded = size + (size - 1) * interior + low + high;
  std::string n = std::to_string(devices), of = "tensor<" + std::to_string(size) + "xi32>",
              to = "tensor<" + std::to_string(padded) + "xi32>";
  PartitionProgram program;
  program.devices = static_cast<int32_t>(devices);
  program.argumentSizes = {{size}};
  program.hasLocalForm = true;
  program.text = "module attributes {mhlo.num_partitions = " + n + " : i32} {\nsdy.mesh @mesh = <[\"x\"=" + n +
                 "]>\nfunc.func @main(%x: " + of + ") -> " + to +
                 " {\n%seven = stablehlo.constant dense<7> : tensor<i32>\n"
                 "%c = sdy.sharding_constraint %x <@mesh, [{\"x\"}]> : " +
                 of + "\n%p = stablehlo.pad %c, %seven, low = [" + std::to_string(low) + "], high = [" +
                 std::to_string(high) + "], interior = [" + std::to_string(interior) + "] : (" + of +
                 ", tensor<i32>) -> " + to + "\n%d = sdy.sharding_constraint %p <@mesh, [{\"x\"}]> : " + to +
                 "\nreturn %d : " + to + "\n}\n}\n";
  return program;
}

PartitionProgram makeSortProgram(const std::string &keys, const std::string &comparator) {
  PartitionProgram program;
  program.devices = 4;
  program.argumentSizes = {{80000}};
  program.hasLocalForm = true;
  program.text = R"(module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%x: tensor<80000xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>})
      -> (tensor<80000xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>},
          tensor<80000xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}) {
    %places = stablehlo.iota dim = 0 : tensor<80000xi32>
    )" + keys + R"(
    %k = sdy.sharding_constraint %keys <@mesh, [{"y", "x"}]> : tensor<80000xi32>
    %p = sdy.sharding_constraint %places <@mesh, [{"y", "x"}]> : tensor<80000xi32>
    %s:2 = "stablehlo.sort"(%k, %p) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
      )" + comparator +
                 R"(
      stablehlo.return %r : tensor<i1>
    }) : (tensor<80000xi32>, tensor<80000xi32>) -> (tensor<80000xi32>, tensor<80000xi32>)
    return %s#0, %s#1 : tensor<80000xi32>, tensor<80000xi32>
  }
}
)";
  return program;
}

} // namespace tenon
