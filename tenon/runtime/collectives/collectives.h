// What compiled programs leave to the runtime of the StableHLO specification's collectives: finding one's place in the
// grid, moving arrays between processes, and reducing them, by the program's own code for the computation. Putting
// parts together is ordinary code of the program's, but for those that are gathered. Routines that take x take several
// such arrays, and give as many.
//
// The library's routines, by name. Each has its process groups in its attributes: `axes`, or lists of flattened process
// ids (StableHLO specification, "Collective ops"; groups.h), and `op`, the name of the collective, which the processes
// that meet must have in common:
//
//   replica_id, partition_id   ui32
//   group_size                 {groups}  i32: how many processes the group of this one has
//   group_place                {groups}  i32: the place of this process in its group; -1 where it is in none
//   fold_group                 {groups, sizes, block, dimension}  x: T[...] => T[...], the reduction of the x of the
//                                               group's processes in a balanced tree; with `dimension`, this process's
//                                               part along it (fold_group.h)
//   gather_group               {groups, dimension}  x: T[...] => T[n, ...], x of each process of the group, in its
//                                               order (zeros behind where a group has less than n); with `dimension`,
//                                               one behind the other along it
//   exchange_group             {groups}  x: T[n, ...] => T[n, ...], of process i of the group its x[place],
//                                               where `place` is that of this process
//   exchange_rows              {groups}  rows: T[...], result: T[...], and four lists of n: of the first
//                                               dimension of rows, first[i] and count[i] of those for process i of the
//                                               group; at[i] in its result; how many come from i, which is not needed
//                                               => result with the rows that the group's processes have for this one
//   permute                    {axes, sources, map} or {pairs}  x => x of the process that sends to this one; zeros
//                                               where none does (senders.h)
//   await                      {results}  arrays: as many results as `results` says of one of the above, and its
//                                               operands. Returns when that has ended
//
// Those that an await follows have `starts`: true (background_calls.h).
//
// The run names its Rendezvous (RunOptions::rendezvous).
#pragma once

#include "tenon/program/program.h"

namespace tenon::runtime {

// Whether a runtime call is one of those that meet other processes.
bool isCollective(const program::RuntimeCall &runtimeCall);

// The library's routines, and those that move arrays from device to device (device_moves.h).
void registerCollectives();

} // namespace tenon::runtime
