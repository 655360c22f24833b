// The StableHLO dialect. One record an op, by topic.
include "tenon/ops/stablehlo/base.td"
include "tenon/ops/stablehlo/collective.td"
include "tenon/ops/stablehlo/control.td"
include "tenon/ops/stablehlo/dynamic.td"
include "tenon/ops/stablehlo/elementwise.td"
include "tenon/ops/stablehlo/linear_algebra.td"
include "tenon/ops/stablehlo/reduction.td"
include "tenon/ops/stablehlo/shape.td"
