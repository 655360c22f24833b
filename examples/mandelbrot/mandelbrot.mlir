// The Mandelbrot set, 1024 x 768, with smooth colours.
//
//   tenon run mandelbrot.mlir --png mandelbrot.png --time
//
// A while loop squares all points at once; points that have escaped keep their value, which makes the number of
// iterations a real number: n + 1 - log2(log2 |z|). A cosine palette turns it into red, green and blue.

func.func @main() -> tensor<768x1024x3xui8> {
  // The points: x in [-2.3, 0.9], y in [-1.2, 1.2].
  %step = stablehlo.constant dense<3.125000e-03> : tensor<768x1024xf32>
  %left = stablehlo.constant dense<-2.3> : tensor<768x1024xf32>
  %top = stablehlo.constant dense<-1.2> : tensor<768x1024xf32>
  %column = stablehlo.iota dim = 1 : tensor<768x1024xf32>
  %row = stablehlo.iota dim = 0 : tensor<768x1024xf32>
  %dx = stablehlo.multiply %column, %step : tensor<768x1024xf32>
  %dy = stablehlo.multiply %row, %step : tensor<768x1024xf32>
  %cx = stablehlo.add %left, %dx : tensor<768x1024xf32>
  %cy = stablehlo.add %top, %dy : tensor<768x1024xf32>

  %zero = stablehlo.constant dense<0.0> : tensor<768x1024xf32>
  %one = stablehlo.constant dense<1.0> : tensor<768x1024xf32>
  %two = stablehlo.constant dense<2.0> : tensor<768x1024xf32>
  %bailout = stablehlo.constant dense<65536.0> : tensor<768x1024xf32>
  %first = stablehlo.constant dense<0> : tensor<i32>
  %next = stablehlo.constant dense<1> : tensor<i32>
  %limit = stablehlo.constant dense<500> : tensor<i32>

  %end:4 = stablehlo.while(%i = %first, %x = %zero, %y = %zero, %n = %zero)
      : tensor<i32>, tensor<768x1024xf32>, tensor<768x1024xf32>, tensor<768x1024xf32>
  cond {
    %more = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %xx = stablehlo.multiply %x, %x : tensor<768x1024xf32>
    %yy = stablehlo.multiply %y, %y : tensor<768x1024xf32>
    %xy = stablehlo.multiply %x, %y : tensor<768x1024xf32>
    %norm = stablehlo.add %xx, %yy : tensor<768x1024xf32>
    %inside = stablehlo.compare LT, %norm, %bailout : (tensor<768x1024xf32>, tensor<768x1024xf32>) -> tensor<768x1024xi1>
    %square = stablehlo.subtract %xx, %yy : tensor<768x1024xf32>
    %nextX = stablehlo.add %square, %cx : tensor<768x1024xf32>
    %double = stablehlo.multiply %xy, %two : tensor<768x1024xf32>
    %nextY = stablehlo.add %double, %cy : tensor<768x1024xf32>
    %keptX = stablehlo.select %inside, %nextX, %x : tensor<768x1024xi1>, tensor<768x1024xf32>
    %keptY = stablehlo.select %inside, %nextY, %y : tensor<768x1024xi1>, tensor<768x1024xf32>
    %count = stablehlo.convert %inside : (tensor<768x1024xi1>) -> tensor<768x1024xf32>
    %n1 = stablehlo.add %n, %count : tensor<768x1024xf32>
    %i1 = stablehlo.add %i, %next : tensor<i32>
    stablehlo.return %i1, %keptX, %keptY, %n1 : tensor<i32>, tensor<768x1024xf32>, tensor<768x1024xf32>, tensor<768x1024xf32>
  }

  // The smooth number of iterations. log2 |z| is half of log2 |z|^2.
  %xx = stablehlo.multiply %end#1, %end#1 : tensor<768x1024xf32>
  %yy = stablehlo.multiply %end#2, %end#2 : tensor<768x1024xf32>
  %norm = stablehlo.add %xx, %yy : tensor<768x1024xf32>
  %escaped = stablehlo.compare GE, %norm, %bailout : (tensor<768x1024xf32>, tensor<768x1024xf32>) -> tensor<768x1024xi1>
  %safe = stablehlo.maximum %norm, %bailout : tensor<768x1024xf32>
  %halfLog2e = stablehlo.constant dense<0.72134752> : tensor<768x1024xf32>
  %log2e = stablehlo.constant dense<1.44269504> : tensor<768x1024xf32>
  %log = stablehlo.log %safe : tensor<768x1024xf32>
  %log2 = stablehlo.multiply %log, %halfLog2e : tensor<768x1024xf32>
  %loglog = stablehlo.log %log2 : tensor<768x1024xf32>
  %loglog2 = stablehlo.multiply %loglog, %log2e : tensor<768x1024xf32>
  %n1 = stablehlo.add %end#3, %one : tensor<768x1024xf32>
  %smooth = stablehlo.subtract %n1, %loglog2 : tensor<768x1024xf32>

  // Colours: (1 - cos(phase + speed * log(smooth))) / 2 for each channel. Points of the set are black.
  %positive = stablehlo.maximum %smooth, %one : tensor<768x1024xf32>
  %slow = stablehlo.log %positive : tensor<768x1024xf32>
  %slow3 = stablehlo.broadcast_in_dim %slow, dims = [0, 1] : (tensor<768x1024xf32>) -> tensor<768x1024x3xf32>
  %speeds = stablehlo.constant dense<[2.2, 2.2, 2.2]> : tensor<3xf32>
  %phases = stablehlo.constant dense<[-1.5, -0.8, 0.1]> : tensor<3xf32>
  %speed = stablehlo.broadcast_in_dim %speeds, dims = [2] : (tensor<3xf32>) -> tensor<768x1024x3xf32>
  %phase = stablehlo.broadcast_in_dim %phases, dims = [2] : (tensor<3xf32>) -> tensor<768x1024x3xf32>
  %scaled = stablehlo.multiply %slow3, %speed : tensor<768x1024x3xf32>
  %angle = stablehlo.add %scaled, %phase : tensor<768x1024x3xf32>
  %cosine = stablehlo.cosine %angle : tensor<768x1024x3xf32>
  %amplitude = stablehlo.constant dense<127.5> : tensor<768x1024x3xf32>
  %swing = stablehlo.multiply %cosine, %amplitude : tensor<768x1024x3xf32>
  %bright = stablehlo.subtract %amplitude, %swing : tensor<768x1024x3xf32>
  %black = stablehlo.constant dense<0.0> : tensor<768x1024x3xf32>
  %escaped3 = stablehlo.broadcast_in_dim %escaped, dims = [0, 1] : (tensor<768x1024xi1>) -> tensor<768x1024x3xi1>
  %color = stablehlo.select %escaped3, %bright, %black : tensor<768x1024x3xi1>, tensor<768x1024x3xf32>
  %image = stablehlo.convert %color : (tensor<768x1024x3xf32>) -> tensor<768x1024x3xui8>
  return %image : tensor<768x1024x3xui8>
}
