// alpha * x + y, by the installed library.
#include <tenon/computation_builder.h>

#include <cstdio>

int main() {
  xla::Client *client = xla::ClientLibrary::ClientLibraryOrDie();
  xla::ComputationBuilder builder(client, "axpy");
  auto x = builder.Parameter(0, xla::ShapeUtil::MakeShape(xla::F32, {3}), "x");
  auto y = builder.Parameter(1, xla::ShapeUtil::MakeShape(xla::F32, {3}), "y");
  builder.Add(builder.Mul(builder.ConstantR0<float>(2), x), y);
  auto computation = builder.Build().ConsumeValueOrDie();
  auto xData = client->TransferToServer(xla::LiteralUtil::CreateR1<float>({1, 2, 3})).ConsumeValueOrDie();
  auto yData = client->TransferToServer(xla::LiteralUtil::CreateR1<float>({10, 20, 30})).ConsumeValueOrDie();
  auto result = client->ExecuteAndTransfer(*computation, {xData.get(), yData.get()}).ConsumeValueOrDie();
  std::printf("%s\n", result->ToString().c_str());
  return *result == xla::LiteralUtil::CreateR1<float>({12, 24, 36}) ? 0 : 1;
}
