#include "tenon/aot/runtime_calls.h"

#include "tenon/aot/abi_functions.h"
#include "tenon/aot/text.h"
#include "tenon/program/attributes.h"
#include "tenon/program/serialization.h"
#include "tenon/runtime/core/runtime_call.h"
#include "tenon/runtime/cpu/library.h"

#include <set>

namespace tenon::aot {
namespace {

// tenon_runtime_call, with a block for each runtime call.
class RuntimeCalls {
public:
  Status add(const program::RuntimeCall &runtimeCall) {
    number_ = std::to_string(count_++);
    cases_ += " i32 " + number_ + ", label %call" + number_;
    blocks_ += "call" + number_ + ":\n";
    if (isLapack(runtimeCall))
      addLapackCall(runtimeCall);
    else if (runtimeCall.kind == program::RuntimeCall::Kind::kCustomCall)
      addCustomCall(runtimeCall);
    else if (isRunSeed(runtimeCall))
      addRunSeed();
    else
      return addAssertion(runtimeCall);
    return {};
  }

  std::string text() const {
    return "define i32 @tenon_runtime_call(ptr %context, i32 %call, ptr %operands, ptr %results) {\n"
           "  switch i32 %call, label %none [" +
           cases_ + " ]\nnone:\n  unreachable\n" + blocks_ + "}\n" + globals_;
  }

private:
  // The value of this name in the block of this runtime call.
  std::string local(const std::string &name) const { return "%s" + number_ + "." + name; }

  std::string loadPointer(const std::string &name, const char *table, int64_t index) {
    blocks_ += "  " + local(name) + ".at = getelementptr ptr, ptr " + table + ", i64 " + std::to_string(index) + "\n";
    blocks_ += "  " + local(name) + " = load ptr, ptr " + local(name) + ".at\n";
    return local(name);
  }

  void declare(const std::string &symbol, const std::string &declaration) {
    if (declared_.insert(symbol).second)
      globals_ += declaration;
  }

  // A C function, `void fn(void *out, const void **in)`. `out` is the result or, of calls with none, several, or a
  // tuple for their result, the table of results.
  void addCustomCall(const program::RuntimeCall &runtimeCall) {
    for (auto [result, operand] : runtimeCall.aliases) {
      std::string suffix = std::to_string(operand);
      std::string to = loadPointer("to" + suffix, "%results", result);
      std::string from = loadPointer("from" + suffix, "%operands", operand);
      blocks_ += "  call void @llvm.memcpy.p0.p0.i64(ptr " + to + ", ptr " + from + ", i64 " +
                 std::to_string(runtimeCall.operands[size_t(operand)].byteSize()) + ", i1 false)\n";
      blocks_ += "  store ptr " + to + ", ptr " + from + ".at\n";
    }
    bool isOneResult = runtimeCall.results.size() == 1 && !runtimeCall.isTupleResult;
    std::string out = isOneResult ? loadPointer("out", "%results", 0) : "%results";
    blocks_ += "  call void @" + runtimeCall.target + "(ptr " + out + ", ptr %operands)\n  ret i32 0\n";
    declare(runtimeCall.target, "declare void @" + runtimeCall.target + "(ptr, ptr)\n");
  }

  // The runtime call goes along as a program of its own.
  void addLapackCall(const program::RuntimeCall &runtimeCall) {
    program::Program program;
    program.runtimeCalls.push_back(runtimeCall);
    std::string bytes = program::serialize(program), size = std::to_string(bytes.size());
    globals_ += "@routine" + number_ + " = private constant [" + size + " x i8] c\"" + escaped(bytes) + "\"\n";
    declare(kLapackFunction, "declare i32 @" + std::string(kLapackFunction) + "(ptr, i64, ptr, ptr, ptr, i64)\n");
    blocks_ += messageSpace() + "  " + local("code") + " = call i32 @" + kLapackFunction + "(ptr @routine" + number_ +
               ", i64 " + size + ", ptr %operands, ptr %results, ptr " + local("text") + ", i64 " +
               std::to_string(kMessageBytes) + ")\n  " + local("failed") + " = icmp ne i32 " + local("code") +
               ", 0\n  br i1 " + local("failed") + ", label %fails" + number_ + ", label %holds" + number_ + "\nholds" +
               number_ + ":\n  ret i32 0\nfails" + number_ + ":\n" + failure();
  }

  // Where a message goes, and the end of a block that has written one.
  std::string messageSpace() const {
    return "  " + local("text") + " = getelementptr i8, ptr %context, i64 " + std::to_string(kContextBytes) + "\n";
  }
  std::string failure() const {
    return "  " + local("message") + " = getelementptr %Context, ptr %context, i32 0, i32 5\n  store ptr " +
           local("text") + ", ptr " + local("message") + "\n  ret i32 1\n";
  }

  // A run ahead of time has nobody who would give it a seed.
  void addRunSeed() {
    std::string seed = loadPointer("seed", "%results", 0);
    blocks_ += "  store i64 0, ptr " + seed + "\n  ret i32 0\n";
  }

  // Nothing, if its condition holds; otherwise the message, with the numbers that it names, goes to the arena.
  Status addAssertion(const program::RuntimeCall &runtimeCall) {
    StatusOr<std::string> given = program::stringAttribute(runtimeCall.attributes, "error_message");
    std::string message = runtimeCall.location + (runtimeCall.location.empty() ? "" : ": ") +
                          (given.ok() ? *given : "a shape assertion does not hold");
    std::string condition = loadPointer("condition", "%operands", 0);
    blocks_ += "  " + local("byte") + " = load i8, ptr " + condition + ", align 1\n  " + local("holds") +
               " = icmp ne i8 " + local("byte") + ", 0\n  br i1 " + local("holds") + ", label %holds" + number_ +
               ", label %fails" + number_ + "\nholds" + number_ + ":\n  ret i32 0\nfails" + number_ + ":\n";
    std::vector<std::string> values;
    for (size_t i = 1; i < runtimeCall.operands.size(); ++i) {
      program::ElementType type = runtimeCall.operands[i].type;
      std::string name = "value" + std::to_string(i - 1), bits = std::to_string(8 * program::byteSize(type));
      std::string pointer = loadPointer(name, "%operands", int64_t(i)), value = local(name + ".number");
      blocks_ += "  " + value + " = load i" + bits + ", ptr " + pointer + ", align 1\n";
      if (bits != "64") {
        bool isUnsigned = type == program::ElementType::kUI32;
        blocks_ += "  " + value + ".wide = " + (isUnsigned ? "zext" : "sext") + " i" + bits + " " + value + " to i64\n";
        value += ".wide";
      }
      values.push_back(value);
    }
    addMessage(message, values);
    return {};
  }

  // The message with the values in the place of "{0}", "{1}" and so on; what names none stays as it is.
  void addMessage(const std::string &message, const std::vector<std::string> &values) {
    declare("tenon_append", "declare i64 @tenon_append(ptr, i64, ptr, i64)\n"
                            "declare i64 @tenon_append_number(ptr, i64, i64)\n");
    blocks_ += messageSpace();
    std::string length = "0", literal;
    int count = 0;
    auto append = [&](const std::string &call) {
      std::string after = local("length" + std::to_string(count++));
      blocks_ += "  " + after + " = call i64 " + call + "\n";
      length = after;
    };
    auto appendLiteral = [&] {
      std::string name = "@text" + number_ + "." + std::to_string(count), size = std::to_string(literal.size());
      globals_ += name + " = private constant [" + size + " x i8] c\"" + escaped(literal) + "\"\n";
      append("@tenon_append(ptr " + local("text") + ", i64 " + length + ", ptr " + name + ", i64 " + size + ")");
      literal.clear();
    };
    for (size_t at = 0; at < message.size();) {
      size_t value = 0;
      std::string name;
      for (; value < values.size(); ++value)
        if (name = "{" + std::to_string(value) + "}"; message.compare(at, name.size(), name) == 0)
          break;
      if (value == values.size()) {
        literal += message[at++];
        continue;
      }
      appendLiteral();
      append("@tenon_append_number(ptr " + local("text") + ", i64 " + length + ", i64 " + values[value] + ")");
      at += name.size();
    }
    appendLiteral();
    blocks_ += failure();
  }

  int count_ = 0;
  std::string number_, cases_, blocks_, globals_;
  std::set<std::string> declared_;
};

} // namespace

bool isAssertion(const program::RuntimeCall &runtimeCall) {
  return runtimeCall.kind == program::RuntimeCall::Kind::kLibrary && runtimeCall.target == "shape_assertion";
}

bool isLapack(const program::RuntimeCall &runtimeCall) {
  runtime::registerCpuLibrary();
  std::string_view target = runtimeCall.target;
  return runtimeCall.kind == program::RuntimeCall::Kind::kCustomCall && runtimeCall.apiVersion == 4 &&
         target.starts_with("lapack_") && runtime::isBuiltInCustomCall(target);
}

bool isRunSeed(const program::RuntimeCall &runtimeCall) {
  return runtimeCall.kind == program::RuntimeCall::Kind::kLibrary && runtimeCall.target == "run_seed";
}

StatusOr<std::string> runtimeCallsText(const program::Program &program) {
  RuntimeCalls calls;
  for (const program::RuntimeCall &runtimeCall : program.runtimeCalls)
    TENON_RETURN_IF_ERROR(calls.add(runtimeCall));
  return calls.text();
}

} // namespace tenon::aot
