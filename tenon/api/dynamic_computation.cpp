#include "tenon/dynamic_computation.h"

#include "tenon/compiler/compiler.h"
#include "tenon/frontend/builder/built_computation.h"
#include "tenon/literal/program_types.h"

#include "mlir/IR/Diagnostics.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace tenon::xla_2017 {
namespace {

using Elements = std::map<int64, std::vector<int64>>;
using Key = std::pair<std::vector<std::vector<int64>>, Elements>;

constexpr size_t kKept = 64;

std::string describe(const DynamicParameter &parameter) {
  std::string text;
  for (int64 size : parameter.dimensions)
    text += (text.empty() ? "" : ",") + (size < 0 ? std::string("?") : std::to_string(size));
  return PrimitiveType_Name(parameter.element_type) + "[" + text + "]";
}

Status checkArgument(const DynamicParameter &parameter, size_t number, const Shape &given) {
  bool fits = !ShapeUtil::IsTuple(given) && given.element_type() == parameter.element_type &&
              given.dimensions_size() == static_cast<int>(parameter.dimensions.size());
  for (int d = 0; fits && d < given.dimensions_size(); ++d)
    fits = parameter.dimensions[d] < 0 || parameter.dimensions[d] == given.dimensions(d);
  return fits ? Status()
              : tenon::invalidArgument("argument " + std::to_string(number) + " (" + parameter.name + ") must be " +
                                       describe(parameter) + ", and is " + ShapeUtil::HumanString(given));
}

StatusOr<std::vector<DynamicParameter>> parametersOf(const tenon::compiler::OpenProgram &program) {
  internal::IrContext ir;
  std::vector<DynamicParameter> parameters;
  for (const tenon::compiler::OpenArgument &argument : program.arguments) {
    DynamicParameter &parameter = parameters.emplace_back();
    parameter.name = argument.name.empty() ? "p" + std::to_string(parameters.size() - 1) : argument.name;
    parameter.element_type = tenon::primitiveTypeOf(argument.elementType);
    if (parameter.element_type == PRIMITIVE_TYPE_INVALID)
      return tenon::invalidArgument("argument " + std::to_string(parameters.size() - 1) + " of main: " + argument.type +
                                    " is not the type of an array");
    parameter.dimensions.assign(argument.dims.begin(), argument.dims.end());
    parameter.decides_sizes = argument.decidesSizes;
  }
  return parameters;
}

} // namespace

struct DynamicComputation::State {
  std::string program, fileName, entry;
  std::vector<DynamicParameter> parameters;
  bool isOpen = false;

  std::mutex mutex;
  struct Entry {
    std::shared_ptr<const Computation> computation;
    uint64_t lastUse = 0;
  };
  std::map<Key, Entry> kept;
  uint64_t uses = 0;
};

DynamicComputation::DynamicComputation(std::unique_ptr<State> state) : state_(std::move(state)) {}
DynamicComputation::~DynamicComputation() = default;

const std::vector<DynamicParameter> &DynamicComputation::parameters() const { return state_->parameters; }
bool DynamicComputation::is_open() const { return state_->isOpen; }

StatusOr<std::unique_ptr<DynamicComputation>> DynamicComputation::FromStableHlo(tensorflow::StringPiece program,
                                                                                const std::string &file_name,
                                                                                const std::string &entry) {
  tenon::compiler::CompileOptions options;
  options.fileName = file_name;
  options.entry = entry;
  TENON_ASSIGN_OR_RETURN(auto described,
                         tenon::compiler::describeOpenProgram({program.data(), program.size()}, options));
  TENON_ASSIGN_OR_RETURN(auto parameters, parametersOf(described));
  auto state = std::make_unique<State>();
  state->program.assign(program.data(), program.size());
  state->fileName = file_name;
  state->entry = entry;
  state->parameters = std::move(parameters);
  state->isOpen = described.isOpen;
  return std::unique_ptr<DynamicComputation>(new DynamicComputation(std::move(state)));
}

StatusOr<std::shared_ptr<const Computation>> DynamicComputation::Specialize(gtl::ArraySlice<Shape> arguments,
                                                                            gtl::ArraySlice<KnownArgument> known) {
  if (arguments.size() != state_->parameters.size())
    return tenon::invalidArgument("the program has " + std::to_string(state_->parameters.size()) + " parameters, and " +
                                  std::to_string(arguments.size()) + " shapes are given");
  Key key;
  tenon::compiler::CompileOptions options;
  options.fileName = state_->fileName;
  options.entry = state_->entry;
  for (size_t i = 0; i < arguments.size(); ++i) {
    TENON_RETURN_IF_ERROR(checkArgument(state_->parameters[i], i, arguments[i]));
    key.first.emplace_back(arguments[i].dimensions().begin(), arguments[i].dimensions().end());
    options.argumentShapes.emplace_back(key.first.back().begin(), key.first.back().end());
  }
  for (const KnownArgument &argument : known)
    if (argument.parameter >= 0 && argument.parameter < static_cast<int64>(arguments.size()) &&
        state_->parameters[argument.parameter].decides_sizes)
      key.second[argument.parameter] = argument.elements;
  for (const auto &[parameter, elements] : key.second)
    options.argumentValues.push_back(
        {static_cast<int32_t>(parameter), {elements.begin(), elements.end()}, /*always=*/false});

  std::lock_guard lock(state_->mutex);
  State::Entry &entry = state_->kept[key];
  entry.lastUse = ++state_->uses;
  if (entry.computation)
    return entry.computation;
  auto refined = tenon::compiler::refinedProgram(state_->program, options);
  StatusOr<std::unique_ptr<Computation>> computation =
      refined.ok() ? Computation::FromStableHlo(*refined, state_->fileName) : refined.status();
  if (!computation.ok()) {
    state_->kept.erase(key);
    return computation.status();
  }
  std::shared_ptr<const Computation> result = *std::move(computation);
  entry.computation = result;
  if (state_->kept.size() > kKept)
    state_->kept.erase(std::min_element(state_->kept.begin(), state_->kept.end(), [](const auto &a, const auto &b) {
      return a.second.lastUse < b.second.lastUse;
    }));
  return result;
}

} // namespace tenon::xla_2017
