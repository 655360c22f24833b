// Written by generate_random.py with XLA's CPU backend. Do not edit.

func.func @three_fry_0_scalar_ui8() -> (tensor<2xui64>, tensor<ui8>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui8>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<ui8>
}
// EXPECT: dense<[1, 3]> : tensor<2xui64>
// EXPECT: dense<84> : tensor<ui8>

func.func @three_fry_0_scalar_ui16() -> (tensor<2xui64>, tensor<ui16>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui16>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<ui16>
}
// EXPECT: dense<[1, 3]> : tensor<2xui64>
// EXPECT: dense<59732> : tensor<ui16>

func.func @three_fry_0_scalar_ui32() -> (tensor<2xui64>, tensor<ui32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<ui32>
}
// EXPECT: dense<[1, 3]> : tensor<2xui64>
// EXPECT: dense<43444564> : tensor<ui32>

func.func @three_fry_0_scalar_ui64() -> (tensor<2xui64>, tensor<ui64>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<ui64>
}
// EXPECT: dense<[1, 3]> : tensor<2xui64>
// EXPECT: dense<9236835810183407956> : tensor<ui64>

func.func @three_fry_0_scalar_i32() -> (tensor<2xui64>, tensor<i32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<i32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<i32>
}
// EXPECT: dense<[1, 3]> : tensor<2xui64>
// EXPECT: dense<43444564> : tensor<i32>

func.func @three_fry_0_5_ui8() -> (tensor<2xui64>, tensor<5xui8>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui8>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<5xui8>
}
// EXPECT: dense<[1, 5]> : tensor<2xui64>
// EXPECT: dense<[84, 59, 211, 3, 211]> : tensor<5xui8>

func.func @three_fry_0_5_ui16() -> (tensor<2xui64>, tensor<5xui16>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui16>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<5xui16>
}
// EXPECT: dense<[1, 5]> : tensor<2xui64>
// EXPECT: dense<[59732, 54587, 37587, 20483, 3027]> : tensor<5xui16>

func.func @three_fry_0_5_ui32() -> (tensor<2xui64>, tensor<5xui32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<5xui32>
}
// EXPECT: dense<[1, 5]> : tensor<2xui64>
// EXPECT: dense<[43444564, 2150618427, 3979645651, 3745730563, 1672743891]> : tensor<5xui32>

func.func @three_fry_0_5_ui64() -> (tensor<2xui64>, tensor<5xui64>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui64>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<5xui64>
}
// EXPECT: dense<[1, 7]> : tensor<2xui64>
// EXPECT: dense<[9236835810183407956, 16087790271692313299, 18212823393184779219, 2658481902456610144, 16424712389986402477]> : tensor<5xui64>

func.func @three_fry_0_5_i32() -> (tensor<2xui64>, tensor<5xi32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xi32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<5xi32>
}
// EXPECT: dense<[1, 5]> : tensor<2xui64>
// EXPECT: dense<[43444564, 2150618427, 3979645651, 3745730563, 1672743891]> : tensor<5xi32>

func.func @three_fry_0_2x3_ui8() -> (tensor<2xui64>, tensor<2x3xui8>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui8>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<2x3xui8>
}
// EXPECT: dense<[1, 5]> : tensor<2xui64>
// EXPECT: dense<[[84, 211, 211], [59, 3, 97]]> : tensor<2x3xui8>

func.func @three_fry_0_2x3_ui16() -> (tensor<2xui64>, tensor<2x3xui16>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui16>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<2x3xui16>
}
// EXPECT: dense<[1, 5]> : tensor<2xui64>
// EXPECT: dense<[[59732, 37587, 3027], [54587, 20483, 62049]]> : tensor<2x3xui16>

func.func @three_fry_0_2x3_ui32() -> (tensor<2xui64>, tensor<2x3xui32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<2x3xui32>
}
// EXPECT: dense<[1, 5]> : tensor<2xui64>
// EXPECT: dense<[[43444564, 3979645651, 1672743891], [2150618427, 3745730563, 4240503393]]> : tensor<2x3xui32>

func.func @three_fry_0_2x3_ui64() -> (tensor<2xui64>, tensor<2x3xui64>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui64>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<2x3xui64>
}
// EXPECT: dense<[1, 8]> : tensor<2xui64>
// EXPECT: dense<[[9236835810183407956, 16087790271692313299, 18212823393184779219], [2658481902456610144, 16424712389986402477, 16122702161355102743]]> : tensor<2x3xui64>

func.func @three_fry_0_2x3_i32() -> (tensor<2xui64>, tensor<2x3xi32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xi32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<2x3xi32>
}
// EXPECT: dense<[1, 5]> : tensor<2xui64>
// EXPECT: dense<[[43444564, 3979645651, 1672743891], [2150618427, 3745730563, 4240503393]]> : tensor<2x3xi32>

func.func @three_fry_0_3x5_ui8() -> (tensor<2xui64>, tensor<3x5xui8>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui8>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x5xui8>
}
// EXPECT: dense<[1, 11]> : tensor<2xui64>
// EXPECT: dense<[[84, 59, 211, 3, 211], [96, 52, 173, 229, 23], [208, 130, 101, 78, 242]]> : tensor<3x5xui8>

func.func @three_fry_0_3x5_ui16() -> (tensor<2xui64>, tensor<3x5xui16>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui16>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x5xui16>
}
// EXPECT: dense<[1, 11]> : tensor<2xui64>
// EXPECT: dense<[[59732, 54587, 37587, 20483, 3027], [7520, 54068, 49325, 19685, 23063], [29648, 42114, 55141, 31310, 42738]]> : tensor<3x5xui16>

func.func @three_fry_0_3x5_ui32() -> (tensor<2xui64>, tensor<3x5xui32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x5xui32>
}
// EXPECT: dense<[1, 11]> : tensor<2xui64>
// EXPECT: dense<[[43444564, 2150618427, 3979645651, 3745730563, 1672743891], [2109414752, 618976052, 2534981805, 3824176357, 2868795927], [2915202000, 3844842626, 3159807845, 3120200270, 299673330]]> : tensor<3x5xui32>

func.func @three_fry_0_3x5_ui64() -> (tensor<2xui64>, tensor<3x5xui64>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui64>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x5xui64>
}
// EXPECT: dense<[1, 17]> : tensor<2xui64>
// EXPECT: dense<[[9236835810183407956, 16087790271692313299, 18212823393184779219, 2658481902456610144, 16424712389986402477], [16122702161355102743, 16513473339851961296, 13401158119780177765, 14554201658727638770, 7288330543630982713], [853546183039212516, 3116677314375671452, 5893929251593275775, 17607315122293360763, 6225994315530189186]]> : tensor<3x5xui64>

func.func @three_fry_0_3x5_i32() -> (tensor<2xui64>, tensor<3x5xi32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xi32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x5xi32>
}
// EXPECT: dense<[1, 11]> : tensor<2xui64>
// EXPECT: dense<[[43444564, 2150618427, 3979645651, 3745730563, 1672743891], [2109414752, 618976052, 2534981805, 3824176357, 2868795927], [2915202000, 3844842626, 3159807845, 3120200270, 299673330]]> : tensor<3x5xi32>

func.func @three_fry_0_3x4_ui8() -> (tensor<2xui64>, tensor<3x4xui8>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui8>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x4xui8>
}
// EXPECT: dense<[1, 8]> : tensor<2xui64>
// EXPECT: dense<[[84, 59, 211, 3], [211, 97, 96, 52], [173, 229, 23, 49]]> : tensor<3x4xui8>

func.func @three_fry_0_3x4_ui16() -> (tensor<2xui64>, tensor<3x4xui16>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui16>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x4xui16>
}
// EXPECT: dense<[1, 8]> : tensor<2xui64>
// EXPECT: dense<[[59732, 54587, 37587, 20483], [3027, 62049, 7520, 54068], [49325, 19685, 23063, 22577]]> : tensor<3x4xui16>

func.func @three_fry_0_3x4_ui32() -> (tensor<2xui64>, tensor<3x4xui32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x4xui32>
}
// EXPECT: dense<[1, 8]> : tensor<2xui64>
// EXPECT: dense<[[43444564, 2150618427, 3979645651, 3745730563], [1672743891, 4240503393, 2109414752, 618976052], [2534981805, 3824176357, 2868795927, 3753859121]]> : tensor<3x4xui32>

func.func @three_fry_0_3x4_ui64() -> (tensor<2xui64>, tensor<3x4xui64>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui64>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x4xui64>
}
// EXPECT: dense<[1, 14]> : tensor<2xui64>
// EXPECT: dense<[[9236835810183407956, 16087790271692313299, 18212823393184779219, 2658481902456610144], [16424712389986402477, 16122702161355102743, 16513473339851961296, 13401158119780177765], [14554201658727638770, 7288330543630982713, 853546183039212516, 3116677314375671452]]> : tensor<3x4xui64>

func.func @three_fry_0_3x4_i32() -> (tensor<2xui64>, tensor<3x4xi32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xi32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x4xi32>
}
// EXPECT: dense<[1, 8]> : tensor<2xui64>
// EXPECT: dense<[[43444564, 2150618427, 3979645651, 3745730563], [1672743891, 4240503393, 2109414752, 618976052], [2534981805, 3824176357, 2868795927, 3753859121]]> : tensor<3x4xi32>

func.func @three_fry_0_0x2_ui8() -> (tensor<2xui64>, tensor<0x2xui8>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0x2xui8>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<0x2xui8>
}
// EXPECT: dense<[1, 2]> : tensor<2xui64>
// EXPECT: dense<> : tensor<0x2xui8>

func.func @three_fry_0_0x2_ui16() -> (tensor<2xui64>, tensor<0x2xui16>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0x2xui16>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<0x2xui16>
}
// EXPECT: dense<[1, 2]> : tensor<2xui64>
// EXPECT: dense<> : tensor<0x2xui16>

func.func @three_fry_0_0x2_ui32() -> (tensor<2xui64>, tensor<0x2xui32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0x2xui32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<0x2xui32>
}
// EXPECT: dense<[1, 2]> : tensor<2xui64>
// EXPECT: dense<> : tensor<0x2xui32>

func.func @three_fry_0_0x2_ui64() -> (tensor<2xui64>, tensor<0x2xui64>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0x2xui64>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<0x2xui64>
}
// EXPECT: dense<[1, 2]> : tensor<2xui64>
// EXPECT: dense<> : tensor<0x2xui64>

func.func @three_fry_0_0x2_i32() -> (tensor<2xui64>, tensor<0x2xi32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0x2xi32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<0x2xi32>
}
// EXPECT: dense<[1, 2]> : tensor<2xui64>
// EXPECT: dense<> : tensor<0x2xi32>

func.func @three_fry_0_1x1_ui8() -> (tensor<2xui64>, tensor<1x1xui8>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1x1xui8>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<1x1xui8>
}
// EXPECT: dense<[1, 3]> : tensor<2xui64>
// EXPECT: dense<[[84]]> : tensor<1x1xui8>

func.func @three_fry_0_1x1_ui16() -> (tensor<2xui64>, tensor<1x1xui16>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1x1xui16>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<1x1xui16>
}
// EXPECT: dense<[1, 3]> : tensor<2xui64>
// EXPECT: dense<[[59732]]> : tensor<1x1xui16>

func.func @three_fry_0_1x1_ui32() -> (tensor<2xui64>, tensor<1x1xui32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1x1xui32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<1x1xui32>
}
// EXPECT: dense<[1, 3]> : tensor<2xui64>
// EXPECT: dense<[[43444564]]> : tensor<1x1xui32>

func.func @three_fry_0_1x1_ui64() -> (tensor<2xui64>, tensor<1x1xui64>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1x1xui64>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<1x1xui64>
}
// EXPECT: dense<[1, 3]> : tensor<2xui64>
// EXPECT: dense<[[9236835810183407956]]> : tensor<1x1xui64>

func.func @three_fry_0_1x1_i32() -> (tensor<2xui64>, tensor<1x1xi32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1x1xi32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<1x1xi32>
}
// EXPECT: dense<[1, 3]> : tensor<2xui64>
// EXPECT: dense<[[43444564]]> : tensor<1x1xi32>

func.func @philox_1_scalar_ui8() -> (tensor<2xui64>, tensor<ui8>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui8>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<ui8>
}
// EXPECT: dense<[1, 3]> : tensor<2xui64>
// EXPECT: dense<73> : tensor<ui8>

func.func @philox_1_scalar_ui16() -> (tensor<2xui64>, tensor<ui16>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui16>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<ui16>
}
// EXPECT: dense<[1, 3]> : tensor<2xui64>
// EXPECT: dense<42825> : tensor<ui16>

func.func @philox_1_scalar_ui32() -> (tensor<2xui64>, tensor<ui32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<ui32>
}
// EXPECT: dense<[1, 3]> : tensor<2xui64>
// EXPECT: dense<2100602697> : tensor<ui32>

func.func @philox_1_scalar_ui64() -> (tensor<2xui64>, tensor<ui64>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<ui64>
}
// EXPECT: dense<[1, 3]> : tensor<2xui64>
// EXPECT: dense<12229731395331991369> : tensor<ui64>

func.func @philox_1_scalar_i32() -> (tensor<2xui64>, tensor<i32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<i32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<i32>
}
// EXPECT: dense<[1, 3]> : tensor<2xui64>
// EXPECT: dense<2100602697> : tensor<i32>

func.func @philox_1_5_ui8() -> (tensor<2xui64>, tensor<5xui8>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui8>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<5xui8>
}
// EXPECT: dense<[1, 4]> : tensor<2xui64>
// EXPECT: dense<[73, 232, 215, 217, 254]> : tensor<5xui8>

func.func @philox_1_5_ui16() -> (tensor<2xui64>, tensor<5xui16>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui16>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<5xui16>
}
// EXPECT: dense<[1, 4]> : tensor<2xui64>
// EXPECT: dense<[42825, 48104, 9175, 9433, 9214]> : tensor<5xui16>

func.func @philox_1_5_ui32() -> (tensor<2xui64>, tensor<5xui32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<5xui32>
}
// EXPECT: dense<[1, 4]> : tensor<2xui64>
// EXPECT: dense<[2100602697, 2847456232, 2074354647, 800269529, 1828267006]> : tensor<5xui32>

func.func @philox_1_5_ui64() -> (tensor<2xui64>, tensor<5xui64>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui64>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<5xui64>
}
// EXPECT: dense<[1, 5]> : tensor<2xui64>
// EXPECT: dense<[12229731395331991369, 3437131457114678231, 13465615291114923006, 9328616520744100567, 10786996542579945571]> : tensor<5xui64>

func.func @philox_1_5_i32() -> (tensor<2xui64>, tensor<5xi32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xi32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<5xi32>
}
// EXPECT: dense<[1, 4]> : tensor<2xui64>
// EXPECT: dense<[2100602697, 2847456232, 2074354647, 800269529, 1828267006]> : tensor<5xi32>

func.func @philox_1_2x3_ui8() -> (tensor<2xui64>, tensor<2x3xui8>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui8>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<2x3xui8>
}
// EXPECT: dense<[1, 4]> : tensor<2xui64>
// EXPECT: dense<[[73, 232, 215], [217, 254, 195]]> : tensor<2x3xui8>

func.func @philox_1_2x3_ui16() -> (tensor<2xui64>, tensor<2x3xui16>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui16>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<2x3xui16>
}
// EXPECT: dense<[1, 4]> : tensor<2xui64>
// EXPECT: dense<[[42825, 48104, 9175], [9433, 9214, 31171]]> : tensor<2x3xui16>

func.func @philox_1_2x3_ui32() -> (tensor<2xui64>, tensor<2x3xui32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<2x3xui32>
}
// EXPECT: dense<[1, 4]> : tensor<2xui64>
// EXPECT: dense<[[2100602697, 2847456232, 2074354647], [800269529, 1828267006, 3135207875]]> : tensor<2x3xui32>

func.func @philox_1_2x3_ui64() -> (tensor<2xui64>, tensor<2x3xui64>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui64>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<2x3xui64>
}
// EXPECT: dense<[1, 5]> : tensor<2xui64>
// EXPECT: dense<[[12229731395331991369, 3437131457114678231, 13465615291114923006], [9328616520744100567, 10786996542579945571, 14491549444881034529]]> : tensor<2x3xui64>

func.func @philox_1_2x3_i32() -> (tensor<2xui64>, tensor<2x3xi32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xi32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<2x3xi32>
}
// EXPECT: dense<[1, 4]> : tensor<2xui64>
// EXPECT: dense<[[2100602697, 2847456232, 2074354647], [800269529, 1828267006, 3135207875]]> : tensor<2x3xi32>

func.func @philox_1_3x5_ui8() -> (tensor<2xui64>, tensor<3x5xui8>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui8>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x5xui8>
}
// EXPECT: dense<[1, 6]> : tensor<2xui64>
// EXPECT: dense<[[73, 232, 215, 217, 254], [195, 215, 76, 99, 52], [33, 112, 227, 193, 164]]> : tensor<3x5xui8>

func.func @philox_1_3x5_ui16() -> (tensor<2xui64>, tensor<3x5xui16>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui16>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x5xui16>
}
// EXPECT: dense<[1, 6]> : tensor<2xui64>
// EXPECT: dense<[[42825, 48104, 9175, 9433, 9214], [31171, 58071, 59212, 12387, 7220], [44321, 21360, 20195, 40897, 37796]]> : tensor<3x5xui16>

func.func @philox_1_3x5_ui32() -> (tensor<2xui64>, tensor<3x5xui32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x5xui32>
}
// EXPECT: dense<[1, 6]> : tensor<2xui64>
// EXPECT: dense<[[2100602697, 2847456232, 2074354647, 800269529, 1828267006], [3135207875, 3972719319, 2171987788, 433598563, 2511543348], [3408178465, 3374076784, 578703075, 2627772353, 2538312612]]> : tensor<3x5xui32>

func.func @philox_1_3x5_ui64() -> (tensor<2xui64>, tensor<3x5xui64>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui64>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x5xui64>
}
// EXPECT: dense<[1, 10]> : tensor<2xui64>
// EXPECT: dense<[[12229731395331991369, 3437131457114678231, 13465615291114923006, 9328616520744100567, 10786996542579945571], [14491549444881034529, 11286196318046670563, 5724011709439120292, 411073547657390924, 8519712135953034949], [14310214831341330501, 6250537654016691130, 18278310617901171541, 14862372754723619264, 15052432425317157709]]> : tensor<3x5xui64>

func.func @philox_1_3x5_i32() -> (tensor<2xui64>, tensor<3x5xi32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xi32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x5xi32>
}
// EXPECT: dense<[1, 6]> : tensor<2xui64>
// EXPECT: dense<[[2100602697, 2847456232, 2074354647, 800269529, 1828267006], [3135207875, 3972719319, 2171987788, 433598563, 2511543348], [3408178465, 3374076784, 578703075, 2627772353, 2538312612]]> : tensor<3x5xi32>

func.func @philox_1_3x4_ui8() -> (tensor<2xui64>, tensor<3x4xui8>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui8>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x4xui8>
}
// EXPECT: dense<[1, 5]> : tensor<2xui64>
// EXPECT: dense<[[73, 232, 215, 217], [254, 195, 215, 76], [99, 52, 33, 112]]> : tensor<3x4xui8>

func.func @philox_1_3x4_ui16() -> (tensor<2xui64>, tensor<3x4xui16>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui16>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x4xui16>
}
// EXPECT: dense<[1, 5]> : tensor<2xui64>
// EXPECT: dense<[[42825, 48104, 9175, 9433], [9214, 31171, 58071, 59212], [12387, 7220, 44321, 21360]]> : tensor<3x4xui16>

func.func @philox_1_3x4_ui32() -> (tensor<2xui64>, tensor<3x4xui32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x4xui32>
}
// EXPECT: dense<[1, 5]> : tensor<2xui64>
// EXPECT: dense<[[2100602697, 2847456232, 2074354647, 800269529], [1828267006, 3135207875, 3972719319, 2171987788], [433598563, 2511543348, 3408178465, 3374076784]]> : tensor<3x4xui32>

func.func @philox_1_3x4_ui64() -> (tensor<2xui64>, tensor<3x4xui64>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui64>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x4xui64>
}
// EXPECT: dense<[1, 8]> : tensor<2xui64>
// EXPECT: dense<[[12229731395331991369, 3437131457114678231, 13465615291114923006, 9328616520744100567], [10786996542579945571, 14491549444881034529, 11286196318046670563, 5724011709439120292], [411073547657390924, 8519712135953034949, 14310214831341330501, 6250537654016691130]]> : tensor<3x4xui64>

func.func @philox_1_3x4_i32() -> (tensor<2xui64>, tensor<3x4xi32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xi32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x4xi32>
}
// EXPECT: dense<[1, 5]> : tensor<2xui64>
// EXPECT: dense<[[2100602697, 2847456232, 2074354647, 800269529], [1828267006, 3135207875, 3972719319, 2171987788], [433598563, 2511543348, 3408178465, 3374076784]]> : tensor<3x4xi32>

func.func @philox_1_0x2_ui8() -> (tensor<2xui64>, tensor<0x2xui8>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0x2xui8>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<0x2xui8>
}
// EXPECT: dense<[1, 2]> : tensor<2xui64>
// EXPECT: dense<> : tensor<0x2xui8>

func.func @philox_1_0x2_ui16() -> (tensor<2xui64>, tensor<0x2xui16>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0x2xui16>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<0x2xui16>
}
// EXPECT: dense<[1, 2]> : tensor<2xui64>
// EXPECT: dense<> : tensor<0x2xui16>

func.func @philox_1_0x2_ui32() -> (tensor<2xui64>, tensor<0x2xui32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0x2xui32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<0x2xui32>
}
// EXPECT: dense<[1, 2]> : tensor<2xui64>
// EXPECT: dense<> : tensor<0x2xui32>

func.func @philox_1_0x2_ui64() -> (tensor<2xui64>, tensor<0x2xui64>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0x2xui64>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<0x2xui64>
}
// EXPECT: dense<[1, 2]> : tensor<2xui64>
// EXPECT: dense<> : tensor<0x2xui64>

func.func @philox_1_0x2_i32() -> (tensor<2xui64>, tensor<0x2xi32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0x2xi32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<0x2xi32>
}
// EXPECT: dense<[1, 2]> : tensor<2xui64>
// EXPECT: dense<> : tensor<0x2xi32>

func.func @philox_1_1x1_ui8() -> (tensor<2xui64>, tensor<1x1xui8>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1x1xui8>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<1x1xui8>
}
// EXPECT: dense<[1, 3]> : tensor<2xui64>
// EXPECT: dense<[[73]]> : tensor<1x1xui8>

func.func @philox_1_1x1_ui16() -> (tensor<2xui64>, tensor<1x1xui16>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1x1xui16>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<1x1xui16>
}
// EXPECT: dense<[1, 3]> : tensor<2xui64>
// EXPECT: dense<[[42825]]> : tensor<1x1xui16>

func.func @philox_1_1x1_ui32() -> (tensor<2xui64>, tensor<1x1xui32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1x1xui32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<1x1xui32>
}
// EXPECT: dense<[1, 3]> : tensor<2xui64>
// EXPECT: dense<[[2100602697]]> : tensor<1x1xui32>

func.func @philox_1_1x1_ui64() -> (tensor<2xui64>, tensor<1x1xui64>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1x1xui64>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<1x1xui64>
}
// EXPECT: dense<[1, 3]> : tensor<2xui64>
// EXPECT: dense<[[12229731395331991369]]> : tensor<1x1xui64>

func.func @philox_1_1x1_i32() -> (tensor<2xui64>, tensor<1x1xi32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1x1xi32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<1x1xi32>
}
// EXPECT: dense<[1, 3]> : tensor<2xui64>
// EXPECT: dense<[[2100602697]]> : tensor<1x1xi32>

func.func @philox_2_scalar_ui8() -> (tensor<3xui64>, tensor<ui8>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<ui8>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<ui8>
}
// EXPECT: dense<[1, 3, 3]> : tensor<3xui64>
// EXPECT: dense<74> : tensor<ui8>

func.func @philox_2_scalar_ui16() -> (tensor<3xui64>, tensor<ui16>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<ui16>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<ui16>
}
// EXPECT: dense<[1, 3, 3]> : tensor<3xui64>
// EXPECT: dense<59210> : tensor<ui16>

func.func @philox_2_scalar_ui32() -> (tensor<3xui64>, tensor<ui32>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<ui32>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<ui32>
}
// EXPECT: dense<[1, 3, 3]> : tensor<3xui64>
// EXPECT: dense<4031113034> : tensor<ui32>

func.func @philox_2_scalar_ui64() -> (tensor<3xui64>, tensor<ui64>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<ui64>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<ui64>
}
// EXPECT: dense<[1, 3, 3]> : tensor<3xui64>
// EXPECT: dense<5869932932755744586> : tensor<ui64>

func.func @philox_2_scalar_i32() -> (tensor<3xui64>, tensor<i32>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<i32>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<i32>
}
// EXPECT: dense<[1, 3, 3]> : tensor<3xui64>
// EXPECT: dense<4031113034> : tensor<i32>

func.func @philox_2_5_ui8() -> (tensor<3xui64>, tensor<5xui8>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xui8>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<5xui8>
}
// EXPECT: dense<[1, 4, 3]> : tensor<3xui64>
// EXPECT: dense<[74, 230, 5, 150, 235]> : tensor<5xui8>

func.func @philox_2_5_ui16() -> (tensor<3xui64>, tensor<5xui16>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xui16>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<5xui16>
}
// EXPECT: dense<[1, 4, 3]> : tensor<3xui64>
// EXPECT: dense<[59210, 12518, 62469, 39574, 23787]> : tensor<5xui16>

func.func @philox_2_5_ui32() -> (tensor<3xui64>, tensor<5xui32>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xui32>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<5xui32>
}
// EXPECT: dense<[1, 4, 3]> : tensor<3xui64>
// EXPECT: dense<[4031113034, 1366700262, 495645701, 3051723414, 89414891]> : tensor<5xui32>

func.func @philox_2_5_ui64() -> (tensor<3xui64>, tensor<5xui64>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xui64>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<5xui64>
}
// EXPECT: dense<[1, 5, 3]> : tensor<3xui64>
// EXPECT: dense<[5869932932755744586, 13107052260063114245, 8234580641674714347, 2641225993340350124, 1962472297844690804]> : tensor<5xui64>

func.func @philox_2_5_i32() -> (tensor<3xui64>, tensor<5xi32>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xi32>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<5xi32>
}
// EXPECT: dense<[1, 4, 3]> : tensor<3xui64>
// EXPECT: dense<[4031113034, 1366700262, 495645701, 3051723414, 89414891]> : tensor<5xi32>

func.func @philox_2_2x3_ui8() -> (tensor<3xui64>, tensor<2x3xui8>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x3xui8>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<2x3xui8>
}
// EXPECT: dense<[1, 4, 3]> : tensor<3xui64>
// EXPECT: dense<[[74, 230, 5], [150, 235, 119]]> : tensor<2x3xui8>

func.func @philox_2_2x3_ui16() -> (tensor<3xui64>, tensor<2x3xui16>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x3xui16>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<2x3xui16>
}
// EXPECT: dense<[1, 4, 3]> : tensor<3xui64>
// EXPECT: dense<[[59210, 12518, 62469], [39574, 23787, 7031]]> : tensor<2x3xui16>

func.func @philox_2_2x3_ui32() -> (tensor<3xui64>, tensor<2x3xui32>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x3xui32>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<2x3xui32>
}
// EXPECT: dense<[1, 4, 3]> : tensor<3xui64>
// EXPECT: dense<[[4031113034, 1366700262, 495645701], [3051723414, 89414891, 1917262711]]> : tensor<2x3xui32>

func.func @philox_2_2x3_ui64() -> (tensor<3xui64>, tensor<2x3xui64>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x3xui64>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<2x3xui64>
}
// EXPECT: dense<[1, 5, 3]> : tensor<3xui64>
// EXPECT: dense<[[5869932932755744586, 13107052260063114245, 8234580641674714347], [2641225993340350124, 1962472297844690804, 14865887844143937481]]> : tensor<2x3xui64>

func.func @philox_2_2x3_i32() -> (tensor<3xui64>, tensor<2x3xi32>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x3xi32>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<2x3xi32>
}
// EXPECT: dense<[1, 4, 3]> : tensor<3xui64>
// EXPECT: dense<[[4031113034, 1366700262, 495645701], [3051723414, 89414891, 1917262711]]> : tensor<2x3xi32>

func.func @philox_2_3x5_ui8() -> (tensor<3xui64>, tensor<3x5xui8>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x5xui8>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<3x5xui8>
}
// EXPECT: dense<[1, 6, 3]> : tensor<3xui64>
// EXPECT: dense<[[74, 230, 5, 150, 235], [119, 172, 12, 116, 40], [201, 59, 243, 169, 59]]> : tensor<3x5xui8>

func.func @philox_2_3x5_ui16() -> (tensor<3xui64>, tensor<3x5xui16>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x5xui16>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<3x5xui16>
}
// EXPECT: dense<[1, 6, 3]> : tensor<3xui64>
// EXPECT: dense<[[59210, 12518, 62469, 39574, 23787], [7031, 28332, 34060, 53108, 6696], [14281, 15931, 38387, 2473, 25915]]> : tensor<3x5xui16>

func.func @philox_2_3x5_ui32() -> (tensor<3xui64>, tensor<3x5xui32>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x5xui32>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<3x5xui32>
}
// EXPECT: dense<[1, 6, 3]> : tensor<3xui64>
// EXPECT: dense<[[4031113034, 1366700262, 495645701, 3051723414, 89414891], [1917262711, 278163116, 614958348, 1116983156, 456923688], [1023358921, 3461234235, 3705050611, 588712361, 3503711547]]> : tensor<3x5xui32>

func.func @philox_2_3x5_ui64() -> (tensor<3xui64>, tensor<3x5xui64>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x5xui64>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<3x5xui64>
}
// EXPECT: dense<[1, 10, 3]> : tensor<3xui64>
// EXPECT: dense<[[5869932932755744586, 13107052260063114245, 8234580641674714347, 2641225993340350124, 1962472297844690804], [14865887844143937481, 2528500340950996467, 15212244398899619131, 15328814450350654698, 18058907383176497682], [2444054044562215972, 16696423832518464970, 4639353560513508359, 9681781320153613712, 7458183325113544721]]> : tensor<3x5xui64>

func.func @philox_2_3x5_i32() -> (tensor<3xui64>, tensor<3x5xi32>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x5xi32>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<3x5xi32>
}
// EXPECT: dense<[1, 6, 3]> : tensor<3xui64>
// EXPECT: dense<[[4031113034, 1366700262, 495645701, 3051723414, 89414891], [1917262711, 278163116, 614958348, 1116983156, 456923688], [1023358921, 3461234235, 3705050611, 588712361, 3503711547]]> : tensor<3x5xi32>

func.func @philox_2_3x4_ui8() -> (tensor<3xui64>, tensor<3x4xui8>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x4xui8>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<3x4xui8>
}
// EXPECT: dense<[1, 5, 3]> : tensor<3xui64>
// EXPECT: dense<[[74, 230, 5, 150], [235, 119, 172, 12], [116, 40, 201, 59]]> : tensor<3x4xui8>

func.func @philox_2_3x4_ui16() -> (tensor<3xui64>, tensor<3x4xui16>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x4xui16>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<3x4xui16>
}
// EXPECT: dense<[1, 5, 3]> : tensor<3xui64>
// EXPECT: dense<[[59210, 12518, 62469, 39574], [23787, 7031, 28332, 34060], [53108, 6696, 14281, 15931]]> : tensor<3x4xui16>

func.func @philox_2_3x4_ui32() -> (tensor<3xui64>, tensor<3x4xui32>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x4xui32>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<3x4xui32>
}
// EXPECT: dense<[1, 5, 3]> : tensor<3xui64>
// EXPECT: dense<[[4031113034, 1366700262, 495645701, 3051723414], [89414891, 1917262711, 278163116, 614958348], [1116983156, 456923688, 1023358921, 3461234235]]> : tensor<3x4xui32>

func.func @philox_2_3x4_ui64() -> (tensor<3xui64>, tensor<3x4xui64>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x4xui64>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<3x4xui64>
}
// EXPECT: dense<[1, 8, 3]> : tensor<3xui64>
// EXPECT: dense<[[5869932932755744586, 13107052260063114245, 8234580641674714347, 2641225993340350124], [1962472297844690804, 14865887844143937481, 2528500340950996467, 15212244398899619131], [15328814450350654698, 18058907383176497682, 2444054044562215972, 16696423832518464970]]> : tensor<3x4xui64>

func.func @philox_2_3x4_i32() -> (tensor<3xui64>, tensor<3x4xi32>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x4xi32>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<3x4xi32>
}
// EXPECT: dense<[1, 5, 3]> : tensor<3xui64>
// EXPECT: dense<[[4031113034, 1366700262, 495645701, 3051723414], [89414891, 1917262711, 278163116, 614958348], [1116983156, 456923688, 1023358921, 3461234235]]> : tensor<3x4xi32>

func.func @philox_2_0x2_ui8() -> (tensor<3xui64>, tensor<0x2xui8>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<0x2xui8>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<0x2xui8>
}
// EXPECT: dense<[1, 2, 3]> : tensor<3xui64>
// EXPECT: dense<> : tensor<0x2xui8>

func.func @philox_2_0x2_ui16() -> (tensor<3xui64>, tensor<0x2xui16>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<0x2xui16>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<0x2xui16>
}
// EXPECT: dense<[1, 2, 3]> : tensor<3xui64>
// EXPECT: dense<> : tensor<0x2xui16>

func.func @philox_2_0x2_ui32() -> (tensor<3xui64>, tensor<0x2xui32>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<0x2xui32>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<0x2xui32>
}
// EXPECT: dense<[1, 2, 3]> : tensor<3xui64>
// EXPECT: dense<> : tensor<0x2xui32>

func.func @philox_2_0x2_ui64() -> (tensor<3xui64>, tensor<0x2xui64>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<0x2xui64>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<0x2xui64>
}
// EXPECT: dense<[1, 2, 3]> : tensor<3xui64>
// EXPECT: dense<> : tensor<0x2xui64>

func.func @philox_2_0x2_i32() -> (tensor<3xui64>, tensor<0x2xi32>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<0x2xi32>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<0x2xi32>
}
// EXPECT: dense<[1, 2, 3]> : tensor<3xui64>
// EXPECT: dense<> : tensor<0x2xi32>

func.func @philox_2_1x1_ui8() -> (tensor<3xui64>, tensor<1x1xui8>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<1x1xui8>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<1x1xui8>
}
// EXPECT: dense<[1, 3, 3]> : tensor<3xui64>
// EXPECT: dense<[[74]]> : tensor<1x1xui8>

func.func @philox_2_1x1_ui16() -> (tensor<3xui64>, tensor<1x1xui16>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<1x1xui16>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<1x1xui16>
}
// EXPECT: dense<[1, 3, 3]> : tensor<3xui64>
// EXPECT: dense<[[59210]]> : tensor<1x1xui16>

func.func @philox_2_1x1_ui32() -> (tensor<3xui64>, tensor<1x1xui32>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<1x1xui32>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<1x1xui32>
}
// EXPECT: dense<[1, 3, 3]> : tensor<3xui64>
// EXPECT: dense<[[4031113034]]> : tensor<1x1xui32>

func.func @philox_2_1x1_ui64() -> (tensor<3xui64>, tensor<1x1xui64>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<1x1xui64>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<1x1xui64>
}
// EXPECT: dense<[1, 3, 3]> : tensor<3xui64>
// EXPECT: dense<[[5869932932755744586]]> : tensor<1x1xui64>

func.func @philox_2_1x1_i32() -> (tensor<3xui64>, tensor<1x1xi32>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<1x1xi32>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<1x1xi32>
}
// EXPECT: dense<[1, 3, 3]> : tensor<3xui64>
// EXPECT: dense<[[4031113034]]> : tensor<1x1xi32>

func.func @default_3_5_ui32() -> (tensor<2xui64>, tensor<5xui32>) {
  %0 = stablehlo.constant dense<[7, 18446744073709551615]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm DEFAULT>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<5xui32>
}
// EXPECT: dense<[7, 1]> : tensor<2xui64>
// EXPECT: dense<[3825527345, 2929620239, 4033760259, 866587273, 2720144846]> : tensor<5xui32>

func.func @default_3_5_ui64() -> (tensor<2xui64>, tensor<5xui64>) {
  %0 = stablehlo.constant dense<[7, 18446744073709551615]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm DEFAULT>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui64>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<5xui64>
}
// EXPECT: dense<[7, 2]> : tensor<2xui64>
// EXPECT: dense<[12582623120030231089, 3721964000698584067, 2113786144769580494, 5095073197567980399, 5738669472434535144]> : tensor<5xui64>

func.func @default_3_3x5_ui32() -> (tensor<2xui64>, tensor<3x5xui32>) {
  %0 = stablehlo.constant dense<[7, 18446744073709551615]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm DEFAULT>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x5xui32>
}
// EXPECT: dense<[7, 3]> : tensor<2xui64>
// EXPECT: dense<[[3825527345, 2929620239, 4033760259, 866587273, 2720144846], [492154188, 229061487, 1186289172, 4225153768, 1336138106], [1965781062, 2352189878, 2992367871, 792034338, 35163242]]> : tensor<3x5xui32>

func.func @default_3_3x5_ui64() -> (tensor<2xui64>, tensor<3x5xui64>) {
  %0 = stablehlo.constant dense<[7, 18446744073709551615]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm DEFAULT>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui64>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x5xui64>
}
// EXPECT: dense<[7, 7]> : tensor<2xui64>
// EXPECT: dense<[[12582623120030231089, 3721964000698584067, 2113786144769580494, 5095073197567980399, 5738669472434535144], [10102578601958010950, 3401761582011377919, 11470806458700434538, 13172576836960087817, 14322947801201513282], [6301642391305006005, 15528651998420427747, 11395111425454638654, 6525577641153192874, 2301658477075551762]]> : tensor<3x5xui64>

func.func @philox_4_5_ui32() -> (tensor<3xui64>, tensor<5xui32>) {
  %0 = stablehlo.constant dense<[5, 18446744073709551615, 9]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xui32>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<5xui32>
}
// EXPECT: dense<[5, 1, 10]> : tensor<3xui64>
// EXPECT: dense<[4017057404, 1634864995, 201065378, 3840247100, 1292614439]> : tensor<5xui32>

func.func @philox_4_5_ui64() -> (tensor<3xui64>, tensor<5xui64>) {
  %0 = stablehlo.constant dense<[5, 18446744073709551615, 9]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xui64>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<5xui64>
}
// EXPECT: dense<[5, 2, 10]> : tensor<3xui64>
// EXPECT: dense<[7021691690917260924, 16493735703259906978, 17760637682419743527, 4277461797092707884, 2451449163894678701]> : tensor<5xui64>

func.func @philox_4_3x5_ui32() -> (tensor<3xui64>, tensor<3x5xui32>) {
  %0 = stablehlo.constant dense<[5, 18446744073709551615, 9]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x5xui32>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<3x5xui32>
}
// EXPECT: dense<[5, 3, 10]> : tensor<3xui64>
// EXPECT: dense<[[4017057404, 1634864995, 201065378, 3840247100, 1292614439], [4135220703, 1812188716, 995924183, 3068060845, 570772486], [695098662, 4206579328, 1471182131, 3264755108, 229638389]]> : tensor<3x5xui32>

func.func @philox_4_3x5_ui64() -> (tensor<3xui64>, tensor<3x5xui64>) {
  %0 = stablehlo.constant dense<[5, 18446744073709551615, 9]> : tensor<3xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x5xui64>)
  return %1#0, %1#1 : tensor<3xui64>, tensor<3x5xui64>
}
// EXPECT: dense<[5, 7, 10]> : tensor<3xui64>
// EXPECT: dense<[[7021691690917260924, 16493735703259906978, 17760637682419743527, 4277461797092707884, 2451449163894678701], [18067120642484755750, 14022016419780130099, 7011113659421163765, 14257734223724143936, 11816723936088392656], [13787406546678327798, 7814537535855819498, 7348039874675682488, 10316040652280567799, 5945209647788864857]]> : tensor<3x5xui64>

func.func @three_fry_5_5_ui32() -> (tensor<2xui64>, tensor<5xui32>) {
  %0 = stablehlo.constant dense<[16045690981402826360, 4294967295]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<5xui32>
}
// EXPECT: dense<[16045690981402826360, 4294967298]> : tensor<2xui64>
// EXPECT: dense<[3266569188, 3348725767, 1787995827, 1608671169, 4009663939]> : tensor<5xui32>

func.func @three_fry_5_5_ui64() -> (tensor<2xui64>, tensor<5xui64>) {
  %0 = stablehlo.constant dense<[16045690981402826360, 4294967295]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui64>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<5xui64>
}
// EXPECT: dense<[16045690981402826360, 4294967300]> : tensor<2xui64>
// EXPECT: dense<[14382667655804085220, 6909190062661084851, 2111425795241975235, 7003122751918311803, 3182838744188810288]> : tensor<5xui64>

func.func @three_fry_5_3x5_ui32() -> (tensor<2xui64>, tensor<3x5xui32>) {
  %0 = stablehlo.constant dense<[16045690981402826360, 4294967295]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x5xui32>
}
// EXPECT: dense<[16045690981402826360, 4294967304]> : tensor<2xui64>
// EXPECT: dense<[[3266569188, 3348725767, 1787995827, 1608671169, 4009663939], [3935046011, 1630541577, 1958310960, 741062393, 1834288808], [2040351230, 308893546, 159125889, 2912910039, 624091355]]> : tensor<3x5xui32>

func.func @three_fry_5_3x5_ui64() -> (tensor<2xui64>, tensor<3x5xui64>) {
  %0 = stablehlo.constant dense<[16045690981402826360, 4294967295]> : tensor<2xui64>
  %1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui64>)
  return %1#0, %1#1 : tensor<2xui64>, tensor<3x5xui64>
}
// EXPECT: dense<[16045690981402826360, 4294967310]> : tensor<2xui64>
// EXPECT: dense<[[14382667655804085220, 6909190062661084851, 2111425795241975235, 7003122751918311803, 3182838744188810288], [14036790579360499368, 1326687680055822846, 12510853353854210433, 15380597944268021979, 2220407272586875676], [618689180100373964, 12527018084797871614, 1878270683663730482, 16719127099804043912, 4162652697532745160]]> : tensor<3x5xui64>
