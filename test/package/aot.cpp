// Compiles scale * x + y ahead of time, by the installed library: aot FOLDER.
#include <tenon/aot.h>
#include <tenon/computation_builder.h>

#include <cstdio>

int main(int argc, char **argv) {
  xla::ComputationBuilder builder(xla::ClientLibrary::ClientLibraryOrDie(), "axpy");
  auto x = builder.Parameter(0, xla::ShapeUtil::MakeShape(xla::F32, {3}), "x");
  auto y = builder.Parameter(1, xla::ShapeUtil::MakeShape(xla::F32, {3}), "y");
  builder.Add(builder.Mul(builder.ConstantR0<float>(2), x), y);
  auto result = xla::CompileAheadOfTime(*builder.Build().ConsumeValueOrDie()).ConsumeValueOrDie();
  xla::Status status = argc == 2 ? result.WriteTo(argv[1]) : tenon::invalidArgument("which folder?");
  if (!status.ok())
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
