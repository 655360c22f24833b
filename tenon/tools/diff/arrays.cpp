#include "tenon/tools/diff/diff.h"
#include "tenon/tools/npy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <set>

namespace tenon::tools {

namespace {

// Where two arrays of a type and shape differ.
struct Differences {
  int64_t count = 0, size = 0, first = -1;
  int64_t nansA = 0, nansB = 0;
  double largest = 0, largestRelative = 0; // among finite ones
  int64_t place = -1;                      // of the largest

  void add(int64_t element, double a, double b) {
    if (first < 0)
      first = element;
    double difference = std::abs(a - b);
    if (!std::isfinite(difference))
      return;
    double scale = std::max(std::abs(a), std::abs(b));
    largestRelative = std::max(largestRelative, scale > 0 ? difference / scale : 0);
    if (place < 0 || difference > largest) {
      largest = difference;
      place = element;
    }
  }
};

Differences compareElements(const Literal &a, const Literal &b) {
  Differences differences;
  differences.size = xla::ShapeUtil::ElementsIn(a.shape());
  int parts = xla::IsComplexType(a.shape().element_type()) ? 2 : 1;
  for (int64_t i = 0; i < differences.size; ++i) {
    bool differs = false;
    for (int part = 0; part < parts; ++part) {
      double x = elementAsDouble(a, i, part == 1), y = elementAsDouble(b, i, part == 1);
      differences.nansA += std::isnan(x);
      differences.nansB += std::isnan(y);
      if ((std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y)))
        continue;
      differs = true;
      differences.add(i, x, y);
    }
    differences.count += differs;
  }
  return differences;
}

// "[2, 5]" of a position in row-major order.
std::string indexText(int64_t position, const std::vector<int64_t> &dims) {
  std::vector<std::string> index(dims.size());
  for (size_t d = dims.size(); d-- > 0; position /= dims[d])
    index[d] = std::to_string(position % dims[d]);
  return "[" + llvm::join(index, ", ") + "]";
}

void writeElements(const Literal &a, const Literal &b, const Differences &differences, llvm::raw_ostream &out) {
  const std::vector<int64_t> dims = shapeOf(a).dims;
  out << differences.count << " of " << differences.size << " elements differ";
  int64_t shown = differences.place >= 0 ? differences.place : differences.first;
  if (differences.place >= 0)
    out << llvm::format(", by %.3g at most (relatively %.3g)", differences.largest, differences.largestRelative);
  out << llvm::format("; at %s %.9g, %.9g", indexText(shown, dims).c_str(), elementAsDouble(a, shown),
                      elementAsDouble(b, shown));
  if (differences.nansA || differences.nansB)
    out << "; NaN: " << differences.nansA << ", " << differences.nansB;
}

// Types that NumPy has no name for are compared by their bytes.
StatusOr<bool> sameBytes(const std::string &a, const std::string &b) {
  auto bytesA = llvm::MemoryBuffer::getFile(a), bytesB = llvm::MemoryBuffer::getFile(b);
  if (!bytesA || !bytesB)
    return Status(StatusCode::kUnknown, (bytesA ? b : a) + " can't be read");
  return (*bytesA)->getBuffer() == (*bytesB)->getBuffer();
}

StatusOr<bool> diffFiles(const std::string &name, const std::string &a, const std::string &b, llvm::raw_ostream &out) {
  TENON_ASSIGN_OR_RETURN(program::Shape shapeA, readNpyShape(a));
  TENON_ASSIGN_OR_RETURN(program::Shape shapeB, readNpyShape(b));
  if (shapeA != shapeB) {
    out << name << ": " << shapeA.toString() << " -> " << shapeB.toString() << "\n";
    return true;
  }
  if (shapeA.type == program::ElementType::kInvalid) {
    TENON_ASSIGN_OR_RETURN(bool same, sameBytes(a, b));
    if (!same)
      out << name << ": the bytes differ, of a type that NumPy has no name for\n";
    return !same;
  }
  TENON_ASSIGN_OR_RETURN(Literal arrayA, readNpy(a, {a, shapeA}));
  TENON_ASSIGN_OR_RETURN(Literal arrayB, readNpy(b, {b, shapeB}));
  Differences differences = compareElements(arrayA, arrayB);
  if (differences.count == 0)
    return false;
  out << name << ", " << shapeA.toString() << ": ";
  writeElements(arrayA, arrayB, differences, out);
  out << "\n";
  return true;
}

StatusOr<std::set<std::string>> arraysIn(const std::string &folder) {
  std::set<std::string> names;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator file(folder, error), end; file != end && !error; file.increment(error))
    if (llvm::sys::path::extension(file->path()) == ".npy")
      names.insert(llvm::sys::path::filename(file->path()).str());
  if (error)
    return Status(StatusCode::kUnknown, folder + ": " + error.message());
  return names;
}

} // namespace

StatusOr<bool> diffArrays(const std::string &a, const std::string &b, llvm::raw_ostream &out) {
  if (!llvm::sys::fs::is_directory(a))
    return diffFiles(llvm::sys::path::filename(a).str(), a, b, out);
  TENON_ASSIGN_OR_RETURN(auto namesA, arraysIn(a));
  TENON_ASSIGN_OR_RETURN(auto namesB, arraysIn(b));
  std::set<std::string> names = namesA;
  names.insert(namesB.begin(), namesB.end());
  if (names.empty())
    return invalidArgument("neither " + a + " nor " + b + " has .npy files");
  bool differs = false;
  for (const std::string &name : names) {
    bool inA = namesA.contains(name), inB = namesB.contains(name);
    if (inA && inB) {
      TENON_ASSIGN_OR_RETURN(bool differ, diffFiles(name, a + "/" + name, b + "/" + name, out));
      differs |= differ;
    } else {
      out << name << ": only in " << (inA ? a : b) << "\n";
      differs = true;
    }
  }
  return differs;
}

} // namespace tenon::tools
