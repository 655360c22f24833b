// The page that `tenon view` writes: one HTML file that loads nothing.
#pragma once

#include "tenon/profile.h"
#include "tenon/program/program.h"
#include "tenon/tools/view/graph.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tenon::tools {

struct ViewedStage {
  std::string name; // "import", "fuse"
  Graph graph;
  // The nodes of the last stage that are kernels or runtime calls, in the order of the program.
  std::vector<int> steps;
};

struct View {
  std::string program; // its name
  std::vector<ViewedStage> stages;
  std::string memory;                         // the picture of the memory plan, or empty
  nlohmann::ordered_json partition;           // how the program was cut for its devices, or null
  std::string arrays;                         // the picture of its arrays on the mesh, or empty
  const program::Program *compiled = nullptr; // for what kernels cost; null: it could not be compiled
  const xla::Profile *times = nullptr;        // of so many runs of it; null: nobody has measured
  int timedRuns = 0;
};

nlohmann::ordered_json viewJson(const View &view);
std::string viewPage(const View &view);

} // namespace tenon::tools
