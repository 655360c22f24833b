// Carried arrays that branches update in place, pass on, exchange or replace: at any depth each copy that is left out
// must be one that nobody reads.
func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>, %z: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c2 = stablehlo.constant dense<2> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %c5 = stablehlo.constant dense<5> : tensor<i32>
  %c12 = stablehlo.constant dense<12> : tensor<i32>
  %one = stablehlo.constant dense<1.0> : tensor<1xf32>
  %two = stablehlo.constant dense<2.0> : tensor<1xf32>
  %big = stablehlo.constant dense<900.0> : tensor<1xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // Updated in one branch.
  %l0:2 = stablehlo.while(%i0 = %c0, %b0_0 = %x) : tensor<i32>, tensor<64xf32>
  cond {
    %p0 = stablehlo.compare LT, %i0, %c12 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p0 : tensor<i1>
  } do {
    %v1 = stablehlo.remainder %i0, %c3 : tensor<i32>
    %v2 = stablehlo.compare EQ, %v1, %c0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %v4 = "stablehlo.if"(%v2) ({
    %v3 = stablehlo.dynamic_update_slice %b0_0, %one, %i0 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    stablehlo.return %v3 : tensor<64xf32>
    }, {
    stablehlo.return %b0_0 : tensor<64xf32>
    }) : (tensor<i1>) -> (tensor<64xf32>)

    %n0 = stablehlo.add %i0, %c1 : tensor<i32>
    stablehlo.return %n0, %v4 : tensor<i32>, tensor<64xf32>
  }
  // One of three, out of range the last.
  %l1:2 = stablehlo.while(%i1 = %c0, %b1_0 = %x) : tensor<i32>, tensor<64xf32>
  cond {
    %p1 = stablehlo.compare LT, %i1, %c12 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p1 : tensor<i1>
  } do {
    %v8 = stablehlo.remainder %i1, %c5 : tensor<i32>
    %v9 = "stablehlo.case"(%v8) ({
    %v5 = stablehlo.dynamic_update_slice %b1_0, %one, %i1 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    stablehlo.return %v5 : tensor<64xf32>
}, {
    stablehlo.return %b1_0 : tensor<64xf32>
}, {
    %v6 = stablehlo.dynamic_update_slice %b1_0, %two, %i1 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    %v7 = stablehlo.dynamic_update_slice %v6, %one, %c3 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    stablehlo.return %v7 : tensor<64xf32>
    }) : (tensor<i32>) -> (tensor<64xf32>)

    %n1 = stablehlo.add %i1, %c1 : tensor<i32>
    stablehlo.return %n1, %v9 : tensor<i32>, tensor<64xf32>
  }
  // Deep in other branches.
  %l2:2 = stablehlo.while(%i2 = %c0, %b2_0 = %x) : tensor<i32>, tensor<64xf32>
  cond {
    %p2 = stablehlo.compare LT, %i2, %c12 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p2 : tensor<i1>
  } do {
    %v10 = stablehlo.remainder %i2, %c2 : tensor<i32>
    %v11 = stablehlo.compare EQ, %v10, %c0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %v12 = stablehlo.remainder %i2, %c3 : tensor<i32>
    %v13 = stablehlo.compare EQ, %v12, %c0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %v18 = "stablehlo.if"(%v11) ({
    %v17 = "stablehlo.case"(%i2) ({
    stablehlo.return %b2_0 : tensor<64xf32>
}, {
    %v15 = "stablehlo.if"(%v13) ({
    %v14 = stablehlo.dynamic_update_slice %b2_0, %one, %i2 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    stablehlo.return %v14 : tensor<64xf32>
    }, {
    stablehlo.return %b2_0 : tensor<64xf32>
    }) : (tensor<i1>) -> (tensor<64xf32>)
    stablehlo.return %v15 : tensor<64xf32>
}, {
    %v16 = stablehlo.dynamic_update_slice %b2_0, %one, %c5 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    stablehlo.return %v16 : tensor<64xf32>
    }) : (tensor<i32>) -> (tensor<64xf32>)
    stablehlo.return %v17 : tensor<64xf32>
    }, {
    stablehlo.return %b2_0 : tensor<64xf32>
    }) : (tensor<i1>) -> (tensor<64xf32>)

    %n2 = stablehlo.add %i2, %c1 : tensor<i32>
    stablehlo.return %n2, %v18 : tensor<i32>, tensor<64xf32>
  }
  // What was before the update is read after it.
  %l3:3 = stablehlo.while(%i3 = %c0, %b3_0 = %x, %b3_1 = %y) : tensor<i32>, tensor<64xf32>, tensor<64xf32>
  cond {
    %p3 = stablehlo.compare LT, %i3, %c12 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p3 : tensor<i1>
  } do {
    %v19 = stablehlo.remainder %i3, %c2 : tensor<i32>
    %v20 = stablehlo.compare EQ, %v19, %c0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %v23 = "stablehlo.if"(%v20) ({
    %v21 = stablehlo.dynamic_update_slice %b3_0, %one, %i3 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    stablehlo.return %v21 : tensor<64xf32>
    }, {
    %v22 = stablehlo.dynamic_update_slice %b3_0, %two, %c3 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    stablehlo.return %v22 : tensor<64xf32>
    }) : (tensor<i1>) -> (tensor<64xf32>)
    %v24 = stablehlo.add %b3_1, %b3_0 : tensor<64xf32>

    %n3 = stablehlo.add %i3, %c1 : tensor<i32>
    stablehlo.return %n3, %v23, %v24 : tensor<i32>, tensor<64xf32>, tensor<64xf32>
  }
  // Exchanged in one branch, updated in the other.
  %l4:3 = stablehlo.while(%i4 = %c0, %b4_0 = %x, %b4_1 = %y) : tensor<i32>, tensor<64xf32>, tensor<64xf32>
  cond {
    %p4 = stablehlo.compare LT, %i4, %c12 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p4 : tensor<i1>
  } do {
    %v25 = stablehlo.remainder %i4, %c3 : tensor<i32>
    %v26 = stablehlo.compare EQ, %v25, %c0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %v28:2 = "stablehlo.if"(%v26) ({
    stablehlo.return %b4_1, %b4_0 : tensor<64xf32>, tensor<64xf32>
    }, {
    %v27 = stablehlo.dynamic_update_slice %b4_0, %one, %i4 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    stablehlo.return %v27, %b4_1 : tensor<64xf32>, tensor<64xf32>
    }) : (tensor<i1>) -> (tensor<64xf32>, tensor<64xf32>)

    %n4 = stablehlo.add %i4, %c1 : tensor<i32>
    stablehlo.return %n4, %v28#0, %v28#1 : tensor<i32>, tensor<64xf32>, tensor<64xf32>
  }
  // Three arrays, turned around one way, not, and the other way.
  %l5:4 = stablehlo.while(%i5 = %c0, %b5_0 = %x, %b5_1 = %y, %b5_2 = %z) : tensor<i32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
  cond {
    %p5 = stablehlo.compare LT, %i5, %c12 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p5 : tensor<i1>
  } do {
    %v29 = stablehlo.remainder %i5, %c3 : tensor<i32>
    %v32:3 = "stablehlo.case"(%v29) ({
    stablehlo.return %b5_1, %b5_2, %b5_0 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}, {
    %v30 = stablehlo.dynamic_update_slice %b5_1, %one, %i5 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    stablehlo.return %b5_0, %v30, %b5_2 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}, {
    %v31 = stablehlo.dynamic_update_slice %b5_2, %two, %i5 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    stablehlo.return %v31, %b5_0, %b5_1 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
    }) : (tensor<i32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)

    %n5 = stablehlo.add %i5, %c1 : tensor<i32>
    stablehlo.return %n5, %v32#0, %v32#1, %v32#2 : tensor<i32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
  }
  // A loop in a branch.
  %l6:2 = stablehlo.while(%i6 = %c0, %b6_0 = %x) : tensor<i32>, tensor<64xf32>
  cond {
    %p6 = stablehlo.compare LT, %i6, %c12 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p6 : tensor<i1>
  } do {
    %v33 = stablehlo.remainder %i6, %c2 : tensor<i32>
    %v34 = stablehlo.compare EQ, %v33, %c0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %v39 = "stablehlo.if"(%v34) ({
  %l7:2 = stablehlo.while(%i7 = %c0, %b7_0 = %b6_0) : tensor<i32>, tensor<64xf32>
  cond {
    %p7 = stablehlo.compare LT, %i7, %c12 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p7 : tensor<i1>
  } do {
    %v36 = stablehlo.remainder %i7, %c3 : tensor<i32>
    %v37 = stablehlo.compare EQ, %v36, %c0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %v38 = "stablehlo.if"(%v37) ({
    %v35 = stablehlo.dynamic_update_slice %b7_0, %two, %i7 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    stablehlo.return %v35 : tensor<64xf32>
    }, {
    stablehlo.return %b7_0 : tensor<64xf32>
    }) : (tensor<i1>) -> (tensor<64xf32>)

    %n7 = stablehlo.add %i7, %c1 : tensor<i32>
    stablehlo.return %n7, %v38 : tensor<i32>, tensor<64xf32>
  }
    stablehlo.return %l7#1 : tensor<64xf32>
    }, {
    stablehlo.return %b6_0 : tensor<64xf32>
    }) : (tensor<i1>) -> (tensor<64xf32>)

    %n6 = stablehlo.add %i6, %c1 : tensor<i32>
    stablehlo.return %n6, %v39 : tensor<i32>, tensor<64xf32>
  }
  // A loop in a branch that exchanges two buffers.
  %l8:2 = stablehlo.while(%i8 = %c0, %b8_0 = %x) : tensor<i32>, tensor<64xf32>
  cond {
    %p8 = stablehlo.compare LT, %i8, %c12 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p8 : tensor<i1>
  } do {
    %v40 = stablehlo.remainder %i8, %c2 : tensor<i32>
    %v41 = stablehlo.compare EQ, %v40, %c0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %v45 = "stablehlo.if"(%v41) ({
  %l9:2 = stablehlo.while(%i9 = %c0, %b9_0 = %b8_0) : tensor<i32>, tensor<64xf32>
  cond {
    %p9 = stablehlo.compare LT, %i9, %c12 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p9 : tensor<i1>
  } do {
    %v42 = stablehlo.reverse %b9_0, dims = [0] : tensor<64xf32>
    %v43 = stablehlo.dynamic_update_slice %v42, %one, %i9 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>

    %n9 = stablehlo.add %i9, %c1 : tensor<i32>
    stablehlo.return %n9, %v43 : tensor<i32>, tensor<64xf32>
  }
    stablehlo.return %l9#1 : tensor<64xf32>
    }, {
    %v44 = stablehlo.dynamic_update_slice %b8_0, %one, %i8 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    stablehlo.return %v44 : tensor<64xf32>
    }) : (tensor<i1>) -> (tensor<64xf32>)

    %n8 = stablehlo.add %i8, %c1 : tensor<i32>
    stablehlo.return %n8, %v45 : tensor<i32>, tensor<64xf32>
  }
  // Loops in both that exchange several.
  %l10:3 = stablehlo.while(%i10 = %c0, %b10_0 = %x, %b10_1 = %y) : tensor<i32>, tensor<64xf32>, tensor<64xf32>
  cond {
    %p10 = stablehlo.compare LT, %i10, %c12 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p10 : tensor<i1>
  } do {
    %v46 = stablehlo.remainder %i10, %c2 : tensor<i32>
    %v47 = stablehlo.compare EQ, %v46, %c0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %v48 = stablehlo.remainder %i10, %c3 : tensor<i32>
    %v49 = stablehlo.compare EQ, %v48, %c0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %v56:2 = "stablehlo.if"(%v47) ({
  %l11:3 = stablehlo.while(%i11 = %c0, %b11_0 = %b10_0, %b11_1 = %b10_1) : tensor<i32>, tensor<64xf32>, tensor<64xf32>
  cond {
    %p11 = stablehlo.compare LT, %i11, %c12 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p11 : tensor<i1>
  } do {
    %v50 = stablehlo.reverse %b11_0, dims = [0] : tensor<64xf32>
    %v51 = stablehlo.reverse %b11_1, dims = [0] : tensor<64xf32>
    %v52 = stablehlo.dynamic_update_slice %v50, %one, %i11 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>

    %n11 = stablehlo.add %i11, %c1 : tensor<i32>
    stablehlo.return %n11, %v51, %v52 : tensor<i32>, tensor<64xf32>, tensor<64xf32>
  }
    stablehlo.return %l11#1, %l11#2 : tensor<64xf32>, tensor<64xf32>
    }, {
  %l12:3 = stablehlo.while(%i12 = %c0, %b12_0 = %b10_0, %b12_1 = %b10_1) : tensor<i32>, tensor<64xf32>, tensor<64xf32>
  cond {
    %p12 = stablehlo.compare LT, %i12, %c12 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p12 : tensor<i1>
  } do {
    %v53 = stablehlo.reverse %b12_0, dims = [0] : tensor<64xf32>
    %v54 = stablehlo.reverse %b12_1, dims = [0] : tensor<64xf32>
    %v55 = stablehlo.dynamic_update_slice %v53, %one, %i12 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>

    %n12 = stablehlo.add %i12, %c1 : tensor<i32>
    stablehlo.return %n12, %v54, %v55 : tensor<i32>, tensor<64xf32>, tensor<64xf32>
  }
    stablehlo.return %l12#2, %l12#1 : tensor<64xf32>, tensor<64xf32>
    }) : (tensor<i1>) -> (tensor<64xf32>, tensor<64xf32>)
    %v58:2 = "stablehlo.if"(%v49) ({
    stablehlo.return %v56#1, %v56#0 : tensor<64xf32>, tensor<64xf32>
    }, {
    %v57 = stablehlo.dynamic_update_slice %v56#0, %one, %i10 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    stablehlo.return %v57, %v56#1 : tensor<64xf32>, tensor<64xf32>
    }) : (tensor<i1>) -> (tensor<64xf32>, tensor<64xf32>)

    %n10 = stablehlo.add %i10, %c1 : tensor<i32>
    stablehlo.return %n10, %v58#0, %v58#1 : tensor<i32>, tensor<64xf32>, tensor<64xf32>
  }
  // One array as two results.
  %l13:3 = stablehlo.while(%i13 = %c0, %b13_0 = %x, %b13_1 = %y) : tensor<i32>, tensor<64xf32>, tensor<64xf32>
  cond {
    %p13 = stablehlo.compare LT, %i13, %c12 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p13 : tensor<i1>
  } do {
    %v59 = stablehlo.remainder %i13, %c2 : tensor<i32>
    %v60 = stablehlo.compare EQ, %v59, %c0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %v62:2 = "stablehlo.if"(%v60) ({
    %v61 = stablehlo.dynamic_update_slice %b13_0, %one, %i13 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    stablehlo.return %v61, %v61 : tensor<64xf32>, tensor<64xf32>
    }, {
    stablehlo.return %b13_0, %b13_1 : tensor<64xf32>, tensor<64xf32>
    }) : (tensor<i1>) -> (tensor<64xf32>, tensor<64xf32>)

    %n13 = stablehlo.add %i13, %c1 : tensor<i32>
    stablehlo.return %n13, %v62#0, %v62#1 : tensor<i32>, tensor<64xf32>, tensor<64xf32>
  }
  // The same array under two types, one of them read afterwards.
  %l14:3 = stablehlo.while(%i14 = %c0, %b14_0 = %x, %b14_1 = %y) : tensor<i32>, tensor<64xf32>, tensor<64xf32>
  cond {
    %p14 = stablehlo.compare LT, %i14, %c12 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p14 : tensor<i1>
  } do {
    %v63 = stablehlo.remainder %i14, %c2 : tensor<i32>
    %v64 = stablehlo.compare EQ, %v63, %c0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %v65 = stablehlo.reshape %b14_0 : (tensor<64xf32>) -> tensor<8x8xf32>
    %v66 = stablehlo.reshape %v65 : (tensor<8x8xf32>) -> tensor<64xf32>
    %v69 = "stablehlo.if"(%v64) ({
    %v67 = stablehlo.dynamic_update_slice %b14_0, %one, %i14 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    stablehlo.return %v67 : tensor<64xf32>
    }, {
    %v68 = stablehlo.dynamic_update_slice %v66, %one, %c5 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    stablehlo.return %v68 : tensor<64xf32>
    }) : (tensor<i1>) -> (tensor<64xf32>)
    %v70 = stablehlo.subtract %b14_1, %v66 : tensor<64xf32>

    %n14 = stablehlo.add %i14, %c1 : tensor<i32>
    stablehlo.return %n14, %v69, %v70 : tensor<i32>, tensor<64xf32>, tensor<64xf32>
  }
  // Read beside its update, made anew, left and updated.
  %l15:2 = stablehlo.while(%i15 = %c0, %b15_0 = %x) : tensor<i32>, tensor<64xf32>
  cond {
    %p15 = stablehlo.compare LT, %i15, %c12 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p15 : tensor<i1>
  } do {
    %v76 = "stablehlo.case"(%i15) ({
    %v73 = stablehlo.dynamic_update_slice %b15_0, %one, %i15 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    %v74 = stablehlo.add %v73, %b15_0 : tensor<64xf32>
    stablehlo.return %v74 : tensor<64xf32>
}, {
    %v75 = stablehlo.reverse %b15_0, dims = [0] : tensor<64xf32>
    stablehlo.return %v75 : tensor<64xf32>
}, {
    stablehlo.return %b15_0 : tensor<64xf32>
}, {
    %v73_ = stablehlo.dynamic_update_slice %b15_0, %one, %i15 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    stablehlo.return %v73_ : tensor<64xf32>
    }) : (tensor<i32>) -> (tensor<64xf32>)

    %n15 = stablehlo.add %i15, %c1 : tensor<i32>
    stablehlo.return %n15, %v76 : tensor<i32>, tensor<64xf32>
  }
  // Replaced by an array from outside the loop.
  %l16:2 = stablehlo.while(%i16 = %c0, %b16_0 = %y) : tensor<i32>, tensor<64xf32>
  cond {
    %p16 = stablehlo.compare LT, %i16, %c12 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p16 : tensor<i1>
  } do {
    %v77 = stablehlo.remainder %i16, %c2 : tensor<i32>
    %v78 = stablehlo.compare EQ, %v77, %c0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %v80 = "stablehlo.if"(%v78) ({
    %v79 = stablehlo.dynamic_update_slice %b16_0, %one, %i16 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    stablehlo.return %v79 : tensor<64xf32>
    }, {
    stablehlo.return %x : tensor<64xf32>
    }) : (tensor<i1>) -> (tensor<64xf32>)

    %n16 = stablehlo.add %i16, %c1 : tensor<i32>
    stablehlo.return %n16, %v80 : tensor<i32>, tensor<64xf32>
  }
  // Another carried array in one of them.
  %l17:3 = stablehlo.while(%i17 = %c0, %b17_0 = %x, %b17_1 = %y) : tensor<i32>, tensor<64xf32>, tensor<64xf32>
  cond {
    %p17 = stablehlo.compare LT, %i17, %c12 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p17 : tensor<i1>
  } do {
    %v81 = stablehlo.remainder %i17, %c2 : tensor<i32>
    %v82 = stablehlo.compare EQ, %v81, %c0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %v85 = "stablehlo.if"(%v82) ({
    %v83 = stablehlo.dynamic_update_slice %b17_1, %one, %i17 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    stablehlo.return %v83 : tensor<64xf32>
    }, {
    %v84 = stablehlo.dynamic_update_slice %b17_0, %two, %i17 : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    stablehlo.return %v84 : tensor<64xf32>
    }) : (tensor<i1>) -> (tensor<64xf32>)

    %n17 = stablehlo.add %i17, %c1 : tensor<i32>
    stablehlo.return %n17, %v85, %b17_1 : tensor<i32>, tensor<64xf32>, tensor<64xf32>
  }
  // The condition writes into what the body replaces.
  %w:2 = stablehlo.while(%wi = %c0, %wb = %x) : tensor<i32>, tensor<64xf32>
  cond {
    %wu = stablehlo.dynamic_update_slice %wb, %big, %wi : (tensor<64xf32>, tensor<1xf32>, tensor<i32>) -> tensor<64xf32>
    %ws = stablehlo.reduce(%wu init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
    %wl = stablehlo.compare LT, %wi, %c5 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %wm = stablehlo.compare GT, %ws, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %wp = stablehlo.and %wl, %wm : tensor<i1>
    stablehlo.return %wp : tensor<i1>
  } do {
    %wf = stablehlo.convert %wi : (tensor<i32>) -> tensor<f32>
    %wv = stablehlo.broadcast_in_dim %wf, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %wn = stablehlo.add %wi, %c1 : tensor<i32>
    stablehlo.return %wn, %wv : tensor<i32>, tensor<64xf32>
  }
  return %l0#1, %l1#1, %l2#1, %l3#1, %l3#2, %l4#1, %l4#2, %l5#1, %l5#2, %l5#3, %l6#1, %l8#1, %l10#1, %l10#2, %l13#1, %l13#2, %l14#1, %l14#2, %l15#1, %l16#1, %l17#1, %l17#2, %w#1 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
