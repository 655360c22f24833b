#include "tenon/aot.h"

#include "tenon/aot/cross_targets.h"
#include "tenon/aot/package.h"
#include "tenon/compiler/compiler.h"
#include "tenon/frontend/builder/built_computation.h"
#include "tenon/literal.h"

namespace tenon::xla_2017 {
namespace {

using Layouts = std::vector<tenon::compiler::ArrayLayout>;

std::string paddingElement(PrimitiveType type, PaddingValue padding) {
  Literal element = padding == ONE_PAD       ? LiteralUtil::One(type)
                    : padding == LOWEST_PAD  ? LiteralUtil::MinValue(type)
                    : padding == HIGHEST_PAD ? LiteralUtil::MaxValue(type)
                                             : LiteralUtil::Zero(type);
  return {static_cast<const char *>(element.untyped_data()), static_cast<size_t>(element.size_bytes())};
}

// Adds the layout of each array of a shape. A row-major array gets none unless `chosen`, since it may be row-major only
// because nobody chose a layout. Scalars have no layout.
void addLayouts(const Shape &shape, bool chosen, Layouts &layouts) {
  for (const Shape &leaf : ShapeUtil::Leaves(shape)) {
    tenon::compiler::ArrayLayout layout;
    const Layout given = LayoutUtil::LayoutOf(leaf);
    if (leaf.dimensions_size() != 0 && (chosen || !LayoutUtil::IsDefault(given))) {
      layout.minorToMajor.assign(given.minor_to_major().begin(), given.minor_to_major().end());
      layout.paddedDims = LayoutUtil::PaddedDimensions(leaf);
      if (LayoutUtil::IsPadded(given, leaf))
        layout.padding = paddingElement(leaf.element_type(), given.padding_value());
    }
    layouts.push_back(std::move(layout));
  }
}

Status checkShape(const Shape &given, const Shape &expected, const std::string &what) {
  if (Status status = ShapeUtil::Validate(given); !status.ok())
    return {status.code(), what + ": " + status.message()};
  if (!ShapeUtil::Compatible(given, expected))
    return tenon::invalidArgument(what + " must be " + ShapeUtil::HumanString(expected) + ", and is " +
                                  ShapeUtil::HumanString(given));
  return {};
}

Status setLayouts(const Computation &computation, const AotCompilationOptions &options,
                  tenon::compiler::CompileOptions &compile) {
  const ProgramShape &program = computation.program_shape();
  std::vector<Shape> arguments = options.argument_shapes;
  if (arguments.empty())
    arguments.assign(program.parameters().begin(), program.parameters().end());
  if (arguments.size() != static_cast<size_t>(program.parameters_size()))
    return tenon::invalidArgument("the computation has " + std::to_string(program.parameters_size()) +
                                  " parameters, and " + std::to_string(arguments.size()) + " shapes are given");
  for (size_t i = 0; i < arguments.size(); ++i) {
    int number = static_cast<int>(i);
    if (Status status = checkShape(arguments[i], program.parameters(number),
                                   "argument " + std::to_string(i) + " (" + program.parameter_names(number) + ")");
        !status.ok())
      return status;
    addLayouts(arguments[i], !options.argument_shapes.empty(), compile.argumentLayouts);
  }
  if (options.result_shape) {
    TENON_RETURN_IF_ERROR(checkShape(*options.result_shape, program.result(), "the result"));
    addLayouts(*options.result_shape, /*chosen=*/true, compile.resultLayouts);
  }
  compile.layouts = true;
  return {};
}

} // namespace

StatusOr<AotCompilationResult> CompileAheadOfTime(const Computation &computation,
                                                  const AotCompilationOptions &options) {
  if (computation.IsNull())
    return tenon::invalidArgument("the computation is empty");
  tenon::aot::initializeCrossTargets();
  tenon::compiler::CompileOptions compile;
  compile.fileName = computation.name();
  compile.targetTriple = options.triple;
  compile.targetCpu = options.cpu;
  compile.selfContained = compile.bitcode = true;
  // A file of weights is one for all processors.
  compile.packConstants = options.weights != AotCompilationOptions::Weights::kExternal;
  compile.threads = options.compile_threads;
  TENON_RETURN_IF_ERROR(setLayouts(computation, options, compile));
  TENON_ASSIGN_OR_RETURN(auto program, tenon::compiler::compile(computation.built()->bytecode(), compile));
  tenon::aot::PackageOptions request;
  request.name = options.name.empty() ? tenon::aot::identifierFor(computation.name()) : options.name;
  if (!options.weights_file.empty())
    request.weightsFile = tenon::aot::WeightsFile{options.weights_file, options.bindings};
  request.externalWeights = options.weights == AotCompilationOptions::Weights::kExternal;
  TENON_ASSIGN_OR_RETURN(auto package, tenon::aot::makePackage(program, request));
  const tenon::aot::PackageSizes &sizes = package.sizes;
  return AotCompilationResult{request.name,
                              std::move(package.object),
                              std::move(package.header),
                              std::move(package.weights),
                              std::move(package.undefined),
                              std::move(package.lapack),
                              sizes.code,
                              sizes.readOnly + sizes.writable,
                              sizes.weights,
                              sizes.arena,
                              sizes.scratch,
                              sizes.stack};
}

Status AotCompilationResult::WriteTo(const std::string &folder) const {
  return tenon::aot::writeFiles(folder, name, object, header, weights);
}

} // namespace tenon::xla_2017
