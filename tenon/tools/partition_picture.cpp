// The picture of how arrays lie on a mesh: a card for each, with the array on the left, in tiles, and the devices on
// the right, each in the colour of the tile that it has. Along the last dimension that is cut a tile's hue changes,
// along those before its brightness.
#include "tenon/codegen/common/location.h"
#include "tenon/tools/partition_output.h"
#include "tenon/tools/report.h"
#include "tenon/tools/svg.h"

#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tenon::tools {
namespace {

using passes::PlacedValue;

constexpr double kWidth = 1080, kMargin = 16, kGap = 12, kTop = 64;
constexpr int kColumns = 3;
constexpr double kCardWidth = (kWidth - 2 * kMargin - (kColumns - 1) * kGap) / kColumns, kCardHeight = 204;
constexpr double kBoxWidth = 132, kBoxHeight = 92; // of an array and of a mesh
constexpr size_t kMostCards = 96;
constexpr int64_t kMostDevices = 4096; // larger meshes are not drawn
constexpr int64_t kMostTiles = 16;     // along a direction; of more, neighbours are drawn as one
constexpr double kFine = 4;            // what is smaller has no border

// How an array is drawn: dimensions downwards and to the right, and in how many tiles.
struct Tiling {
  llvm::SmallVector<size_t, 4> down, right;
  int64_t rows = 1, columns = 1;
  int64_t drawnRows = 1, drawnColumns = 1; // at most kMostTiles

  bool isDrawnWhole() const { return rows == drawnRows && columns == drawnColumns; }
};

// The last of the dimensions that are cut goes to the right. If there is only one, the largest other keeps it company.
Tiling tilingOf(const PlacedValue &value) {
  llvm::SmallVector<size_t, 4> drawn, others;
  for (size_t dimension = 0; dimension < value.cuts.size(); ++dimension)
    (value.cuts[dimension].empty() ? others : drawn).push_back(dimension);
  auto size = [&](size_t dimension) { return value.type.getDimSize(static_cast<unsigned>(dimension)); };
  llvm::sort(others, [&](size_t a, size_t b) { return std::make_pair(-size(a), a) < std::make_pair(-size(b), b); });
  while (drawn.size() < 2 && !others.empty()) {
    drawn.push_back(others.front());
    others.erase(others.begin());
  }
  llvm::sort(drawn);
  Tiling tiling;
  if (!drawn.empty())
    tiling.right.push_back(drawn.pop_back_val());
  tiling.down = drawn;
  for (size_t dimension : tiling.right)
    tiling.columns *= ir::partsOf(value.cuts[dimension]);
  for (size_t dimension : tiling.down)
    tiling.rows *= ir::partsOf(value.cuts[dimension]);
  tiling.drawnRows = std::min(tiling.rows, kMostTiles);
  tiling.drawnColumns = std::min(tiling.columns, kMostTiles);
  return tiling;
}

int64_t tileAlong(const PlacedValue &value, llvm::ArrayRef<size_t> dimensions, int64_t place) {
  int64_t tile = 0;
  for (size_t dimension : dimensions)
    for (const ir::Atom &axis : value.cuts[dimension])
      tile = tile * axis.size + ir::digitOf(value.mesh, axis, place);
  return tile;
}

// By the number of rows and columns that are drawn.
using Tile = std::pair<int64_t, int64_t>;

Tile tileOf(const PlacedValue &value, const Tiling &tiling, int64_t place) {
  return {tileAlong(value, tiling.down, place) * tiling.drawnRows / tiling.rows,
          tileAlong(value, tiling.right, place) * tiling.drawnColumns / tiling.columns};
}

std::string colorOf(const Tiling &tiling, const Tile &tile, bool isFine) {
  if (tiling.rows * tiling.columns == 1)
    return "class=\"same\"";
  auto [row, column] = tile;
  bool isRow = tiling.columns == 1;
  double hue = double(isRow ? row : column) / double(isRow ? tiling.drawnRows : tiling.drawnColumns);
  double light = isRow || tiling.rows == 1 ? 0 : double(row) / double(tiling.drawnRows - 1);
  return llvm::formatv("class=\"{3}\" fill=\"hsl({0:f0},{1:f0}%,{2:f0}%)\"", 212 + 330 * hue, 62 - 8 * light,
                       66 + 18 * (light - 0.5), isFine ? "fine" : "tile");
}

// Short enough for a line of so many letters.
std::string shortened(llvm::StringRef text, size_t letters) {
  return text.size() <= letters ? text.str() : (text.take_front(letters - 3) + "...").str();
}

std::string listed(llvm::ArrayRef<int64_t> devices) {
  constexpr size_t kMost = 32;
  std::string text;
  for (int64_t device : devices.take_front(kMost))
    text += (text.empty() ? "" : " ") + std::to_string(device);
  return devices.size() > kMost ? text + " ... (" + std::to_string(devices.size()) + ")" : text;
}

// Those that are drawn, in the report's order: arguments and results first of all, then the largest.
std::vector<const PlacedValue *> drawnValues(const passes::PartitionReport &report) {
  std::vector<const PlacedValue *> values;
  for (const PlacedValue &value : report.values)
    values.push_back(&value);
  auto isInner = [](const PlacedValue *value) { return llvm::StringRef(value->name).contains('.'); };
  if (values.size() > kMostCards) {
    llvm::sort(values, [&](const PlacedValue *a, const PlacedValue *b) {
      return std::make_tuple(isInner(a), -a->bytes, a) < std::make_tuple(isInner(b), -b->bytes, b);
    });
    values.resize(kMostCards);
    llvm::sort(values); // they are in one array
  }
  return values;
}

struct Box {
  double x, y, width, height;
};

// As large as fits into width x height, and centred there; not too narrow.
Box boxFor(double x, double y, double across, double along) {
  double ratio = std::clamp(across / std::max(along, 1.0), 0.3, 4.0);
  double width = std::min(kBoxWidth, kBoxHeight * ratio), height = std::min(kBoxHeight, kBoxWidth / ratio);
  return {x + (kBoxWidth - width) / 2, y + (kBoxHeight - height) / 2, width, height};
}

class Picture {
public:
  explicit Picture(const passes::PartitionReport &report) : report_(report), out_(text_) {}

  std::string draw() {
    std::vector<const PlacedValue *> values = drawnValues(report_);
    size_t cards = values.size(), rows = (cards + kColumns - 1) / kColumns;
    double height = kTop + double(rows) * (kCardHeight + kGap) + kMargin;
    out_ << llvm::formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" viewBox=\"0 0 {0} {1:f0}\" "
                          "width=\"{0}\" height=\"{1:f0}\">\n<style>{2}</style>\n",
                          kWidth, height, kPictureStyle);
    out_ << llvm::formatv("<rect class=\"paper\" width=\"{0}\" height=\"{1:f0}\"/>\n", kWidth, height);
    drawTitle(cards);
    for (size_t i = 0; i < cards; ++i) {
      size_t row = i / kColumns, column = i % kColumns;
      drawCard(*values[i], kMargin + double(column) * (kCardWidth + kGap), kTop + double(row) * (kCardHeight + kGap));
    }
    out_ << "</svg>\n";
    return text_;
  }

private:
  void write(double x, double y, llvm::StringRef what, llvm::StringRef attributes = "") {
    out_ << llvm::formatv("<text x=\"{0:f1}\" y=\"{1:f1}\"{2}>{3}</text>\n", x, y, attributes, escapedXml(what));
  }

  // What stands beside a box, upwards.
  void writeUpwards(double x, double y, llvm::StringRef what) {
    out_ << llvm::formatv("<text transform=\"translate({0:f1} {1:f1}) rotate(-90)\" class=\"soft\" "
                          "text-anchor=\"middle\">{2}</text>\n",
                          x, y, escapedXml(what));
  }

  void drawTitle(size_t cards) {
    write(kMargin, 28, report_.program + " on " + std::to_string(report_.devices) + " devices", " class=\"title\"");
    std::string about = "Left an array in tiles, right the devices, each in the colour of the tile that it has. Grey: "
                        "all of them have the whole array.";
    if (!report_.reason.empty())
      about = "It is not cut: " + report_.reason + ".";
    else if (cards < report_.values.size())
      about += " " + std::to_string(report_.values.size() - cards) + " more arrays are in the report.";
    write(kMargin, 48, about, " class=\"soft\"");
  }

  static std::string nameOf(const PlacedValue &value) {
    std::string place = codegen::locationName(value.location);
    if (llvm::StringRef(value.name).starts_with("argument"))
      return value.name + (place.empty() ? "" : " (" + place + ")");
    return llvm::StringRef(value.name).substr(llvm::StringRef(value.name).find('.') + 1).str();
  }

  static std::string typeOf(const PlacedValue &value) {
    std::string text = mlir::debugString(value.type);
    return llvm::StringRef(text).drop_front(llvm::StringRef("tensor<").size()).drop_back().str();
  }

  static std::string axesText(const PlacedValue &value, llvm::ArrayRef<ir::Atom> axes) {
    std::string text;
    for (const ir::Atom &axis : axes)
      text += (text.empty() ? "" : ", ") + passes::axisText(value.mesh, axis);
    return text;
  }

  // Their sizes, and the axes that cut them: "512 / model".
  static std::string dimensionsText(const PlacedValue &value, llvm::ArrayRef<size_t> dimensions) {
    std::string text;
    for (size_t dimension : dimensions) {
      text += (text.empty() ? "" : " × ") + std::to_string(value.type.getDimSize(static_cast<unsigned>(dimension)));
      if (!value.cuts[dimension].empty())
        text += " / " + axesText(value, value.cuts[dimension]);
    }
    return text;
  }

  // Each tile, and the devices that have it.
  using Places = std::map<Tile, std::vector<int64_t>>;

  void drawCard(const PlacedValue &value, double x, double y) {
    out_ << llvm::formatv(
        "<g><rect class=\"card\" x=\"{0:f1}\" y=\"{1:f1}\" width=\"{2:f1}\" height=\"{3}\" rx=\"8\"/>\n", x, y,
        kCardWidth, kCardHeight);
    out_ << "<title>" << escapedXml(nameOf(value) + ": " + typeOf(value) + ", " + value.sharding) << "</title>\n";
    std::string type = shortened(typeOf(value), 24);
    write(x + 12, y + 22, shortened(nameOf(value), 44 - type.size()), " class=\"name\"");
    write(x + kCardWidth - 12, y + 22, type, " class=\"soft\" text-anchor=\"end\"");
    Places places;
    Tiling tiling = tilingOf(value);
    int64_t count = value.mesh.size();
    for (int64_t place = 0; place < std::min(count, kMostDevices); ++place)
      places[tileOf(value, tiling, place)].push_back(place);
    drawArray(value, tiling, places, x + 26, y + 52);
    if (count <= kMostDevices)
      drawMesh(value, tiling, places, x + kCardWidth - 12 - kBoxWidth, y + 52);
    else
      write(x + kCardWidth - 12, y + 100, std::to_string(count) + " devices", " class=\"soft\" text-anchor=\"end\"");
    std::string facts = humanBytes(double(value.bytes)) + ", " + humanBytes(double(value.localBytes)) + " on a device";
    if (!value.unreduced.empty())
      facts += "; summands along " + axesText(value, value.unreduced);
    write(x + 12, y + kCardHeight - 28, shortened(facts, 56));
    write(x + 12, y + kCardHeight - 11, shortened(llvm::sys::path::filename(codegen::locationText(value.location)), 56),
          " class=\"soft\"");
    out_ << "</g>\n";
  }

  void drawArray(const PlacedValue &value, const Tiling &tiling, const Places &places, double x, double y) {
    auto product = [&](llvm::ArrayRef<size_t> dimensions) {
      double size = 1;
      for (size_t dimension : dimensions)
        size *= double(value.type.getDimSize(static_cast<unsigned>(dimension)));
      return size;
    };
    Box box = boxFor(x, y, product(tiling.right), product(tiling.down));
    double width = box.width / double(tiling.drawnColumns), height = box.height / double(tiling.drawnRows);
    for (int64_t row = 0; row < tiling.drawnRows; ++row)
      for (int64_t column = 0; column < tiling.drawnColumns; ++column) {
        Tile tile = {row, column};
        out_ << llvm::formatv("<rect {0} x=\"{1:f2}\" y=\"{2:f2}\" width=\"{3:f2}\" height=\"{4:f2}\">",
                              colorOf(tiling, tile, std::min(width, height) < kFine), box.x + width * double(column),
                              box.y + height * double(row), width, height);
        if (auto found = places.find(tile); found != places.end() && tiling.isDrawnWhole()) {
          llvm::SmallVector<int64_t> devices;
          for (int64_t place : found->second)
            devices.push_back(value.mesh.device(place));
          out_ << "<title>on device " << listed(devices) << "</title>";
        }
        out_ << "</rect>\n";
      }
    write(x + kBoxWidth / 2, y - 8, shortened(dimensionsText(value, tiling.right), 24),
          " class=\"soft\" text-anchor=\"middle\"");
    if (!tiling.down.empty())
      writeUpwards(x - 8, y + kBoxHeight / 2, shortened(dimensionsText(value, tiling.down), 20));
  }

  // The last axis goes to the right, the others downwards; a long one by itself is broken into lines.
  void drawMesh(const PlacedValue &value, const Tiling &tiling, const Places &places, double x, double y) {
    const ir::Mesh &mesh = value.mesh;
    int64_t count = mesh.size(), columns = mesh.axes.empty() ? 1 : mesh.axes.back().size;
    if (columns == count)
      while (columns > 16 && columns % 2 == 0 && columns > 2 * (count / columns))
        columns /= 2;
    int64_t rows = (count + columns - 1) / columns;
    Box box = boxFor(x, y, double(columns), double(rows));
    double width = box.width / double(columns), height = box.height / double(rows);
    auto cellOf = [&](int64_t place) {
      int64_t row = place / columns, column = place % columns;
      return Box{box.x + width * double(column), box.y + height * double(row), width, height};
    };
    bool isFine = std::min(width, height) < kFine;
    for (const auto &[tile, having] : places) {
      out_ << "<path " << colorOf(tiling, tile, isFine) << " d=\"";
      for (size_t i = 0; i < having.size();) {
        // Cells without a border between them are one.
        size_t end = i + 1;
        while (isFine && end < having.size() && having[end] == having[end - 1] + 1 && having[end] % columns != 0)
          ++end;
        Box cell = cellOf(having[i]);
        out_ << llvm::formatv("M{0:f2} {1:f2}h{2:f2}v{3:f2}h-{2:f2}z", cell.x, cell.y, width * double(end - i), height);
        i = end;
      }
      out_ << "\"/>\n";
    }
    if (width >= 16 && height >= 12)
      for (int64_t place = 0; place < count; ++place)
        write(cellOf(place).x + width / 2, cellOf(place).y + height / 2 + 3.5, std::to_string(mesh.device(place)),
              " class=\"device\"");
    auto axisName = [](const ir::Mesh::Axis &axis) { return axis.name + " " + std::to_string(axis.size); };
    if (mesh.axes.empty())
      return;
    write(x + kBoxWidth / 2, y - 8, shortened(axisName(mesh.axes.back()), 24),
          " class=\"soft\" text-anchor=\"middle\"");
    std::string others;
    for (const ir::Mesh::Axis &axis : llvm::ArrayRef(mesh.axes).drop_back())
      others += (others.empty() ? "" : " × ") + axisName(axis);
    if (!others.empty())
      writeUpwards(x - 8, y + kBoxHeight / 2, shortened(others, 20));
  }

  const passes::PartitionReport &report_;
  std::string text_;
  llvm::raw_string_ostream out_;
};

} // namespace

std::string partitionPicture(const passes::PartitionReport &report) { return Picture(report).draw(); }

} // namespace tenon::tools
