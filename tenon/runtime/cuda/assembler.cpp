#include "tenon/runtime/cuda/assembler.h"

#include "tenon/runtime/cuda/toolkit.h"
#include "tenon/support/files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <regex>
#include <sstream>

namespace tenon::runtime::cuda {
namespace {

namespace fs = std::filesystem;

// "ptxas info : Function properties for f", and a line or two further on what it takes.
std::vector<FunctionResources> readResources(const std::string &report) {
  static const std::regex compiled("Compiling entry function '([^']*)'"), properties("Function properties for (\\S+)"),
      memory("(\\d+) bytes stack frame, (\\d+) bytes spill stores, (\\d+) bytes spill loads"),
      registers("Used (\\d+) registers");
  std::vector<FunctionResources> functions;
  std::string kernel;
  std::stringstream lines(report);
  std::smatch found;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, found, compiled)) {
      kernel = found[1];
    } else if (std::regex_search(line, found, properties)) {
      functions.emplace_back().name = found[1];
      functions.back().isKernel = found[1] == kernel;
    } else if (std::regex_search(line, found, memory) && !functions.empty()) {
      functions.back().stackBytes = std::stoll(found[1]);
      functions.back().spillStoreBytes = std::stoll(found[2]);
      functions.back().spillLoadBytes = std::stoll(found[3]);
    } else if (std::regex_search(line, found, registers)) {
      for (FunctionResources &function : functions)
        if (function.name == kernel)
          function.registers = std::stoi(found[1]);
    }
  }
  return functions;
}

// The kernels that keep registers in memory, or whose functions do.
std::vector<std::string_view> kernelsWithSpills(const Cubin &cubin) {
  std::vector<std::string_view> kernels;
  std::string_view kernel;
  for (const FunctionResources &function : cubin.functions) {
    if (function.isKernel)
      kernel = function.name; // behind it come the functions that it calls
    if (function.spillBytes() > 0 && (kernels.empty() || kernels.back() != kernel))
      kernels.push_back(kernel);
  }
  return kernels;
}

int64_t spillsOf(const Cubin &cubin) {
  int64_t bytes = 0;
  for (const FunctionResources &function : cubin.functions)
    bytes += function.spillBytes();
  return bytes;
}

// The same module, in which a multiprocessor need have no more than one block of these kernels at a time.
std::string withRegistersOf(std::string ptx, const std::vector<std::string_view> &kernels) {
  for (std::string_view kernel : kernels) {
    size_t entry = ptx.find(".entry " + std::string(kernel) + "(");
    size_t body = ptx.find("\n{", entry);
    if (entry != std::string::npos && body != std::string::npos &&
        ptx.substr(entry, body - entry).find(".minnctapersm") == std::string::npos)
      ptx.insert(body, "\n.minnctapersm 1");
  }
  return ptx;
}

// The assembler touches 8 to 14 MB of memory for the first time, a third of what it takes for a small module if this
// comes by pages of 4 KB; and it looks through the folder of temporary files.
std::vector<std::string> assemblerVariables(const ScratchFolder &folder) {
  std::vector<std::string> variables = {"TMPDIR=" + folder.path().string()};
  if (!std::getenv("GLIBC_TUNABLES"))
    variables.emplace_back("GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.top_pad=33554432:"
                           "glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=1073741824");
  return variables;
}

} // namespace

Cubin readReport(std::string machineCode, const std::string &report) {
  static const std::regex remark("\\(C75[0-9]+\\)[^\\n]*");
  Cubin cubin{std::move(machineCode), readResources(report), {}};
  for (std::sregex_iterator found(report.begin(), report.end(), remark), end; found != end; ++found)
    cubin.remarks.push_back(found->str());
  return cubin;
}

StatusOr<Assembler> Assembler::find() {
  TENON_ASSIGN_OR_RETURN(std::string ptxas, findProgram("ptxas"));
  return Assembler(std::move(ptxas));
}

StatusOr<Cubin> Assembler::assemble(std::string_view ptx, const std::string &chip) const {
  TENON_ASSIGN_OR_RETURN(Cubin cubin, assembleOnce(ptx, chip));
  std::vector<std::string_view> kernels = kernelsWithSpills(cubin);
  if (kernels.empty())
    return cubin;
  TENON_ASSIGN_OR_RETURN(Cubin other, assembleOnce(withRegistersOf(std::string(ptx), kernels), chip));
  return spillsOf(other) < spillsOf(cubin) && other.remarks.size() <= cubin.remarks.size() ? std::move(other)
                                                                                           : std::move(cubin);
}

StatusOr<Cubin> Assembler::assembleOnce(std::string_view ptx, const std::string &chip) const {
  ScratchFolder folder;
  if (!folder.exists())
    return internalError("cannot make a folder for temporary files: " + std::string(std::strerror(errno)));
  fs::path source = folder.file("module.ptx"), result = folder.file("module.cubin"), errors = folder.file("errors");
  TENON_RETURN_IF_ERROR(writeFile(source, ptx));
  TENON_RETURN_IF_ERROR(runProgram({ptxas_, "-v", "-arch=" + chip, "-o", result.string(), source.string()},
                                   folder.file("output"), errors, assemblerVariables(folder)));
  return readReport(readFile(result), readFile(errors));
}

StatusOr<std::string> Assembler::version() const {
  ScratchFolder folder;
  if (!folder.exists())
    return internalError("cannot make a folder for temporary files: " + std::string(std::strerror(errno)));
  fs::path output = folder.file("output");
  TENON_RETURN_IF_ERROR(runProgram({ptxas_, "--version"}, output, folder.file("errors")));
  static const std::regex number("V([0-9]+\\.[0-9.]+)");
  std::string text = readFile(output);
  std::smatch found;
  if (!std::regex_search(text, found, number))
    return internalError(ptxas_ + " does not say its version, but " + text);
  return found[1].str();
}

StatusOr<std::string> Assembler::disassemble(std::string_view cubin) const {
  TENON_ASSIGN_OR_RETURN(std::string nvdisasm, findProgram("nvdisasm"));
  ScratchFolder folder;
  if (!folder.exists())
    return internalError("cannot make a folder for temporary files: " + std::string(std::strerror(errno)));
  fs::path source = folder.file("module.cubin"), text = folder.file("text");
  TENON_RETURN_IF_ERROR(writeFile(source, cubin));
  TENON_RETURN_IF_ERROR(runProgram({nvdisasm, "-c", source.string()}, text, folder.file("errors")));
  return readFile(text);
}

} // namespace tenon::runtime::cuda
