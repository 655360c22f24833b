#include "tenon/capi/handles.h"

using namespace tenon::capi;
using tenon::Status;
using xla::Computation;

namespace {

// Null where there is no such parameter.
const xla::ProgramShape *shapeWith(const tenon_computation *computation, size_t parameter) {
  return parameter < tenon_computation_parameter_count(computation) ? &computation->value.program_shape() : nullptr;
}

Status checkNotEmpty(const tenon_computation *computation) {
  return computation->value.IsNull() ? tenon::invalidArgument("the computation is empty") : Status();
}

} // namespace

tenon_status *tenon_computation_from_stablehlo(const char *program, size_t size, const char *file_name,
                                               tenon_computation **computation) {
  return tenon_computation_from_stablehlo_entry(program, size, file_name, nullptr, computation);
}

tenon_status *tenon_computation_from_stablehlo_entry(const char *program, size_t size, const char *file_name,
                                                     const char *entry, tenon_computation **computation) {
  return guard({array(program, size, "program"), {computation, "computation"}}, [&]() -> Status {
    TENON_ASSIGN_OR_RETURN(auto read,
                           Computation::FromStableHlo({size == 0 ? "" : program, size},
                                                      file_name ? file_name : "<program>", entry ? entry : ""));
    *computation = new tenon_computation{*read};
    return {};
  });
}

void tenon_computation_destroy(tenon_computation *computation) { delete computation; }

const char *tenon_computation_name(const tenon_computation *computation) {
  return computation ? computation->value.name().c_str() : "";
}

size_t tenon_computation_parameter_count(const tenon_computation *computation) {
  return computation ? static_cast<size_t>(computation->value.program_shape().parameters_size()) : 0;
}

const tenon_shape *tenon_computation_parameter_shape(const tenon_computation *computation, size_t parameter) {
  const auto *shape = shapeWith(computation, parameter);
  return shape ? handleOf(shape->parameters(static_cast<int>(parameter))) : nullptr;
}

const char *tenon_computation_parameter_name(const tenon_computation *computation, size_t parameter) {
  const auto *shape = shapeWith(computation, parameter);
  return shape ? shape->parameter_names(static_cast<int>(parameter)).c_str() : nullptr;
}

const tenon_shape *tenon_computation_result_shape(const tenon_computation *computation) {
  bool present = computation && !computation->value.IsNull();
  return present ? handleOf(computation->value.program_shape().result()) : nullptr;
}

tenon_status *tenon_computation_to_text(const tenon_computation *computation, char **text) {
  return guard({{computation, "computation"}, {text, "text"}}, [&]() -> Status {
    TENON_RETURN_IF_ERROR(checkNotEmpty(computation));
    return giveText(computation->value.ToStableHloText(), text);
  });
}

tenon_status *tenon_computation_to_portable_artifact(const tenon_computation *computation, const char *version,
                                                     char **bytes, size_t *size) {
  return guard({{computation, "computation"}, {bytes, "bytes"}, {size, "size"}}, [&]() -> Status {
    TENON_RETURN_IF_ERROR(checkNotEmpty(computation));
    TENON_ASSIGN_OR_RETURN(auto artifact, computation->value.ToPortableArtifact(version ? version : ""));
    Status status = giveText(artifact, bytes);
    if (status.ok())
      *size = artifact.size();
    return status;
  });
}
