// A target for Tenon that writes each program as a C function, has the system's C compiler translate it, and loads what
// comes out. It knows the operations of the common suite on integers and floats of 32 and 64 bits:
//
//   cmake -S . -B build -DCMAKE_PREFIX_PATH=<where Tenon is installed> && cmake --build build
//   tenon test-target ./build/libc_target.so
//   tenon run program.mlir --random --target ./build/libc_target.so
// Every value of the program is an array in one block of memory, the values inside of loops and reductions included; an
// operation is a nest of loops over the elements of its result.
#include <tenon/target.h>

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <new>
#include <utility>

namespace {

using namespace tenon;
using namespace tenon::target;
using Integers = std::vector<int64_t>;
using Words = std::vector<std::string>;

std::string text(int64_t number) { return std::to_string(number); }
bool isFloat(const Type &type) { return type.element[0] == 'f'; }

std::string cType(const std::string &element) {
  static const std::map<std::string, std::string> types = {
      {"f32", "float"},     {"f64", "double"},    {"i1", "uint8_t"},   {"i8", "int8_t"},
      {"i16", "int16_t"},   {"i32", "int32_t"},   {"i64", "int64_t"},  {"ui8", "uint8_t"},
      {"ui16", "uint16_t"}, {"ui32", "uint32_t"}, {"ui64", "uint64_t"}};
  auto found = types.find(element);
  return found == types.end() ? "" : found->second;
}

// An element of the result from those of the operands, which are $0, $1, $2; $u is the first one's type without a sign.
// clang-format off
const std::map<std::string, std::string> kFormulas = {
    {"abs", "fabs($0)"}, {"add", "$0 + $1"}, {"and", "$0 & $1"}, {"ceil", "ceil($0)"}, {"convert", "$0"},
    {"clamp", "$1 < $0 ? $0 : $1 > $2 ? $2 : $1"}, {"cosine", "cos($0)"}, {"divide", "$0 / $1"},
    {"exponential", "exp($0)"}, {"exponential_minus_one", "expm1($0)"}, {"floor", "floor($0)"},
    {"is_finite", "isfinite($0) != 0"}, {"log", "log($0)"}, {"log_plus_one", "log1p($0)"},
    {"logistic", "1 / (1 + exp(-$0))"}, {"maximum", "$0 > $1 || $0 != $0 ? $0 : $1"},
    {"minimum", "$0 < $1 || $0 != $0 ? $0 : $1"}, {"multiply", "$0 * $1"}, {"negate", "-$0"}, {"not", "~$0"},
    {"or", "$0 | $1"}, {"power", "pow($0, $1)"}, {"remainder", "fmod($0, $1)"}, {"round_nearest_even", "rint($0)"},
    {"rsqrt", "1 / sqrt($0)"}, {"select", "$0 ? $1 : $2"}, {"shift_left", "$0 << $1"},
    {"shift_right_arithmetic", "$0 >> $1"}, {"shift_right_logical", "($u)$0 >> $1"},
    {"sign", "$0 != $0 ? $0 : ($0 > 0) - ($0 < 0)"}, {"sine", "sin($0)"}, {"sqrt", "sqrt($0)"},
    {"subtract", "$0 - $1"}, {"tanh", "tanh($0)"}, {"xor", "$0 ^ $1"}};
// clang-format on
// Where integers have another one, and booleans.
const std::map<std::string, std::string> kOfIntegers = {{"abs", "$0 < 0 ? -$0 : $0"}, {"remainder", "$0 % $1"}};
const std::map<std::string, std::string> kOfBooleans = {{"add", "$0 | $1"}, {"multiply", "$0 & $1"}, {"not", "!$0"}};

std::string replaced(std::string formula, const std::string &from, const std::string &to) {
  for (size_t at = formula.find(from); at != std::string::npos; at = formula.find(from, at + to.size()))
    formula.replace(at, from.size(), to);
  return formula;
}

class Writer {
public:
  explicit Writer(const Program &program) : program_(program), offsets_(program.values.size(), -1) {}

  // The C file. `bytes` is the memory that a run needs.
  StatusOr<std::string> write(int64_t &bytes) {
    for (const Type &type : program_.values)
      if (cType(type.element).empty())
        return unimplemented("error: this target has no values of type " + type.element);
    const std::vector<Value> &arguments = program_.main.arguments, &results = program_.main.results;
    for (size_t i = 0; i < arguments.size(); ++i)
      declare(arguments[i], "arguments[" + std::to_string(i) + "]");
    place(program_.main);
    write(program_.main);
    for (size_t i = 0; i < results.size(); ++i)
      copy("results[" + std::to_string(i) + "]", results[i]);
    bytes = memory_;
    if (!status_.ok())
      return status_;
    return "#include <stdint.h>\n#include <string.h>\n#include <tgmath.h>\n"
           "#define CLAMP(i, high) ((i) < 0 ? 0 : (i) > (high) ? (high) : (i))\n" +
           constants_ +
           "int run(const void *const *arguments, void *const *results, char *memory, int (*stopped)(const void *), "
           "const void *context) {\n" +
           declarations_ + body_ + "return 0;\n}\n";
  }

private:
  const Type &type(Value value) const { return program_.values[size_t(value)]; }
  const Integers &dims(Value value) const { return type(value).dims; }
  std::string name(Value value) const { return "v" + text(value); }
  void line(const std::string &statement) { body_ += statement + "\n"; }

  int64_t reserve(int64_t bytes) { return std::exchange(memory_, memory_ + (bytes + 63) / 64 * 64); }
  void declare(Value value, const std::string &where, int64_t offset = 0) {
    std::string c = cType(type(value).element);
    declarations_ += c + " *" + name(value) + " = (" + c + " *)(" + where + ");\n";
    offsets_[size_t(value)] = offset;
  }
  void placeAt(Value value, int64_t offset) { declare(value, "memory + " + text(offset), offset); }
  // Memory for all values inside; the arguments of a loop's regions are where its results will be.
  void place(const Region &region) {
    for (Value argument : region.arguments)
      if (offsets_[size_t(argument)] < 0)
        placeAt(argument, reserve(type(argument).byteSize()));
    for (const Operation &operation : region.operations) {
      for (Value result : operation.results)
        placeAt(result, reserve(type(result).byteSize()));
      for (const Region &inner : operation.regions) {
        if (operation.name == "while")
          for (size_t i = 0; i < inner.arguments.size(); ++i)
            placeAt(inner.arguments[i], offsets_[size_t(operation.results[i])]);
        place(inner);
      }
    }
  }
  void copy(const std::string &to, Value from) {
    line("memcpy(" + to + ", " + name(from) + ", " + text(type(from).byteSize()) + ");");
  }
  // All at once: what is written may be what is still to be read.
  void copyTogether(const std::vector<Value> &to, const std::vector<Value> &from) {
    Words places;
    for (Value value : from) {
      places.push_back("memory + " + text(reserve(type(value).byteSize())));
      copy(places.back(), value);
    }
    for (size_t i = 0; i < to.size(); ++i)
      line("memcpy(" + name(to[i]) + ", " + places[i] + ", " + text(type(to[i]).byteSize()) + ");");
  }

  // Calls `inside` with the names of the indices.
  void loop(const Integers &sizes, const std::function<void(const Words &)> &inside) {
    Words indices;
    for (int64_t size : sizes) {
      indices.push_back("i" + text(lastIndex_++));
      const std::string &i = indices.back();
      line("for (int64_t " + i + " = 0; " + i + " < " + text(size) + "; ++" + i + ") {");
    }
    inside(indices);
    line(std::string(sizes.size(), '}'));
  }
  std::string at(Value value, const Words &indices) const {
    std::string position = "0";
    for (size_t d = 0; d < indices.size(); ++d)
      position = "(" + position + ") * " + text(dims(value)[d]) + " + (" + indices[d] + ")";
    return name(value) + "[" + position + "]";
  }
  // Each element of the result is the element of an operand whose index `map` makes of the result's.
  void move(const Operation &operation, const std::function<Words(const Words &)> &map) {
    loop(dims(operation.results[0]),
         [&](const Words &i) { line(at(operation.results[0], i) + " = " + at(operation.operands[0], map(i)) + ";"); });
  }

  void write(const Region &region) {
    for (const Operation &operation : region.operations)
      write(operation);
  }
  void write(const Operation &operation) {
    using Member = void (Writer::*)(const Operation &);
    // clang-format off
    static const std::map<std::string, Member> others = {
        {"bitcast_convert", &Writer::same}, {"broadcast_in_dim", &Writer::broadcast}, {"case", &Writer::branch},
        {"compare", &Writer::compare}, {"concatenate", &Writer::concatenate}, {"constant", &Writer::constant},
        {"dot_general", &Writer::dot}, {"dynamic_slice", &Writer::dynamicSlice}, {"gather", &Writer::gather},
        {"dynamic_update_slice", &Writer::dynamicUpdate}, {"if", &Writer::branch}, {"iota", &Writer::iota},
        {"pad", &Writer::pad}, {"reduce", &Writer::reduce}, {"reshape", &Writer::same}, {"slice", &Writer::slice},
        {"reverse", &Writer::reverse}, {"transpose", &Writer::transpose}, {"while", &Writer::whileLoop}};
    // clang-format on
    auto other = others.find(operation.name);
    if (other != others.end())
      return (this->*other->second)(operation);
    if (!kFormulas.count(operation.name))
      return fail(operation);
    // What a conversion or a test is of, decides.
    const Type &from = type(operation.operands[operation.name == "select" ? 1 : 0]);
    bool isBoolean = from.element == "i1" && kOfBooleans.count(operation.name);
    bool isInteger = !isFloat(from) && kOfIntegers.count(operation.name);
    std::string c = (isBoolean ? kOfBooleans : isInteger ? kOfIntegers : kFormulas).at(operation.name);
    if (operation.name == "convert" && type(operation.results[0]).element == "i1")
      c = "$0 != 0";
    elementwise(operation, replaced(c, "$u", "u" + replaced(cType(from.element), "uint", "int")));
  }

  void fail(const Operation &operation) { status_ = status_.ok() ? unsupported(operation) : status_; }

  void elementwise(const Operation &operation, const std::string &formula) {
    Value result = operation.results[0];
    loop({type(result).elementCount()}, [&](const Words &i) {
      std::string c = formula;
      for (size_t k = 0; k < operation.operands.size(); ++k) {
        Value operand = operation.operands[k];
        c = replaced(c, "$" + text(int64_t(k)), name(operand) + "[" + (dims(operand).empty() ? "0" : i[0]) + "]");
      }
      line(name(result) + "[" + i[0] + "] = " + c + ";");
    });
  }

  void compare(const Operation &operation) {
    static const std::map<std::string, std::string> signs = {{"EQ", "=="}, {"NE", "!="}, {"LT", "<"},
                                                             {"LE", "<="}, {"GT", ">"},  {"GE", ">="}};
    if (operation.get<std::string>("compare_type") == "TOTALORDER")
      return fail(operation);
    elementwise(operation, "$0 " + signs.at(operation.get<std::string>("comparison_direction")) + " $1");
  }

  void constant(const Operation &operation) {
    auto data = operation.get<Constant>("value");
    Value result = operation.results[0];
    std::string array = "c" + text(result), bytes;
    for (uint8_t byte : data.bytes)
      bytes += text(byte) + ",";
    constants_ += "static const uint8_t " + array + "[] = {" + (bytes.empty() ? "0" : bytes) + "};\n";
    loop({data.isSplat ? type(result).elementCount() : 1}, [&](const Words &i) {
      line("memcpy(" + name(result) + " + " + i[0] + ", " + array + ", " + text(int64_t(data.bytes.size())) + ");");
    });
  }

  void same(const Operation &operation) {
    bool fits = type(operation.results[0]).byteSize() == type(operation.operands[0]).byteSize();
    fits ? copy(name(operation.results[0]), operation.operands[0]) : fail(operation);
  }

  void iota(const Operation &operation) {
    auto dimension = size_t(operation.get<int64_t>("iota_dimension"));
    loop(dims(operation.results[0]),
         [&](const Words &i) { line(at(operation.results[0], i) + " = " + i[dimension] + ";"); });
  }

  void broadcast(const Operation &operation) {
    auto map = operation.get<Integers>("broadcast_dimensions");
    move(operation, [&](const Words &i) {
      Words from;
      for (size_t d = 0; d < map.size(); ++d)
        from.push_back(dims(operation.operands[0])[d] == 1 ? "0" : i[size_t(map[d])]);
      return from;
    });
  }

  void transpose(const Operation &operation) {
    auto permutation = operation.get<Integers>("permutation");
    move(operation, [&](Words i) {
      put(i, permutation, Words(i));
      return i;
    });
  }

  void slice(const Operation &operation) {
    auto start = operation.get<Integers>("start_indices"), stride = operation.get<Integers>("strides");
    move(operation, [&](Words i) {
      for (size_t d = 0; d < i.size(); ++d)
        i[d] = text(start[d]) + " + " + i[d] + " * " + text(stride[d]);
      return i;
    });
  }

  void reverse(const Operation &operation) {
    auto reversed = operation.get<Integers>("dimensions");
    move(operation, [&](Words i) {
      for (int64_t d : reversed)
        i[size_t(d)] = text(dims(operation.results[0])[size_t(d)] - 1) + " - " + i[size_t(d)];
      return i;
    });
  }

  void concatenate(const Operation &operation) {
    auto dimension = size_t(operation.get<int64_t>("dimension"));
    int64_t offset = 0;
    for (Value operand : operation.operands) {
      loop(dims(operand), [&](const Words &i) {
        Words to = i;
        to[dimension] += " + " + text(offset);
        line(at(operation.results[0], to) + " = " + at(operand, i) + ";");
      });
      offset += dims(operand)[dimension];
    }
  }

  void pad(const Operation &operation) {
    auto low = operation.get<Integers>("edge_padding_low"), interior = operation.get<Integers>("interior_padding");
    Value result = operation.results[0];
    loop({type(result).elementCount()},
         [&](const Words &i) { line(name(result) + "[" + i[0] + "] = " + name(operation.operands[1]) + "[0];"); });
    loop(dims(operation.operands[0]), [&](const Words &i) {
      Words to;
      std::string inside = "1";
      for (size_t d = 0; d < i.size(); ++d) {
        to.push_back(text(low[d]) + " + " + i[d] + " * " + text(interior[d] + 1));
        inside += " && " + to[d] + " >= 0 && " + to[d] + " < " + text(dims(result)[d]);
      }
      line("if (" + inside + ") " + at(result, to) + " = " + at(operation.operands[0], i) + ";");
    });
  }

  // The names of variables that hold where a slice of that size begins, moved inside. Opens a block.
  Words starts(const Operation &operation, size_t first, const Integers &sizes) {
    line("{");
    Words names;
    for (size_t d = 0; d < sizes.size(); ++d)
      names.push_back(clamped(name(operation.operands[first + d]) + "[0]", dims(operation.operands[0])[d] - sizes[d]));
    return names;
  }
  std::string clamped(const std::string &index, int64_t highest) {
    std::string variable = "s" + text(lastIndex_++);
    line("int64_t " + variable + " = CLAMP(" + index + ", " + text(highest) + ");");
    return variable;
  }
  static Words sum(Words a, const Words &b) {
    for (size_t d = 0; d < a.size(); ++d)
      a[d] += " + " + b[d];
    return a;
  }

  void dynamicSlice(const Operation &operation) {
    Words start = starts(operation, 1, dims(operation.results[0]));
    move(operation, [&](const Words &i) { return sum(i, start); });
    line("}");
  }

  void dynamicUpdate(const Operation &operation) {
    Value update = operation.operands[1];
    copy(name(operation.results[0]), operation.operands[0]);
    Words start = starts(operation, 2, dims(update));
    loop(dims(update),
         [&](const Words &i) { line(at(operation.results[0], sum(i, start)) + " = " + at(update, i) + ";"); });
    line("}");
  }

  void gather(const Operation &operation) {
    Value operand = operation.operands[0], indices = operation.operands[1];
    auto offsetDims = operation.get<Integers>("offset_dims"), map = operation.get<Integers>("start_index_map");
    auto collapsed = operation.get<Integers>("collapsed_slice_dims");
    auto sizes = operation.get<Integers>("slice_sizes");
    auto vectorDim = size_t(operation.get<int64_t>("index_vector_dim"));
    if (!operation.get<Integers>("operand_batching_dims").empty())
      return fail(operation);
    loop(dims(operation.results[0]), [&](const Words &i) {
      Words batch, from(sizes.size(), "0");
      for (int64_t d : without(operation.results[0], offsetDims))
        batch.push_back(i[size_t(d)]);
      size_t offset = 0;
      for (int64_t d : without(operand, collapsed))
        from[size_t(d)] = i[size_t(offsetDims[offset++])];
      for (size_t k = 0; k < map.size(); ++k) {
        Words place = batch;
        if (vectorDim < dims(indices).size())
          place.insert(place.begin() + int64_t(vectorDim), text(int64_t(k)));
        auto d = size_t(map[k]);
        from[d] += " + " + clamped(at(indices, place), dims(operand)[d] - sizes[d]);
      }
      line(at(operation.results[0], i) + " = " + at(operand, from) + ";");
    });
  }

  // The sizes of some dimensions of a value; the other way about: indices put in their places.
  Integers sizesOf(Value value, const Integers &dimensions) const {
    Integers sizes;
    for (int64_t d : dimensions)
      sizes.push_back(dims(value)[size_t(d)]);
    return sizes;
  }
  static void put(Words &indices, const Integers &dimensions, const Words &values, size_t first = 0) {
    for (size_t k = 0; k < dimensions.size(); ++k)
      indices[size_t(dimensions[k])] = values[first + k];
  }
  Integers without(Value value, const Integers &a, const Integers &b = {}) const {
    Integers rest;
    for (int64_t d = 0; d < int64_t(dims(value).size()); ++d)
      if (std::find(a.begin(), a.end(), d) == a.end() && std::find(b.begin(), b.end(), d) == b.end())
        rest.push_back(d);
    return rest;
  }

  void dot(const Operation &operation) {
    Value lhs = operation.operands[0], rhs = operation.operands[1], result = operation.results[0];
    auto lhsBatch = operation.get<Integers>("lhs_batching_dimensions");
    auto rhsBatch = operation.get<Integers>("rhs_batching_dimensions");
    auto lhsSummed = operation.get<Integers>("lhs_contracting_dimensions");
    auto rhsSummed = operation.get<Integers>("rhs_contracting_dimensions");
    Integers lhsFree = without(lhs, lhsBatch, lhsSummed), rhsFree = without(rhs, rhsBatch, rhsSummed);
    loop(dims(result), [&](const Words &i) {
      Words l(dims(lhs).size()), r(dims(rhs).size());
      put(l, lhsBatch, i);
      put(r, rhsBatch, i);
      put(l, lhsFree, i, lhsBatch.size());
      put(r, rhsFree, i, lhsBatch.size() + lhsFree.size());
      line(at(result, i) + " = 0;");
      loop(sizesOf(lhs, lhsSummed), [&](const Words &k) {
        put(l, lhsSummed, k);
        put(r, rhsSummed, k);
        line(at(result, i) + " += (" + cType(type(result).element) + ")" + at(lhs, l) + " * " + at(rhs, r) + ";");
      });
    });
  }

  void reduce(const Operation &operation) {
    auto reduced = operation.get<Integers>("dimensions");
    const Region &body = operation.regions[0];
    size_t count = operation.results.size();
    std::vector<Value> sums(body.arguments.begin(), body.arguments.begin() + int64_t(count));
    Value first = operation.operands[0];
    loop(dims(operation.results[0]), [&](const Words &i) {
      for (size_t k = 0; k < count; ++k)
        line(name(sums[k]) + "[0] = " + name(operation.operands[count + k]) + "[0];");
      loop(sizesOf(first, reduced), [&](const Words &j) {
        Words from(dims(first).size());
        put(from, without(first, reduced), i);
        put(from, reduced, j);
        for (size_t k = 0; k < count; ++k)
          line(name(body.arguments[count + k]) + "[0] = " + at(operation.operands[k], from) + ";");
        write(body);
        copyTogether(sums, body.results);
      });
      for (size_t k = 0; k < count; ++k)
        line(at(operation.results[k], i) + " = " + name(sums[k]) + "[0];");
    });
  }

  void whileLoop(const Operation &operation) {
    const Region &condition = operation.regions[0], &body = operation.regions[1];
    copyTogether(operation.results, operation.operands);
    line("for (;;) { if (stopped(context)) return 1;");
    write(condition);
    line("if (!" + name(condition.results[0]) + "[0]) break;");
    write(body);
    copyTogether(operation.results, body.results);
    line("}");
  }

  // The first branch of `if` is for true; the last one of `case` is for every index that has none.
  void branch(const Operation &operation) {
    bool isIf = operation.name == "if";
    line("switch (" + std::string(isIf ? "!" : "") + name(operation.operands[0]) + "[0]) {");
    for (size_t k = 0; k < operation.regions.size(); ++k) {
      line(k + 1 == operation.regions.size() ? "default: {" : "case " + text(int64_t(k)) + ": {");
      write(operation.regions[k]);
      for (size_t i = 0; i < operation.results.size(); ++i)
        copy(name(operation.results[i]), operation.regions[k].results[i]);
      line("break; }");
    }
    line("}");
  }

  const Program &program_;
  Status status_;
  std::vector<int64_t> offsets_; // by value; -1 of what has no place yet
  int64_t memory_ = 0, lastIndex_ = 0;
  std::string constants_, declarations_, body_;
};

class Compiled : public Executable {
public:
  using Function = int (*)(const void *const *, void *const *, char *, int (*)(const void *), const void *);
  Compiled(void *library, Function function, int64_t bytes) : library_(library), function_(function), bytes_(bytes) {}
  ~Compiled() override { dlclose(library_); }

  Status run(const void *const *arguments, void *const *results, const Run &run) override {
    std::unique_ptr<char[]> memory(new (std::nothrow) char[size_t(bytes_)]);
    if (!memory)
      return {StatusCode::kResourceExhausted, "no memory for " + text(bytes_) + " bytes of values"};
    auto stopped = [](const void *context) -> int { return !static_cast<const Run *>(context)->check().ok(); };
    return function_(arguments, results, memory.get(), stopped, &run) ? run.check() : Status();
  }

private:
  void *library_;
  Function function_;
  int64_t bytes_;
};

class CTarget : public Target {
public:
  StatusOr<std::unique_ptr<Executable>> compile(const Program &program) override {
    int64_t bytes = 0;
    StatusOr<std::string> code = Writer(program).write(bytes);
    if (!code.ok())
      return code.status();
    std::string folder = (std::filesystem::temp_directory_path() / "c-target-XXXXXX").string();
    if (!mkdtemp(folder.data()))
      return failedPrecondition("no folder for the C compiler's files");
    std::ofstream(folder + "/program.c") << *code;
    // The semantics of StableHLO: integers wrap, and floats are rounded at each operation.
    std::string command =
        "cd '" + folder + "' && cc -O1 -fwrapv -ffp-contract=off -w -shared -fPIC program.c -lm -o program.so";
    bool compiled = std::system(command.c_str()) == 0;
    void *library = compiled ? dlopen((folder + "/program.so").c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    std::filesystem::remove_all(folder);
    if (!library)
      return internalError("the C compiler failed: " + command);
    auto function = reinterpret_cast<Compiled::Function>(dlsym(library, "run"));
    return std::unique_ptr<Executable>(std::make_unique<Compiled>(library, function, bytes));
  }
};

} // namespace

TENON_TARGET_PLUGIN("c", CTarget)
