#include "tenon/runtime/emulator/happens_before.h"

namespace tenon::runtime::emulator {

uint32_t HappensBefore::releasesOf(const Accessor &who) const {
  auto found = releases_.find({who.block, who.thread});
  return found == releases_.end() ? 0 : found->second;
}

void HappensBefore::add(ThreadName thread, Moment moment, Knowledge &knowledge) {
  Moment &known = knowledge[thread];
  if (std::pair(moment.epoch, moment.releases) > std::pair(known.epoch, known.releases))
    known = moment;
}

void HappensBefore::add(const Knowledge &more, Knowledge &knowledge) {
  for (const auto &[thread, moment] : more)
    add(thread, moment, knowledge);
}

void HappensBefore::release(uintptr_t address, const Accessor &who, bool isAdded) {
  ThreadName thread{who.block, who.thread};
  Knowledge &published = released_[address];
  if (!isAdded)
    published.clear();
  add(ofBlocks_[who.block], published);
  add(ofThreads_[thread], published);
  add(thread, {who.epoch, ++releases_[thread]}, published);
}

void HappensBefore::acquire(uintptr_t address, const Accessor &who) {
  if (auto found = released_.find(address); found != released_.end())
    add(found->second, ofThreads_[{who.block, who.thread}]);
}

void HappensBefore::barrier(uint32_t block) {
  auto begin = ofThreads_.lower_bound({block, 0}), end = ofThreads_.lower_bound({block + 1, 0});
  for (auto it = begin; it != end; ++it)
    add(it->second, ofBlocks_[block]);
  ofThreads_.erase(begin, end);
}

void HappensBefore::clusterBarrier(const std::vector<BlockEpoch> &blocks) {
  Knowledge all;
  for (auto [block, epoch] : blocks) {
    barrier(block);
    add(ofBlocks_[block], all);
    add({block, 0}, {epoch, 0}, all); // of any thread, as the epoch is of the block
  }
  for (auto [block, epoch] : blocks)
    ofBlocks_[block] = all;
}

bool HappensBefore::covers(const Knowledge &knowledge, const Accessor &earlier) {
  for (auto it = knowledge.lower_bound({earlier.block, 0}); it != knowledge.end() && it->first.first == earlier.block;
       ++it) {
    const Moment &moment = it->second;
    bool isOfThread = it->first.second == earlier.thread && moment.epoch == earlier.epoch;
    if (moment.epoch > earlier.epoch || (isOfThread && moment.releases > earlier.releases))
      return true;
  }
  return false;
}

bool HappensBefore::isKnown(const Accessor &earlier, const Accessor &who) const {
  auto ofThread = ofThreads_.find({who.block, who.thread});
  auto ofBlock = ofBlocks_.find(who.block);
  return (ofThread != ofThreads_.end() && covers(ofThread->second, earlier)) ||
         (ofBlock != ofBlocks_.end() && covers(ofBlock->second, earlier));
}

} // namespace tenon::runtime::emulator
