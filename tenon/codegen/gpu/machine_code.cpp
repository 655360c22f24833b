#include "tenon/codegen/gpu/machine_code.h"

namespace tenon::codegen {

StatusOr<std::string> machineCodeOf(std::string_view ptx, std::string_view chip, const PtxAssembler &assembler,
                                    ObjectCache *cache) {
  if (!cache)
    return assembler.assemble(ptx);
  ObjectCache::Key key = ObjectCache::keyOf({"machine code", assembler.version, chip, ptx});
  if (std::optional<std::string> found = cache->find(key))
    return *std::move(found);
  TENON_ASSIGN_OR_RETURN(std::string made, assembler.assemble(ptx));
  cache->store(key, made);
  return made;
}

} // namespace tenon::codegen
