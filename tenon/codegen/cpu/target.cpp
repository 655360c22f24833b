#include "tenon/codegen/cpu/target.h"

#include "tenon/codegen/cpu/instructions/cpu_instructions.h"
#include "tenon/codegen/kernel/computation_function.h"
#include "tenon/codegen/kernel/matmul/matmul.h"
#include "tenon/codegen/llvm/target_machine.h"
#include "tenon/support/cpu_quota.h"
#include "tenon/support/tile_permission.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>

namespace tenon::codegen {
namespace {

void initializeLLVMTargets() {
  static const bool done = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    return true;
  }();
  (void)done;
}

// "32K", "2048K", "1M".
int64_t parseSize(const std::string &text) {
  char *end = nullptr;
  int64_t value = std::strtoll(text.c_str(), &end, 10);
  return *end == 'K' ? value << 10 : *end == 'M' ? value << 20 : value;
}

struct Caches {
  int64_t l1 = 0, l2 = 0, l3 = 0;
};

Caches hostCaches() {
  Caches caches;
  for (int index = 0; index < 8; ++index) {
    std::string directory = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    int level = 0;
    std::string type, size;
    if (!(std::ifstream(directory + "level") >> level) || !(std::ifstream(directory + "type") >> type) ||
        !(std::ifstream(directory + "size") >> size) || type == "Instruction")
      continue;
    (level == 1 ? caches.l1 : level == 2 ? caches.l2 : caches.l3) = parseSize(size);
  }
  return caches;
}

// Tiles are there for those who were let use them.
bool isUsable(const llvm::StringMapEntry<bool> &feature) {
  return feature.second && (!feature.first().starts_with("amx-") || mayUseTiles());
}

// All that the host's CPU has and lacks. The minus signs matter: a virtual machine may hide what the CPU's name
// implies.
std::string hostFeatures() {
  std::vector<std::string> list;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    list.push_back((isUsable(feature) ? "+" : "-") + feature.first().str());
  std::sort(list.begin(), list.end());
  return llvm::join(list, ",");
}

// The host's features without those that the processor of this description lacks.
std::string limitedTo(const llvm::MCSubtargetInfo &limit, llvm::StringRef hostFeatures) {
  llvm::StringSet<> kept;
  for (const llvm::SubtargetFeatureKV &feature : limit.getEnabledProcessorFeatures())
    kept.insert(feature.Key);
  std::vector<std::string> list;
  for (llvm::StringRef feature : llvm::split(hostFeatures, ','))
    list.push_back((feature.front() == '+' && kept.contains(feature.drop_front()) ? "+" : "-") +
                   feature.drop_front().str());
  return llvm::join(list, ",");
}

// What a named CPU has, without the tuning flags that LLVM lists among the features: those follow from the name, and
// a loader could not check them.
std::string namedFeatures(const llvm::MCSubtargetInfo &info, bool hostArchitecture) {
  llvm::StringMap<bool, llvm::MallocAllocator> known = llvm::sys::getHostCPUFeatures();
  std::vector<std::string> list;
  for (const llvm::SubtargetFeatureKV &feature : info.getEnabledProcessorFeatures())
    if (!hostArchitecture || known.contains(feature.Key))
      list.push_back(std::string("+") + feature.Key);
  std::sort(list.begin(), list.end());
  return llvm::join(list, ",");
}

// LLVM 22 shifts bytes with GFNI's matrices, and has no right one for an arithmetic shift by zero, which some lanes of
// constant shifts become. Without it such shifts take an instruction more.
std::string withoutGfni(const std::string &features) {
  llvm::SmallVector<llvm::StringRef> list;
  llvm::StringRef(features).split(list, ',', -1, /*KeepEmpty=*/false);
  llvm::erase_if(list, [](llvm::StringRef feature) { return feature == "+gfni" || feature == "-gfni"; });
  list.push_back("-gfni");
  return llvm::join(list, ",");
}

// The same features in what LLVM is told for each function: only those in which the chip differs from what the CPU's
// name implies. LLVM takes a third of a millisecond for the list of all of them, each time that it reads it.
std::string differenceFromName(const llvm::MCSubtargetInfo &wanted, const llvm::Target &target,
                               const llvm::Triple &triple, llvm::StringRef cpu, const std::string &features) {
  auto bitsWith = [&](llvm::StringRef list) {
    return std::unique_ptr<llvm::MCSubtargetInfo>(target.createMCSubtargetInfo(triple, cpu, list))->getFeatureBits();
  };
  const llvm::FeatureBitset &bits = wanted.getFeatureBits(), implied = bitsWith("");
  std::string off, on;
  for (const llvm::SubtargetFeatureKV &feature : wanted.getAllProcessorFeatures())
    if (bits[feature.Value] != implied[feature.Value])
      (bits[feature.Value] ? on : off) += (bits[feature.Value] ? ",+" : ",-") + std::string(feature.Key);
  std::string difference = (off + on).substr(off.empty() && on.empty() ? 0 : 1);
  return bitsWith(difference) == bits ? difference : features;
}

Status checkFeatureNames(const llvm::MCSubtargetInfo &info, const std::string &features) {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(features).split(names, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef name : names) {
    llvm::StringRef bare = name.drop_front(name.starts_with("+") || name.starts_with("-"));
    if (bare == name)
      return invalidArgument("CPU feature '" + name.str() + "' must begin with + or -");
    if (llvm::none_of(info.getAllProcessorFeatures(), [&](const auto &known) { return bare == known.Key; }))
      return invalidArgument("unknown CPU feature '" + bare.str() + "'");
  }
  return {};
}

bool isArm32(const llvm::Triple &triple) { return triple.isARM() || triple.isThumb(); }

// The features of LLVM's "generic" processor do not include what every system for the architecture takes for granted:
// RV64GC; of ARM with floats in registers Debian's sixteen double ones, or the single ones of a Cortex-M4. NEON is left
// out of all ARM processors of 32 bits, for it has no subnormal numbers.
std::string baselineFeatures(const llvm::Triple &triple, llvm::StringRef cpu) {
  bool isGeneric = cpu.starts_with("generic");
  if (triple.isRISCV64() && isGeneric)
    return "+m,+a,+f,+d,+c";
  if (triple.isWasm())
    return "-fp16"; // a proposal, which LLVM has the half of
  if (!isArm32(triple))
    return "";
  llvm::Triple::SubArchType kind = triple.getSubArch();
  bool isMicrocontroller = kind == llvm::Triple::ARMSubArch_v7em || kind == llvm::Triple::ARMSubArch_v7m;
  if (!isGeneric || !triple.isHardFloatABI())
    return isMicrocontroller ? "" : "-neon";
  return isMicrocontroller ? "+vfp4d16sp" : "-neon,-d32,+vfp3d16";
}

// Distributions mean ARMv7 where LLVM takes "arm" for a processor of the nineties.
llvm::Triple tripleOf(const std::string &text) {
  llvm::Triple triple(llvm::Triple::normalize(text));
  if (triple.getArchName() == "arm" && triple.isHardFloatABI())
    triple.setArchName("armv7");
  return triple;
}

int maxVectorBits(const CpuTargetOptions &options) {
  if (options.maxVectorBits > 0)
    return options.maxVectorBits;
  if (const char *text = std::getenv("TENON_MAX_VECTOR_BITS"))
    if (int bits = std::atoi(text); bits > 0)
      return bits;
  return 1 << 20;
}

} // namespace

StatusOr<CpuTarget> CpuTarget::create(const CpuTargetOptions &options) {
  initializeLLVMTargets();
  CpuTarget target;
  llvm::Triple hostTriple(llvm::sys::getProcessTriple());
  llvm::Triple triple = options.triple.empty() ? hostTriple : tripleOf(options.triple);
  std::string error;
  const llvm::Target *llvmTarget = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!llvmTarget)
    return unimplemented("no code generator for '" + triple.str() + "': " + error);
  target.triple_ = triple.str();
  target.isX86_ = target.mergesShuffles_ = triple.isX86();

  bool hostArchitecture = triple.getArch() == hostTriple.getArch();
  bool host = options.cpu == "host" || options.cpu == "native" || (options.cpu.empty() && hostArchitecture);
  if (host && !hostArchitecture)
    return invalidArgument("cpu 'host' does not exist for '" + triple.str() + "'; name one");
  // Unknown names make LLVM print a warning and go on: ask first.
  std::unique_ptr<llvm::MCSubtargetInfo> generic(llvmTarget->createMCSubtargetInfo(triple, "", ""));
  const char *limit = host ? std::getenv("TENON_MAX_CPU") : nullptr;
  target.cpu_ = limit                 ? limit
                : host                ? llvm::sys::getHostCPUName().str()
                : options.cpu.empty() ? "generic"
                                      : options.cpu;
  if (!generic || !generic->isCPUStringValid(target.cpu_))
    return invalidArgument((limit ? "TENON_MAX_CPU: " : "") + ("unknown CPU '" + target.cpu_) + "' for '" +
                           triple.str() + "'");
  TENON_RETURN_IF_ERROR(checkFeatureNames(*generic, options.features));
  std::string asked = host ? hostFeatures() : baselineFeatures(triple, target.cpu_);
  if (limit) {
    std::unique_ptr<llvm::MCSubtargetInfo> named(llvmTarget->createMCSubtargetInfo(triple, target.cpu_, ""));
    asked = limitedTo(*named, asked);
  }
  if (!options.features.empty())
    asked += (asked.empty() ? "" : ",") + options.features;
  if (target.isX86_)
    asked = withoutGfni(asked);
  std::unique_ptr<llvm::MCSubtargetInfo> info(llvmTarget->createMCSubtargetInfo(triple, target.cpu_, asked));
  target.features_ = host ? asked : namedFeatures(*info, hostArchitecture);
  if (target.isX86_ && !host)
    target.features_ = withoutGfni(target.features_);
  target.distinctFeatures_ = differenceFromName(*info, *llvmTarget, triple, target.cpu_, asked);
  target.setFeatureFlags([&](llvm::StringRef name) { return info->checkFeatures(("+" + name).str()); },
                         maxVectorBits(options));
  if (host) {
    Caches caches = hostCaches();
    target.l1Bytes_ = caches.l1 > 0 ? caches.l1 : target.l1Bytes_;
    target.l2Bytes_ = caches.l2 > 0 ? caches.l2 : target.l2Bytes_;
    target.lastLevelCacheBytes_ = caches.l3 > 0 ? caches.l3 : target.lastLevelCacheBytes_;
  }
  target.level_ = target.level();
  target.key_ = target.triple_ + "/" + target.cpu_ + "/" + target.features_ + "/" + std::to_string(target.vectorBits_);
  std::unique_ptr<llvm::TargetMachine> machine = target.createTargetMachine();
  if (!machine)
    return unimplemented("LLVM cannot make a code generator for '" + target.key_ + "'");
  target.dataLayout_ = machine->createDataLayout().getStringRepresentation();
  return target;
}

const StatusOr<CpuTarget> &CpuTarget::hostOrError() {
  static const auto *made = new StatusOr<CpuTarget>(create());
  return *made;
}

const CpuTarget &CpuTarget::host() {
  const StatusOr<CpuTarget> &made = hostOrError();
  if (!made.ok())
    llvm::report_fatal_error(llvm::StringRef(made.status().message()));
  return *made;
}

void CpuTarget::setFeatureFlags(const std::function<bool(llvm::StringRef)> &has, int maxVectorBits) {
  if (!isX86_) {
    // AArch64: NEON, with half precision conversions and fused multiply-add always there. RISC-V: vectors of 128 bits,
    // which LLVM takes apart where the V extension is missing; multiply-add comes with the floats. ARM of 32 bits and
    // WebAssembly without vectors: two floats at a time, so that there are sums that do not wait for each other.
    llvm::Triple triple(triple_);
    fma_ = triple.isAArch64() || (triple.isRISCV() && has("d")) || (isArm32(triple) && has("vfp4d16"));
    f16c_ = triple.isAArch64() || (triple.isRISCV() && has("zfhmin"));
    bool isNarrow = isArm32(triple) || (triple.isWasm() && !has("simd128"));
    vectorBits_ = std::min(isNarrow ? 64 : 128, maxVectorBits);
    return;
  }
  avx_ = has("avx");
  avx2_ = has("avx2");
  fma_ = has("fma");
  f16c_ = has("f16c");
  avxvnni_ = has("avxvnni");
  bool avx512 = has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl");
  vectorBits_ = std::min(avx512 ? 512 : avx_ ? 256 : 128, std::max(maxVectorBits, 128));
  avx512_ = hasMaskedMemory_ = hasStreamingStores_ = avx512 && vectorBits_ == 512;
  avx512bf16_ = has("avx512bf16");
  avx512vnni_ = has("avx512vnni");
  bool hasTiles = avx2_ && has("amx-tile") && llvm::Triple(triple_).isOSLinux(); // which is asked for them
  amxBf16_ = hasTiles && has("amx-bf16");
  amxInt8_ = hasTiles && has("amx-int8");
}

bool CpuTarget::hasFeature(std::string_view llvmName) const {
  return llvm::is_contained(llvm::split(features_, ','), "+" + std::string(llvmName));
}

std::string CpuTarget::level() const {
  if (!isX86_)
    return "";
  llvm::StringSet<> present;
  for (llvm::StringRef feature : llvm::split(features_, ','))
    present.insert(feature);
  auto has = [&](std::initializer_list<llvm::StringRef> features) {
    return llvm::all_of(features, [&](llvm::StringRef feature) { return present.contains(feature); });
  };
  if (!has({"+cx16", "+popcnt", "+sahf", "+sse4.2", "+avx2", "+bmi", "+bmi2", "+f16c", "+fma", "+lzcnt", "+movbe",
            "+xsave"}))
    return "";
  std::string level = has({"+avx512f", "+avx512bw", "+avx512cd", "+avx512dq", "+avx512vl"}) ? "x86-64-v4" : "x86-64-v3";
  return vectorBits_ == (level == "x86-64-v4" ? 512 : 256) ? level : "";
}

bool CpuTarget::hasRoutineLevel(llvm::ArrayRef<llvm::StringRef> features) const {
  return !level_.empty() && llvm::all_of(features, [&](llvm::StringRef feature) { return hasFeature(feature); });
}

std::string CpuTarget::routineKey(llvm::ArrayRef<llvm::StringRef> features) const {
  return hasRoutineLevel(features) ? triple_ + "/" + level_ + "/" + llvm::join(features, ",") : key_;
}

const KernelTarget &CpuTarget::routineTarget(llvm::ArrayRef<llvm::StringRef> features) const {
  if (!hasRoutineLevel(features))
    return *this;
  static auto *targets = new std::map<std::string, CpuTarget>();
  static auto *mutex = new std::mutex();
  std::lock_guard lock(*mutex);
  std::string key = routineKey(features);
  auto made = targets->find(key);
  if (made == targets->end()) {
    CpuTargetOptions options;
    options.cpu = level_;
    options.triple = triple_;
    for (llvm::StringRef feature : features)
      options.features += (options.features.empty() ? "+" : ",+") + feature.str();
    options.maxVectorBits = vectorBits_;
    StatusOr<CpuTarget> target = create(options);
    if (!target.ok()) // LLVM knows the levels, and this target has the features
      llvm::report_fatal_error(llvm::StringRef(target.status().message()));
    made = targets->emplace(key, *std::move(target)).first;
  }
  return made->second;
}

// The levels have AVX2, or AVX-512 F, BW, CD, DQ and VL.
std::optional<llvm::StringRef> CpuTarget::featureOfIntrinsic(llvm::StringRef name) const {
  if (!name.starts_with("llvm.x86."))
    return "";
  auto isAny = [&](std::initializer_list<llvm::StringRef> prefixes) {
    return llvm::any_of(prefixes, [&](llvm::StringRef prefix) { return name.starts_with(prefix); });
  };
  if (isAny({"llvm.x86.avx512.vpdpbusd."}))
    return hasFeature("avx512vnni") ? "avx512vnni" : "avxvnni";
  if (isAny({"llvm.x86.avx512bf16."}))
    return "avx512bf16";
  if (name == "llvm.x86.tdpbf16ps")
    return "amx-bf16";
  if (isAny({"llvm.x86.tdpb"}))
    return "amx-int8";
  if (isAny({"llvm.x86.tile"}))
    return "amx-tile";
  if (isAny({"llvm.x86.sse", "llvm.x86.avx2.", "llvm.x86.vcvtps2ph.", "llvm.x86.avx512.pmaddw.d.",
             "llvm.x86.avx512.mask.vcvtps2ph.", "llvm.x86.avx512.mask.scalef.", "llvm.x86.avx512.permvar."}))
    return "";
  return std::nullopt;
}

void CpuTarget::emitStoreFence(llvm::IRBuilderBase &builder) const {
  builder.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {});
}

bool CpuTarget::canOutlineComputation(mlir::Region &computation) const {
  return !entry::findUncomputable(computation, *this);
}

matmul::MatmulTarget CpuTarget::matmulTarget() const {
  matmul::MatmulTarget result;
  result.vectorBits = vectorBits();
  result.fma = fma();
  result.int16Pairs = isX86();
  result.avx512Bf16 = avx512bf16();
  result.slowBf16Pairs = slowBf16Pairs();
  result.avx512Vnni = avx512vnni();
  result.avxVnni = avxvnni();
  result.amxBf16 = amxBf16();
  result.amxInt8 = amxInt8();
  result.l1Bytes = l1Bytes();
  result.l2Bytes = l2Bytes();
  result.costs = costs();
  result.cores = std::max(2, usableCpus()); // how finely tasks are cut
  return result;
}

std::unique_ptr<llvm::TargetMachine> CpuTarget::createTargetMachine() const {
  initializeLLVMTargets();
  llvm::Triple triple(triple_);
  // WebAssembly has no addresses that a loader could move unless it is told to make a library of its own kind.
  return codegen::createTargetMachine({.triple = triple_,
                                       .cpu = cpu_,
                                       .features = distinctFeatures_,
                                       .abi = !triple.isRISCV64() ? ""
                                              : hasFeature("d")   ? "lp64d"
                                                                  : "lp64",
                                       .relocation = triple.isWasm() ? llvm::Reloc::Static : llvm::Reloc::PIC_,
                                       .codeModel = llvm::CodeModel::Small,
                                       .level = llvm::CodeGenOptLevel::Less,
                                       .isJit = true});
}

void CpuTarget::prepareModule(llvm::Module &module) const {
  module.setTargetTriple(llvm::Triple(triple_));
  module.setDataLayout(dataLayout_);
  if (module.getPICLevel() == llvm::PICLevel::NotPIC)
    module.setPICLevel(llvm::PICLevel::BigPIC);
  auto hasFeature = [&](llvm::StringRef name) {
    return name == "avx512f" ? avx512_ : name == "avx2" ? avx2_ : name == "f16c" ? f16c_ : this->hasFeature(name);
  };
  math::useInstructions(module, cpuInstructions(module.getTargetTriple(), hasFeature));
}

} // namespace tenon::codegen
