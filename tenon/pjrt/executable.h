// PJRT_Executable and PJRT_LoadedExecutable: compiled programs and where they run.
#pragma once

#include "tenon/pjrt/buffer.h"
#include "tenon/pjrt/sharding.h"
#include "tenon/runtime/collectives/groups.h"

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

struct PJRT_Layouts_MemoryLayout {
  std::string text; // "{1,0}"
};

namespace tenon::pjrt {

// Handing a run to another thread and back costs some microseconds and a switch of caches. Runs that take less are
// their caller's.
constexpr int64_t kRunInPlaceNanoseconds = 50'000;

// One compiled program with everything the slots hand out, in the form they hand it out. Shared by all handles.
struct CompiledProgram {
  std::shared_ptr<backend::Executable> executable;
  backend::CompileOptions options;
  std::string serializedOptions; // as the framework gave them

  // The types of the arrays on one device. Results of the program that are sizes of other results come last and are
  // hidden from the framework.
  std::vector<BufferTypeRef> argumentTypes, resultTypes;
  // Results that the program itself writes in the order of their types; it makes others row-major.
  std::vector<bool> isStoredInOrder;
  std::vector<MemoryKind> resultMemories;
  std::vector<int> donatedArguments; // deleted by a run
  std::vector<int> argumentOfResult; // whose memory the result may take over, or -1
  int64_t estimatedNanoseconds = 0;  // rough time of a run
  bool runInPlace = false;           // too short to be worth a thread change
  bool exchangesData = false;        // infeed and the like: runs have to keep their order
  bool waitsForDevicesOnly = false;  // its runs wait for nothing but each other, in collectives
  // Has host callbacks or custom calls with an effect, so that a launch ends when its runs have ended: effects come in
  // the order of the launches, their errors are the launch's, and none is under way when the process ends. Not if data
  // comes from or goes to the host during the run: who launches may be who feeds.
  bool runsWithCaller = false;

  // By result, of those that several devices may have in one memory: the groups that do (shared_results.h).
  std::vector<std::optional<runtime::Groups>> sharingGroups;

  // A program for several partitions that computes whole arrays (see unpartitioned_run.h), and how they are made up.
  bool isUnpartitioned = false;
  std::vector<BufferTypeRef> wholeArgumentTypes, wholeResultTypes;
  std::vector<Tiling> argumentTilings, resultTilings;

  // Arrays for the slots.
  std::vector<PJRT_Buffer_Type> resultElementTypes;
  std::vector<int64_t> resultDims;
  std::vector<size_t> resultRanks;
  std::vector<const char *> argumentMemoryNames, resultMemoryNames;
  std::vector<size_t> argumentMemoryNameSizes, resultMemoryNameSizes;
  std::vector<std::string> argumentShardings, resultShardings; // xla.OpSharding
  std::vector<const char *> argumentShardingData, resultShardingData;
  std::vector<size_t> argumentShardingSizes, resultShardingSizes;
  std::vector<PJRT_Layouts_MemoryLayout> argumentLayouts, resultLayouts;
  std::vector<PJRT_Layouts_MemoryLayout *> argumentLayoutPointers, resultLayoutPointers;
  std::vector<PJRT_NamedValue> costs;

  // The optimized module, made when first asked for.
  StatusOr<std::string> moduleText();

private:
  std::mutex mutex_;
  std::string moduleText_;
};
using CompiledProgramRef = std::shared_ptr<CompiledProgram>;

StatusOr<CompiledProgramRef> makeCompiledProgram(std::shared_ptr<backend::Executable> executable,
                                                 backend::CompileOptions options, std::string serializedOptions);

} // namespace tenon::pjrt

struct PJRT_Executable {
  tenon::pjrt::CompiledProgramRef program;
};

struct PJRT_LoadedExecutable {
  PJRT_Client *client = nullptr;
  tenon::pjrt::CompiledProgramRef program;
  std::vector<int32_t> deviceIds;                // of all devices that it runs on, by place in the grid (replica-major)
  std::vector<PJRT_Device *> devices;            // those of this process, in the same order
  std::vector<PJRT_LogicalDeviceIds> logicalIds; // of `devices`

  bool spansProcesses() const { return devices.size() < deviceIds.size(); }
  std::atomic<bool> deleted{false};
};

// The data that a framework attaches to a run.
struct PJRT_ExecuteContext {
  std::mutex mutex;
  // Replaced, never changed: runs in flight keep the one they started with.
  std::shared_ptr<const std::unordered_map<int64_t, void *>> userData;
};

namespace tenon::pjrt {

void fillExecutableSlots(PJRT_Api &api); // what a program is
void fillCompileSlots(PJRT_Api &api);    // making, storing and loading programs
void fillExecuteSlots(PJRT_Api &api);    // running them

} // namespace tenon::pjrt
