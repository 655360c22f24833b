#include "tenon/tools/png.h"

#include <png.h>

#include <cstring>

namespace tenon::tools {

Status writePng(const std::string &path, const Literal &array) {
  const program::Shape shape = shapeOf(array);
  const std::vector<int64_t> &dims = shape.dims;
  int64_t channels = dims.size() == 2 ? 1 : dims.size() == 3 ? dims[2] : 0;
  bool isImage = shape.type == program::ElementType::kUI8 && (channels == 1 || channels == 3 || channels == 4);
  constexpr int64_t kMaxSide = 1 << 16;
  if (!isImage || dims[0] < 1 || dims[1] < 1 || dims[0] > kMaxSide || dims[1] > kMaxSide)
    return invalidArgument("cannot write " + shape.toString() +
                           " as an image: expected ui8[height,width], ui8[height,width,3] or ui8[height,width,4]");
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.height = static_cast<png_uint_32>(dims[0]);
  image.width = static_cast<png_uint_32>(dims[1]);
  image.format = channels == 1 ? PNG_FORMAT_GRAY : channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
  if (!png_image_write_to_file(&image, path.c_str(), /*convert_to_8bit=*/0, array.untyped_data(), /*row_stride=*/0,
                               /*colormap=*/nullptr))
    return {StatusCode::kUnknown, path + ": cannot write the image: " + image.message};
  return {};
}

} // namespace tenon::tools
