#include "tenon/tools/arguments.h"

#include "tenon/checking/reduce.h"
#include "tenon/tools/npy.h"

#include "llvm/ADT/STLExtras.h"

namespace tenon::tools {

std::string nameOf(const std::string &kind, size_t index, const std::string &name) {
  return kind + " " + std::to_string(index) + (name.empty() ? "" : " (" + name + ")");
}

namespace {

std::string plural(size_t count, const std::string &noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// Which input an argument stands for: reduced programs (tenon reduce) remember it.
uint64_t inputNumber(ProgramFile &file, size_t argument) {
  if (file.compiled)
    return argument;
  return checking::inputOf(file.module().lookupSymbol<mlir::func::FuncOp>("main"), argument);
}

StatusOr<Literal> makeRandom(const program::Argument &argument, size_t index, uint64_t number) {
  if (llvm::is_contained(argument.shape.dims, -1))
    return invalidArgument(nameOf("argument", index, argument.name) +
                           " has a dynamic shape: --random cannot choose one, use --args or --shapes");
  return randomArray(argument.shape, number);
}

// The argument that --constant gives, without a file.
StatusOr<Literal> constantArgument(const program::Argument &argument, size_t index,
                                   const program::ArgumentValue &constant) {
  auto array = integerArray(argument.shape, constant.elements);
  return array.ok() ? std::move(array)
                    : invalidArgument("--constant: " + nameOf("argument", index, argument.name) + " " +
                                      array.status().message());
}

} // namespace

std::vector<program::ArgumentValue> knownValues(const std::vector<Literal> &arguments,
                                                std::vector<program::ArgumentValue> constants) {
  for (auto [index, array] : llvm::enumerate(arguments)) {
    bool isConstant = llvm::any_of(constants, [&](auto &constant) { return constant.argument == int32_t(index); });
    auto elements = isConstant ? std::nullopt : fewIntegers(array);
    if (elements)
      constants.push_back({static_cast<int32_t>(index), *std::move(elements), /*always=*/false});
  }
  return constants;
}

StatusOr<std::vector<Literal>> makeArguments(const InputOptions &options, ProgramFile &file,
                                             const std::vector<program::ArgumentValue> &constants) {
  TENON_ASSIGN_OR_RETURN(auto expected, file.arguments());
  TENON_ASSIGN_OR_RETURN(auto shapes, file.argumentShapes(options.shapes));
  for (auto [argument, shape] : llvm::zip(expected, shapes))
    argument.shape.dims = shape;
  std::vector<Literal> arrays;
  // Tokens order effects, they carry nothing that a file could hold.
  auto isToken = [](const program::Argument &argument) { return argument.shape.type == program::ElementType::kToken; };
  std::vector<const program::ArgumentValue *> constantOf(expected.size());
  for (const program::ArgumentValue &constant : constants) {
    if (size_t(constant.argument) >= expected.size())
      return invalidArgument("--constant: there is no argument " + std::to_string(constant.argument));
    constantOf[constant.argument] = &constant;
  }
  size_t wanted = expected.size() - llvm::count_if(expected, isToken) - constants.size();
  if (!options.random && options.arguments.size() != wanted)
    return invalidArgument("the program takes " + plural(wanted, "argument") + ", but " +
                           std::to_string(options.arguments.size()) + (options.arguments.size() == 1 ? " is" : " are") +
                           " given (use --args a.npy,b.npy,... or --random)");
  size_t nextFile = 0;
  for (auto [index, argument] : llvm::enumerate(expected)) {
    StatusOr<Literal> array = Literal(); // a token
    if (isToken(argument) && !constantOf[index])
      ;
    else if (constantOf[index])
      array = constantArgument(argument, index, *constantOf[index]);
    else if (options.random)
      array = makeRandom(argument, index, options.seed + inputNumber(file, index));
    else
      array = readNpy(options.arguments[nextFile++], {nameOf("argument", index, argument.name), argument.shape});
    if (!array.ok())
      return array.status();
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

} // namespace tenon::tools
