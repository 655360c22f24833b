// The C header of a package. Private to the folder.
#pragma once

#include "tenon/aot/glue.h"
#include "tenon/program/program.h"

#include <optional>
#include <string>
#include <vector>

namespace tenon::aot {

struct ModelFacts {
  std::string name, fingerprint;
  const program::Program *program = nullptr;
  ArenaPlan arena;
  std::vector<int64_t> bound; // GlueOptions::bound
  int64_t stackBytes = 0;     // that a run takes of a thread's
  std::vector<std::string> customCalls;
  std::vector<std::string> lapack; // routines, with their places
};

struct HeaderFacts {
  std::string name;                    // of the files
  std::optional<WeightsFacts> weights; // the file that runs are given
  std::vector<ModelFacts> models;
};

std::string headerText(const HeaderFacts &facts);

} // namespace tenon::aot
