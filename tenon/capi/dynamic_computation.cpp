#include "tenon/dynamic_computation.h"

#include "tenon/capi/execution.h"

using namespace tenon::capi;
using tenon::Status;
using tenon::StatusOr;
using xla::DynamicComputation;

struct tenon_dynamic_computation {
  std::unique_ptr<DynamicComputation> value;
};

namespace {

StatusOr<std::vector<xla::KnownArgument>> knownArguments(const tenon_known_argument *known, size_t count) {
  std::vector<xla::KnownArgument> result;
  for (const tenon_known_argument &argument : xla::gtl::ArraySlice<tenon_known_argument>(known, count)) {
    TENON_RETURN_IF_ERROR(checkPresent({array(argument.elements, argument.count, "elements")}));
    auto elements = slice(argument.elements, argument.count);
    result.push_back({static_cast<xla::int64>(argument.parameter), {elements.begin(), elements.end()}});
  }
  return result;
}

} // namespace

tenon_status *tenon_dynamic_computation_from_stablehlo(const char *program, size_t size, const char *file_name,
                                                       const char *entry, tenon_dynamic_computation **computation) {
  return guard({array(program, size, "program"), {computation, "computation"}}, [&]() -> Status {
    TENON_ASSIGN_OR_RETURN(auto read,
                           DynamicComputation::FromStableHlo({size == 0 ? "" : program, size},
                                                             file_name ? file_name : "<program>", entry ? entry : ""));
    *computation = new tenon_dynamic_computation{std::move(read)};
    return {};
  });
}

void tenon_dynamic_computation_destroy(tenon_dynamic_computation *computation) { delete computation; }

bool tenon_dynamic_computation_is_open(const tenon_dynamic_computation *computation) {
  return computation && computation->value->is_open();
}

size_t tenon_dynamic_computation_parameter_count(const tenon_dynamic_computation *computation) {
  return computation ? computation->value->parameters().size() : 0;
}

tenon_status *tenon_dynamic_computation_get_parameter(const tenon_dynamic_computation *computation, size_t parameter,
                                                      tenon_dynamic_parameter *info) {
  return guard({{computation, "computation"}, {info, "info"}}, [&]() -> Status {
    const auto &parameters = computation->value->parameters();
    if (parameter >= parameters.size())
      return {tenon::StatusCode::kOutOfRange, "there are " + std::to_string(parameters.size()) +
                                                  " parameters, and no number " + std::to_string(parameter)};
    const xla::DynamicParameter &found = parameters[parameter];
    tenon_dynamic_parameter filled{};
    filled.name = found.name.c_str();
    filled.element_type = static_cast<tenon_element_type>(found.element_type);
    filled.dimensions = found.dimensions.data();
    filled.rank = found.dimensions.size();
    filled.decides_sizes = found.decides_sizes;
    return fill(filled, info, "info");
  });
}

tenon_status *tenon_dynamic_computation_specialize(tenon_dynamic_computation *dynamic,
                                                   const tenon_shape *const *arguments, size_t count,
                                                   const tenon_known_argument *known, size_t known_count,
                                                   tenon_computation **computation) {
  return guard({{dynamic, "dynamic"},
                array(arguments, count, "arguments"),
                array(known, known_count, "known"),
                {computation, "computation"}},
               [&]() -> Status {
                 auto shapes = shapesOf(arguments, count);
                 auto values = knownArguments(known, known_count);
                 if (!shapes.ok() || !values.ok())
                   return shapes.ok() ? values.status() : shapes.status();
                 TENON_ASSIGN_OR_RETURN(auto result, dynamic->value->Specialize(*shapes, *values));
                 *computation = new tenon_computation{*result};
                 return {};
               });
}
