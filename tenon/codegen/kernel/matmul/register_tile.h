// Which register tile a product has.
#pragma once

#include "tenon/codegen/kernel/matmul/problem.h"

namespace tenon::codegen::matmul {

// Accumulators in a vector.
int accumulatorLanes(const Problem &p);
// The vectors of a panel, where the rhs lies in such as a register tile reads; otherwise zero.
int panelVectors(const Problem &p, int lanes);

// Decide the plan's rows and vectors, and how many accumulators are in one.
void chooseTile(const Problem &p, MatmulPlan &plan);
void chooseAmxTile(const Problem &p, MatmulPlan &plan);

} // namespace tenon::codegen::matmul
