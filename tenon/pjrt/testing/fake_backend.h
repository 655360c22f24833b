// A backend without a compiler, to test the API with. A "module" is the name of one of a few programs, with a number:
//   add N        f32[N], f32[N] -> f32[N]
//   add-donate N the same, the first argument's memory taken over by the result
//   increment N  f32[N] -> f32[N], in place if donated
//   slow N       increment, announced as long, so that it is run asynchronously; ends when nobody holds it
//   fail N       f32[N] -> f32[N], always an error; slow-fail N: asynchronously
//   whole N      increment, not partitioned: argument cut in two with two copies of each half, result cut in four
//   columns N    f32[2,N] -> f32[2,N], increment of a column-major array, the result column-major too
//   swap N       f32[2,N] -> f32[2,N], increment of a row-major array, the result column-major
//   first N      f32[2,N] -> f32[2,<=N], increment; as many columns count as the first element says. slow-first N
//   exchange N   f32[N] -> f32[N]: sends the argument to the host on channel 1, gives what it receives on channel 2
//   wait N       f32[N] -> f32[N], when something comes from the infeed; waits for it
//   place N      -> s32[3]: device, replica and partition
#pragma once

#include "tenon/backend/backend.h"

namespace tenon::pjrt {

StatusOr<backend::Backend *> fakeBackend(std::string_view platform);

// Exported by the library. As long as more calls have said +1 than -1, programs whose names begin with "slow" do not
// end.
extern "C" void tenonFakeHold(int change);

} // namespace tenon::pjrt
