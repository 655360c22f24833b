// Loops inside of a kernel: all iterations for some elements before those for others.
#include "tenon/codegen/llvm/loop/test/check_testing.h"
#include "test/counted_loop.h"

#include "gtest/gtest.h"

using namespace tenon::codegen::testing;

namespace {

struct Text {
  std::string body, yielded, results;
};

// `trips` iterations of z = z * z + %b from %a on.
Text iterated(const std::string &type, int trips, const std::string &first = "multiply",
              const std::string &second = "add") {
  std::string t = "tensor<" + type + ">", number = "stablehlo.constant dense<", scalar = "> : tensor<i32>\n";
  std::string body = "%zero = " + number + "0" + scalar;
  body += "%r:3 = stablehlo.while(%i = %zero, %z = %a, %c = %b) : tensor<i32>, " + t + ", " + t + "\n";
  body += tenon::testing::countedTo(trips) + "%one = " + number + "1" + scalar;
  body += "%s = stablehlo." + first + " %z, %z : " + t + "\n%y = stablehlo." + second + " %s, %c : " + t + "\n";
  body +=
      "%j = stablehlo.add %i, %one : tensor<i32>\nstablehlo.return %j, %y, %c : tensor<i32>, " + t + ", " + t + "\n}";
  return {body, "%r#1", t};
}

void checkIterated(const std::string &type, const Text &text, Tolerance tolerance = {}) {
  checkFusion("loop", {type, type}, text.body, text.yielded, text.results, tolerance);
}

// Whole vectors, several side by side, and what is left of them.
TEST(LoopIteration, Shapes) {
  for (std::string shape : {"1x", "7x", "16x", "33x5x", "64x3x", "1000x", "4096x", "1x1x", "0x4x"})
    checkIterated(shape + "ui32", iterated(shape + "ui32", 5));
}

TEST(LoopIteration, Trips) {
  for (int trips : {0, 1, 2, 33})
    checkIterated("100xui32", iterated("100xui32", trips));
}

TEST(LoopIteration, ElementTypes) {
  for (std::string type : {"i8", "ui8", "i16", "i32", "i64", "ui64", "i4", "ui4", "f32", "f64"})
    checkIterated("5x37x" + type, iterated("5x37x" + type, 3), {.magnitudeUlps = 64});
  checkIterated("5x37xi1", iterated("5x37xi1", 3, "or", "xor"));
  // Steps that round nothing.
  for (std::string type : {"bf16", "f16", "f8E4M3FN", "f8E5M2"})
    checkIterated("5x37x" + type, iterated("5x37x" + type, 3, "maximum", "minimum"));
  for (std::string type : {"complex<f32>", "complex<f64>"})
    checkIterated("5x37x" + type, iterated("5x37x" + type, 3, "add", "subtract"), {.magnitudeUlps = 64});
}

// Numbers that all elements share are carried as such, and differ from iteration to iteration.
TEST(LoopIteration, Scalars) {
  checkFusion("loop", {"3x100xi32", "i32", "100xi32"}, R"(
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %row = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<100xi32>) -> tensor<3x100xi32>
      %r:5 = stablehlo.while(%i = %zero, %t = %b, %z = %a, %step = %b, %y = %row)
          : tensor<i32>, tensor<i32>, tensor<3x100xi32>, tensor<i32>, tensor<3x100xi32>
)" + tenon::testing::countedTo(6) + R"(
        %one = stablehlo.constant dense<1> : tensor<i32>
        %t1 = stablehlo.add %t, %step : tensor<i32>
        %ts = stablehlo.broadcast_in_dim %t, dims = [] : (tensor<i32>) -> tensor<3x100xi32>
        %is = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<3x100xi32>
        %x = stablehlo.multiply %ts, %is : tensor<3x100xi32>
        %z1 = stablehlo.add %z, %x : tensor<3x100xi32>
        %y1 = stablehlo.xor %y, %z1 : tensor<3x100xi32>
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %j, %t1, %z1, %step, %y1
            : tensor<i32>, tensor<i32>, tensor<3x100xi32>, tensor<i32>, tensor<3x100xi32>
      })",
              "%r#2, %r#4", "tensor<3x100xi32>, tensor<3x100xi32>");
}

// Arrays that exchange their places, a value that is the same everywhere at first, and elements of other types.
TEST(LoopIteration, Exchanges) {
  checkFusion("loop", {"77xi16", "77xi16"}, R"(
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %start = stablehlo.constant dense<0> : tensor<77xi64>
      %r:4 = stablehlo.while(%i = %zero, %x = %a, %y = %b, %count = %start)
          : tensor<i32>, tensor<77xi16>, tensor<77xi16>, tensor<77xi64>
)" + tenon::testing::countedTo(7) + R"(
        %one = stablehlo.constant dense<1> : tensor<i32>
        %s = stablehlo.add %x, %y : tensor<77xi16>
        %g = stablehlo.compare GT, %s, %x : (tensor<77xi16>, tensor<77xi16>) -> tensor<77xi1>
        %w = stablehlo.convert %g : (tensor<77xi1>) -> tensor<77xi64>
        %c1 = stablehlo.add %count, %w : tensor<77xi64>
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %j, %y, %s, %c1 : tensor<i32>, tensor<77xi16>, tensor<77xi16>, tensor<77xi64>
      })",
              "%r#3, %r#1", "tensor<77xi64>, tensor<77xi16>");
}

// Rows of %b (and one number of %c) in each iteration, forwards or backwards, and rows of results.
std::string scanned(const std::string &shape, const std::string &element, int rows, bool backwards, int dim) {
  std::string t = "tensor<" + shape + "x" + element + ">", row = "tensor<1x" + shape + "x" + element + ">";
  std::string n = std::to_string(rows), all = "tensor<" + n + "x" + shape + "x" + element + ">";
  std::string number = "stablehlo.constant dense<", scalar = "> : tensor<i32>\n", i32 = "tensor<i32>";
  std::string sizes = "1, " + shape;
  for (size_t at = sizes.find('x'); at != std::string::npos; at = sizes.find('x'))
    sizes.replace(at, 1, ", ");
  std::string starts = i32 + (dim == 0 ? ", " + i32 + ", " + i32 : ", " + i32);
  std::string body = "%zero = " + number + "0" + scalar;
  body += "%r:3 = stablehlo.while(%i = %zero, %h = %a, %ys = %b) : " + i32 + ", " + t + ", " + all + "\n";
  body += tenon::testing::countedTo(rows) + "%start = " + number + "0" + scalar;
  body += "%step = " + number + "1" + scalar + "%rows = " + number + n + scalar;
  body += "%left = stablehlo.subtract %rows, %i : tensor<i32>\n%back = stablehlo.subtract %left, %step : tensor<i32>\n";
  std::string at = backwards ? "%back" : "%i", places = at + (dim == 0 ? ", %start, %start" : ", %start");
  body += "%part = stablehlo.dynamic_slice %b, " + places + ", sizes = [" + sizes + "] : (" + all + ", " + starts +
          ") -> " + row + "\n%x = stablehlo.reshape %part : (" + row + ") -> " + t + "\n";
  body += "%one_of = stablehlo.dynamic_slice %c, %i, sizes = [1] : (tensor<" + n + "x" + element +
          ">, tensor<i32>) -> tensor<1x" + element + ">\n";
  body += "%scale = stablehlo.reshape %one_of : (tensor<1x" + element + ">) -> tensor<" + element + ">\n";
  body += "%scales = stablehlo.broadcast_in_dim %scale, dims = [] : (tensor<" + element + ">) -> " + t + "\n";
  body += "%m = stablehlo.multiply %h, %scales : " + t + "\n%h1 = stablehlo.add %m, %x : " + t + "\n";
  body += "%y = stablehlo.reshape %h1 : (" + t + ") -> " + row + "\n";
  body += "%ys1 = stablehlo.dynamic_update_slice %ys, %y, " + places + " : (" + all + ", " + row + ", " + starts +
          ") -> " + all + "\n%j = stablehlo.add %i, %step : tensor<i32>\n";
  return body + "stablehlo.return %j, %h1, %ys1 : tensor<i32>, " + t + ", " + all + "\n}";
}

void checkScanned(const std::string &shape, const std::string &element, int rows, bool backwards) {
  int dim = shape.find('x') == std::string::npos ? 1 : 0;
  std::string n = std::to_string(rows) + "x", all = n + shape + "x" + element, t = shape + "x" + element;
  std::string body = scanned(shape, element, rows, backwards, dim);
  checkFusion("loop", {t, all, n + element}, body, "%r#1, %r#2", "tensor<" + t + ">, tensor<" + all + ">",
              {.magnitudeUlps = 64});
  checkFusion("loop", {t, all, n + element}, body, "%r#2", "tensor<" + all + ">", {.magnitudeUlps = 64});
}

TEST(LoopIteration, RowsOfInputsAndResults) {
  for (std::string shape :
       {"0", "1", "7", "16", "64", "33x5", "64x3", "257", "60x7", "1000", "3000", "1x1", "1x40", "40x1"})
    for (bool backwards : {false, true})
      checkScanned(shape, "i32", 6, backwards);
  checkScanned("5000", "i32", 40, false); // several tasks
}

TEST(LoopIteration, RowsOfElementTypes) {
  for (std::string element : {"i8", "ui16", "i64", "i4", "f32", "f64", "complex<f32>"}) {
    checkScanned("3x37", element, 3, true);
    checkScanned("9x37", element, 3, true);
  }
}

// Values of several types and NaNs that are carried in memory, arrays that exchange their places, and one that stays.
TEST(LoopIteration, RowsOfSeveralTypes) {
  checkFusion("loop", {"40x2100xf32", "2100xi64", "2100xf32"}, R"(
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %no = stablehlo.constant dense<false> : tensor<2100xi1>
      %nothing = stablehlo.constant dense<0.0> : tensor<2100xf32>
      %ps0 = stablehlo.constant dense<false> : tensor<40x2100xi1>
      %r:7 = stablehlo.while(%i = %zero, %count = %b, %odd = %no, %x = %c, %y = %nothing, %ps = %ps0, %kept = %c)
          : tensor<i32>, tensor<2100xi64>, tensor<2100xi1>, tensor<2100xf32>, tensor<2100xf32>, tensor<40x2100xi1>, tensor<2100xf32>
)" + tenon::testing::countedTo(40) + R"(
        %start = stablehlo.constant dense<0> : tensor<i32>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %row = stablehlo.dynamic_slice %a, %i, %start, sizes = [1, 2100]
            : (tensor<40x2100xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2100xf32>
        %v = stablehlo.reshape %row : (tensor<1x2100xf32>) -> tensor<2100xf32>
        %larger = stablehlo.maximum %v, %x : tensor<2100xf32>
        %root = stablehlo.sqrt %larger : tensor<2100xf32>
        %p = stablehlo.compare NE, %root, %root : (tensor<2100xf32>, tensor<2100xf32>) -> tensor<2100xi1>
        %w = stablehlo.convert %p : (tensor<2100xi1>) -> tensor<2100xi64>
        %count1 = stablehlo.add %count, %w : tensor<2100xi64>
        %odd1 = stablehlo.xor %odd, %p : tensor<2100xi1>
        %known = stablehlo.select %odd1, %kept, %root : tensor<2100xi1>, tensor<2100xf32>
        %part = stablehlo.reshape %p : (tensor<2100xi1>) -> tensor<1x2100xi1>
        %ps1 = stablehlo.dynamic_update_slice %ps, %part, %i, %start
            : (tensor<40x2100xi1>, tensor<1x2100xi1>, tensor<i32>, tensor<i32>) -> tensor<40x2100xi1>
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %j, %count1, %odd1, %y, %known, %ps1, %kept
            : tensor<i32>, tensor<2100xi64>, tensor<2100xi1>, tensor<2100xf32>, tensor<2100xf32>, tensor<40x2100xi1>, tensor<2100xf32>
      })",
              "%r#1, %r#2, %r#3, %r#4, %r#5",
              "tensor<2100xi64>, tensor<2100xi1>, tensor<2100xf32>, tensor<2100xf32>, tensor<40x2100xi1>",
              {.magnitudeUlps = 64});
}

// Parts that lie apart, an array that is read at two places in each iteration, and one that is written but not carried.
TEST(LoopIteration, ColumnsAndNeighbours) {
  checkFusion("loop", {"20x9xi32"}, R"(
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %ys0 = stablehlo.constant dense<0> : tensor<20x8xi32>
      %r:2 = stablehlo.while(%i = %zero, %ys = %ys0) : tensor<i32>, tensor<20x8xi32>
)" + tenon::testing::countedTo(8) + R"(
        %start = stablehlo.constant dense<0> : tensor<i32>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %one : tensor<i32>
        %x = stablehlo.dynamic_slice %a, %start, %i, sizes = [20, 1]
            : (tensor<20x9xi32>, tensor<i32>, tensor<i32>) -> tensor<20x1xi32>
        %y = stablehlo.dynamic_slice %a, %start, %j, sizes = [20, 1]
            : (tensor<20x9xi32>, tensor<i32>, tensor<i32>) -> tensor<20x1xi32>
        %d = stablehlo.subtract %y, %x : tensor<20x1xi32>
        %ys1 = stablehlo.dynamic_update_slice %ys, %d, %start, %i
            : (tensor<20x8xi32>, tensor<20x1xi32>, tensor<i32>, tensor<i32>) -> tensor<20x8xi32>
        stablehlo.return %j, %ys1 : tensor<i32>, tensor<20x8xi32>
      })",
              "%r#1", "tensor<20x8xi32>");
}

} // namespace
