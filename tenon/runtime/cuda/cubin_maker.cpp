#include "tenon/runtime/cuda/cubin_maker.h"

#include "tenon/runtime/cuda/toolkit.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace tenon::runtime::cuda {
namespace {

// --- nvJitLink ---

struct JitLinkHandle;

// The part of nvJitLink.h that we use, for all its versions. Functions return 0 when they have done what was asked.
struct JitLinkFunctions {
  int (*version)(unsigned *major, unsigned *minor) = nullptr;
  int (*create)(JitLinkHandle **handle, uint32_t count, const char **options) = nullptr;
  int (*destroy)(JitLinkHandle **handle) = nullptr;
  int (*addData)(JitLinkHandle *handle, int kind, const void *data, size_t bytes, const char *name) = nullptr;
  int (*complete)(JitLinkHandle *handle) = nullptr;
  int (*cubinSize)(JitLinkHandle *handle, size_t *bytes) = nullptr;
  int (*cubin)(JitLinkHandle *handle, void *bytes) = nullptr;
  int (*errorLogSize)(JitLinkHandle *handle, size_t *bytes) = nullptr;
  int (*errorLog)(JitLinkHandle *handle, char *text) = nullptr;
  int (*infoLogSize)(JitLinkHandle *handle, size_t *bytes) = nullptr;
  int (*infoLog)(JitLinkHandle *handle, char *text) = nullptr;
};
constexpr int kPtxInput = 2; // NVJITLINK_INPUT_PTX

class JitLink final : public CubinMaker {
public:
  JitLink(const JitLinkFunctions &functions, std::string version)
      : functions_(functions), version_(std::move(version)) {}

  const std::string &version() const override { return version_; }

  StatusOr<Cubin> make(std::string_view ptx, const std::string &chip) const override {
    std::string architecture = "-arch=" + chip, source(ptx);      // which is to end with a zero
    const char *options[] = {architecture.c_str(), "-Xptxas=-v"}; // its report is ptxas's
    JitLinkHandle *handle = nullptr;
    if (int code = functions_.create(&handle, std::size(options), options))
      return internalError(version_ + " does not take " + architecture + " (" + std::to_string(code) + ")");
    StatusOr<Cubin> made = link(handle, source);
    functions_.destroy(&handle);
    return made;
  }

private:
  using SizeFunction = int (*)(JitLinkHandle *, size_t *);
  using TextFunction = int (*)(JitLinkHandle *, char *);

  static std::string textOf(JitLinkHandle *handle, SizeFunction sizeFunction, TextFunction textFunction) {
    size_t bytes = 0;
    if (sizeFunction(handle, &bytes) != 0)
      return "";
    std::string text(bytes + 1, '\0');
    textFunction(handle, text.data());
    text.resize(text.find('\0'));
    return text;
  }

  StatusOr<Cubin> link(JitLinkHandle *handle, const std::string &source) const {
    if (functions_.addData(handle, kPtxInput, source.c_str(), source.size() + 1, "kernels") != 0 ||
        functions_.complete(handle) != 0)
      return internalError(version_ + " fails: " + textOf(handle, functions_.errorLogSize, functions_.errorLog));
    size_t bytes = 0;
    std::string cubin;
    bool isThere = functions_.cubinSize(handle, &bytes) == 0;
    if (isThere) {
      cubin.resize(bytes);
      isThere = functions_.cubin(handle, cubin.data()) == 0;
    }
    if (!isThere || cubin.empty())
      return internalError(version_ + " gives no machine code");
    return readReport(std::move(cubin), textOf(handle, functions_.infoLogSize, functions_.infoLog));
  }

  JitLinkFunctions functions_;
  std::string version_;
};

// --- ptxas ---

class PtxasProgram final : public CubinMaker {
public:
  PtxasProgram(Assembler assembler, const std::string &version)
      : assembler_(std::move(assembler)), version_("ptxas " + version) {}

  const std::string &version() const override { return version_; }

  StatusOr<Cubin> make(std::string_view ptx, const std::string &chip) const override {
    return assembler_.assemble(ptx, chip);
  }

private:
  Assembler assembler_;
  std::string version_;
};

StatusOr<std::shared_ptr<const CubinMaker>> findPtxas() {
  TENON_ASSIGN_OR_RETURN(Assembler assembler, Assembler::find());
  TENON_ASSIGN_OR_RETURN(std::string version, assembler.version());
  return std::shared_ptr<const CubinMaker>(std::make_shared<PtxasProgram>(std::move(assembler), version));
}

// --- Choice ---

using Release = std::pair<int, int>;

// "ptxas 13.0.88" is of release 13.0.
Release releaseOf(const CubinMaker &maker) {
  Release release;
  std::sscanf(maker.version().c_str(), "%*s %d.%d", &release.first, &release.second);
  return release;
}

// The first whose ptxas takes all PTX that there is here, for every chip.
constexpr Release kFirstForAll = {12, 8};

} // namespace

StatusOr<std::shared_ptr<const CubinMaker>> openJitLink(const std::vector<std::string> &names) {
  JitLinkFunctions functions;
  TENON_RETURN_IF_ERROR(openLibrary(names, {{"nvJitLinkVersion", functions.version},
                                            {"nvJitLinkCreate", functions.create},
                                            {"nvJitLinkDestroy", functions.destroy},
                                            {"nvJitLinkAddData", functions.addData},
                                            {"nvJitLinkComplete", functions.complete},
                                            {"nvJitLinkGetLinkedCubinSize", functions.cubinSize},
                                            {"nvJitLinkGetLinkedCubin", functions.cubin},
                                            {"nvJitLinkGetErrorLogSize", functions.errorLogSize},
                                            {"nvJitLinkGetErrorLog", functions.errorLog},
                                            {"nvJitLinkGetInfoLogSize", functions.infoLogSize},
                                            {"nvJitLinkGetInfoLog", functions.infoLog}}));
  unsigned major = 0, minor = 0;
  if (functions.version(&major, &minor) != 0)
    return failedPrecondition("the library nvJitLink does not say its version");
  return std::shared_ptr<const CubinMaker>(
      std::make_shared<JitLink>(functions, "nvJitLink " + std::to_string(major) + "." + std::to_string(minor)));
}

StatusOr<std::shared_ptr<const CubinMaker>> findCubinMaker(int driverVersion) {
  using Maker = std::shared_ptr<const CubinMaker>;
  const int generation = driverVersion / 1000;
  const char *given = std::getenv("TENON_CUDA_ASSEMBLER");
  const std::string choice = given ? given : "";
  if (choice == "driver")
    return Maker();
  if (!choice.empty() && choice != "nvjitlink" && choice != "ptxas")
    return invalidArgument("TENON_CUDA_ASSEMBLER is '" + choice + "'; it can be nvjitlink, ptxas, driver, or not set");
  Maker newest;
  for (const std::string kind : {"ptxas", "nvjitlink"}) {
    if (!choice.empty() && choice != kind)
      continue;
    if (newest && releaseOf(*newest) >= kFirstForAll)
      break; // to open the library takes longer than small kernels do
    StatusOr<Maker> found = kind == "ptxas" ? findPtxas() : openJitLink(libraryNames("libnvJitLink", 12, generation));
    const bool isTooNew = found.ok() && generation > 0 && releaseOf(**found).first > generation;
    if (!choice.empty() && isTooNew)
      return failedPrecondition((*found)->version() + " makes machine code that the driver, of CUDA " +
                                std::to_string(generation) + ", does not take");
    if (!choice.empty())
      return found;
    if (found.ok() && !isTooNew && (!newest || releaseOf(**found) > releaseOf(*newest)))
      newest = *std::move(found);
  }
  return newest;
}

StatusOr<std::string> makeMachineCode(const CubinMaker &maker, std::string_view ptx, const std::string &chip) {
  TENON_ASSIGN_OR_RETURN(Cubin cubin, maker.make(ptx, chip));
  for (const std::string &remark : cubin.remarks)
    std::fprintf(stderr, "tenon: warning: %s makes slower code than it was asked for: %s\n", maker.version().c_str(),
                 remark.c_str());
  return std::move(cubin.bytes);
}

} // namespace tenon::runtime::cuda
