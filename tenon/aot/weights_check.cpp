#include "tenon/aot/weights_check.h"

#include "tenon/aot/text.h"

namespace tenon::aot {
namespace {

// XXH64 with the seed 0: four lanes over stripes of 32 bytes, and what is left by words, half a word and bytes. The
// numbers are the algorithm's primes, their sums and opposites.
constexpr const char *kDigest = R"(
declare i64 @llvm.fshl.i64(i64, i64, i64)
define internal i64 @lane(i64 %lane, i64 %input) {
  %product = mul i64 %input, 14029467366897019727
  %sum = add i64 %lane, %product
  %turned = call i64 @llvm.fshl.i64(i64 %sum, i64 %sum, i64 31)
  %result = mul i64 %turned, 11400714785074694791
  ret i64 %result
}
define internal i64 @join(i64 %digest, i64 %lane) {
  %mixed = call i64 @lane(i64 0, i64 %lane)
  %both = xor i64 %digest, %mixed
  %product = mul i64 %both, 11400714785074694791
  %result = add i64 %product, 9650029242287828579
  ret i64 %result
}
define i64 @tenon_weights_digest(ptr %data, i64 %bytes) {
start:
  %stripes = and i64 %bytes, -32
  %isLong = icmp uge i64 %bytes, 32
  br i1 %isLong, label %stripe, label %rest
stripe:
  %at = phi i64 [ 0, %start ], [ %at.next, %stripe ]
  %a = phi i64 [ 6983438078262162902, %start ], [ %a.next, %stripe ]
  %b = phi i64 [ 14029467366897019727, %start ], [ %b.next, %stripe ]
  %c = phi i64 [ 0, %start ], [ %c.next, %stripe ]
  %d = phi i64 [ 7046029288634856825, %start ], [ %d.next, %stripe ]
  %a.at = getelementptr i8, ptr %data, i64 %at
  %b.at = getelementptr i8, ptr %a.at, i64 8
  %c.at = getelementptr i8, ptr %a.at, i64 16
  %d.at = getelementptr i8, ptr %a.at, i64 24
  %a.in = load i64, ptr %a.at, align 8
  %b.in = load i64, ptr %b.at, align 8
  %c.in = load i64, ptr %c.at, align 8
  %d.in = load i64, ptr %d.at, align 8
  %a.next = call i64 @lane(i64 %a, i64 %a.in)
  %b.next = call i64 @lane(i64 %b, i64 %b.in)
  %c.next = call i64 @lane(i64 %c, i64 %c.in)
  %d.next = call i64 @lane(i64 %d, i64 %d.in)
  %at.next = add i64 %at, 32
  %more = icmp ult i64 %at.next, %stripes
  br i1 %more, label %stripe, label %lanes
lanes:
  %a.turned = call i64 @llvm.fshl.i64(i64 %a.next, i64 %a.next, i64 1)
  %b.turned = call i64 @llvm.fshl.i64(i64 %b.next, i64 %b.next, i64 7)
  %c.turned = call i64 @llvm.fshl.i64(i64 %c.next, i64 %c.next, i64 12)
  %d.turned = call i64 @llvm.fshl.i64(i64 %d.next, i64 %d.next, i64 18)
  %ab = add i64 %a.turned, %b.turned
  %abc = add i64 %ab, %c.turned
  %abcd = add i64 %abc, %d.turned
  %with.a = call i64 @join(i64 %abcd, i64 %a.next)
  %with.b = call i64 @join(i64 %with.a, i64 %b.next)
  %with.c = call i64 @join(i64 %with.b, i64 %c.next)
  %with.d = call i64 @join(i64 %with.c, i64 %d.next)
  br label %rest
rest:
  %main = phi i64 [ 2870177450012600261, %start ], [ %with.d, %lanes ]
  %sized = add i64 %main, %bytes
  br label %words
words:
  %w = phi i64 [ %stripes, %rest ], [ %w.next, %word ]
  %hw = phi i64 [ %sized, %rest ], [ %hw.next, %word ]
  %w.next = add i64 %w, 8
  %isWord = icmp ule i64 %w.next, %bytes
  br i1 %isWord, label %word, label %half
word:
  %word.at = getelementptr i8, ptr %data, i64 %w
  %word.in = load i64, ptr %word.at, align 8
  %word.mixed = call i64 @lane(i64 0, i64 %word.in)
  %word.both = xor i64 %hw, %word.mixed
  %word.turned = call i64 @llvm.fshl.i64(i64 %word.both, i64 %word.both, i64 27)
  %word.product = mul i64 %word.turned, 11400714785074694791
  %hw.next = add i64 %word.product, 9650029242287828579
  br label %words
half:
  %half.end = add i64 %w, 4
  %isHalf = icmp ule i64 %half.end, %bytes
  br i1 %isHalf, label %four, label %tail
four:
  %four.at = getelementptr i8, ptr %data, i64 %w
  %four.in = load i32, ptr %four.at, align 4
  %four.wide = zext i32 %four.in to i64
  %four.mixed = mul i64 %four.wide, 11400714785074694791
  %four.both = xor i64 %hw, %four.mixed
  %four.turned = call i64 @llvm.fshl.i64(i64 %four.both, i64 %four.both, i64 23)
  %four.product = mul i64 %four.turned, 14029467366897019727
  %h4 = add i64 %four.product, 1609587929392839161
  br label %tail
tail:
  %t.first = phi i64 [ %w, %half ], [ %half.end, %four ]
  %ht.first = phi i64 [ %hw, %half ], [ %h4, %four ]
  br label %single
single:
  %t = phi i64 [ %t.first, %tail ], [ %t.next, %byte ]
  %ht = phi i64 [ %ht.first, %tail ], [ %ht.next, %byte ]
  %isByte = icmp ult i64 %t, %bytes
  br i1 %isByte, label %byte, label %finish
byte:
  %byte.at = getelementptr i8, ptr %data, i64 %t
  %byte.in = load i8, ptr %byte.at
  %byte.wide = zext i8 %byte.in to i64
  %byte.mixed = mul i64 %byte.wide, 2870177450012600261
  %byte.both = xor i64 %ht, %byte.mixed
  %byte.turned = call i64 @llvm.fshl.i64(i64 %byte.both, i64 %byte.both, i64 11)
  %ht.next = mul i64 %byte.turned, 11400714785074694791
  %t.next = add i64 %t, 1
  br label %single
finish:
  %high = lshr i64 %ht, 33
  %first = xor i64 %ht, %high
  %second = mul i64 %first, 14029467366897019727
  %middle = lshr i64 %second, 29
  %third = xor i64 %second, %middle
  %fourth = mul i64 %third, 1609587929392839161
  %low = lshr i64 %fourth, 32
  %result = xor i64 %fourth, %low
  ret i64 %result
}
)";

constexpr const char *kCheck = R"(
declare i64 @tenon_weights_digest(ptr, i64)
define ptr @$NAME_check_weights(ptr %weights, $SIZE %size) {
  $WIDEN
  %address = ptrtoint ptr %weights to i64
  %low = and i64 %address, 63
  %misaligned = icmp ne i64 %low, 0
  %missing = icmp eq ptr %weights, null
  %unusable = or i1 %misaligned, %missing
  br i1 %unusable, label %bad.address, label %there
bad.address:
  ret ptr @weights.address
there:
  %isEmpty = icmp ult i64 %bytes, 9
  br i1 %isEmpty, label %bad.kind, label %named
named:
  %sign.at = getelementptr i8, ptr %weights, i64 $SIGN_AT
  %sign = load i8, ptr %sign.at
  %isKind = icmp eq i8 %sign, $SIGN
  br i1 %isKind, label %of.kind, label %bad.kind
bad.kind:
  ret ptr @weights.kind
of.kind:
  %isCut = icmp ult i64 %bytes, $HEAD
  br i1 %isCut, label %too.short, label %whole.head
whole.head:
  %difference = call i32 @memcmp(ptr %weights, ptr @weights.header, $SIZE $HEAD)
  %isOther = icmp ne i32 %difference, 0
  br i1 %isOther, label %other, label %same.head
other:
  ret ptr @weights.other
same.head:
  %isShort = icmp ult i64 %bytes, $ALL
  br i1 %isShort, label %too.short, label %not.short
too.short:
  ret ptr @weights.short
not.short:
  %isLong = icmp ugt i64 %bytes, $ALL
  br i1 %isLong, label %too.long, label %of.size
too.long:
  ret ptr @weights.long
of.size:
  %digest = call i64 @tenon_weights_digest(ptr %weights, i64 $ALL)
  %isRight = icmp eq i64 %digest, $DIGEST
  %result = select i1 %isRight, ptr null, ptr @weights.damaged
  ret ptr %result
}
)";

std::string constantText(const std::string &name, const std::string &text) {
  return "@" + name + " = private constant [" + std::to_string(text.size() + 1) + " x i8] c\"" + escaped(text) +
         "\\00\"\n";
}

} // namespace

std::string weightsCheckText(const std::string &name, const WeightsFacts &facts, bool is32Bit) {
  const std::string all = std::to_string(facts.bytes), &file = facts.fileName;
  std::string text =
      constantText("weights.address", "the weights are not there, or not at a multiple of 64") +
      constantText("weights.kind",
                   facts.isSafetensors ? "this is no safetensors file" : "these are no weights of Tenon's") +
      constantText("weights.other", "these are not the weights that the model was compiled with, " + file) +
      constantText("weights.short", "the weights are truncated: " + file + " has " + all + " bytes") +
      constantText("weights.long", "there are more bytes than the " + all + " of " + file) +
      constantText("weights.damaged",
                   "the weights are damaged, or another version of " + file + ": their digest differs");
  // Safetensors begin with a length and JSON, our own weights with TENONWTS.
  text += fillIn(kCheck, {{"$NAME", name},
                          {"$SIZE", is32Bit ? "i32" : "i64"},
                          {"$WIDEN", is32Bit ? "%bytes = zext i32 %size to i64" : "%bytes = add i64 %size, 0"},
                          {"$SIGN_AT", facts.isSafetensors ? "8" : "0"},
                          {"$SIGN", std::to_string(int(facts.isSafetensors ? '{' : 'T'))},
                          {"$HEAD", std::to_string(facts.head.size())},
                          {"$ALL", all},
                          {"$DIGEST", std::to_string(facts.check)}});
  return text;
}

const char *weightsDigestText() { return kDigest; }

} // namespace tenon::aot
