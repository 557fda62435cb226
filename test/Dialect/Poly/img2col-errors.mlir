// RUN: gc-opt %s --split-input-file --verify-diagnostics

// Statements whose first factor is made of images.

func.func private @strides_graph(tensor<2x6x6x16xf16>, tensor<144x16xf16>) -> tensor<2x36x16xf32>
poly.scop @strides reference @strides_graph schedule { domain: "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 0 <= k < 144 }", child: { schedule: "[{ S[n, m, o, k] -> [(n)] }, { S[n, m, o, k] -> [(m)] }, { S[n, m, o, k] -> [(o)] }, { S[n, m, o, k] -> [(k)] }]" } } {
  poly.array @X input 0 : tensor<2x6x6x16xf16>
  poly.array @W input 1 : tensor<9x16x16xf16>
  poly.array @T output 0 : tensor<2x36x16xf32>
  // expected-error@+1 {{(C5) reads @X by}}
  poly.statement @S domain "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 0 <= k < 144 }"
      reads [@X "{ S[n, m, o, k] -> X[n, h, w, k mod 16] : h = floor(m / 6) + floor(k / 48) - 1 and w = m mod 6 + (floor(k / 16) mod 3) - 1 and 0 <= h < 6 and 0 <= w < 6 }",
             @W "{ S[n, m, o, k] -> W[floor(k / 16), k mod 16, o] }", @T "{ S[n, m, o, k] -> T[n, m, o] }"]
      writes @T "{ S[n, m, o, k] -> T[n, m, o] }"
      img2col <kernel = [3, 3], strides = [2, 1], pads = [1, 1], output_width = 6> {
  ^bb0(%x: f16, %w: f16, %t: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %t, %2 : f32
    poly.yield %3 : f32
  }
}

// -----

func.func private @added_graph(tensor<2x6x6x16xf16>, tensor<144x16xf16>) -> tensor<2x36x16xf32>
poly.scop @added reference @added_graph schedule { domain: "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 0 <= k < 144 }", child: { schedule: "[{ S[n, m, o, k] -> [(n)] }, { S[n, m, o, k] -> [(m)] }, { S[n, m, o, k] -> [(o)] }, { S[n, m, o, k] -> [(k)] }]" } } {
  poly.array @X input 0 : tensor<2x6x6x16xf16>
  poly.array @W input 1 : tensor<9x16x16xf16>
  poly.array @T output 0 : tensor<2x36x16xf32>
  // expected-error@+1 {{(C5) reads @X by}}
  poly.statement @S domain "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 0 <= k < 144 }"
      reads [@X "{ S[n, m, o, k] -> X[n, h, w, k mod 16] : h = floor(m / 6) + 1 + floor(k / 48) - 1 and w = m mod 6 + (floor(k / 16) mod 3) - 1 and 0 <= h < 6 and 0 <= w < 6 }",
             @W "{ S[n, m, o, k] -> W[floor(k / 16), k mod 16, o] }", @T "{ S[n, m, o, k] -> T[n, m, o] }"]
      writes @T "{ S[n, m, o, k] -> T[n, m, o] }"
      img2col <kernel = [3, 3], strides = [1, 1], pads = [1, 1], output_width = 6> {
  ^bb0(%x: f16, %w: f16, %t: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %t, %2 : f32
    poly.yield %3 : f32
  }
}

// -----

func.func private @weights_graph(tensor<2x6x6x16xf16>, tensor<144x16xf16>) -> tensor<2x36x16xf32>
poly.scop @weights reference @weights_graph schedule { domain: "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 0 <= k < 144 }", child: { schedule: "[{ S[n, m, o, k] -> [(n)] }, { S[n, m, o, k] -> [(m)] }, { S[n, m, o, k] -> [(o)] }, { S[n, m, o, k] -> [(k)] }]" } } {
  poly.array @X input 0 : tensor<2x6x6x16xf16>
  poly.array @W input 1 : tensor<9x16x16xf16>
  poly.array @T output 0 : tensor<2x36x16xf32>
  // expected-error@+1 {{(C5) reads @W by}}
  poly.statement @S domain "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 0 <= k < 144 }"
      reads [@X "{ S[n, m, o, k] -> X[n, h, w, k mod 16] : h = floor(m / 6) + floor(k / 48) - 1 and w = m mod 6 + (floor(k / 16) mod 3) - 1 and 0 <= h < 6 and 0 <= w < 6 }",
             @W "{ S[n, m, o, k] -> W[8 - floor(k / 16), k mod 16, o] }", @T "{ S[n, m, o, k] -> T[n, m, o] }"]
      writes @T "{ S[n, m, o, k] -> T[n, m, o] }"
      img2col <kernel = [3, 3], strides = [1, 1], pads = [1, 1], output_width = 6> {
  ^bb0(%x: f16, %w: f16, %t: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %t, %2 : f32
    poly.yield %3 : f32
  }
}

// -----

func.func private @difference_graph(tensor<2x6x6x16xf16>, tensor<144x16xf16>) -> tensor<2x36x16xf32>
poly.scop @difference reference @difference_graph schedule { domain: "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 0 <= k < 144 }", child: { schedule: "[{ S[n, m, o, k] -> [(n)] }, { S[n, m, o, k] -> [(m)] }, { S[n, m, o, k] -> [(o)] }, { S[n, m, o, k] -> [(k)] }]" } } {
  poly.array @X input 0 : tensor<2x6x6x16xf16>
  poly.array @W input 1 : tensor<9x16x16xf16>
  poly.array @T output 0 : tensor<2x36x16xf32>
  // expected-error@+1 {{(C2) access of @X}}
  poly.statement @S domain "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 0 <= k < 144 }"
      reads [@X "{ S[n, m, o, k] -> X[n, h, w, k mod 16] : h = floor(m / 6) + floor(k / 48) - 1 and w = m mod 6 + (floor(k / 16) mod 3) - 1 and 0 <= h < 6 and 0 <= w < 6 }",
             @W "{ S[n, m, o, k] -> W[floor(k / 16), k mod 16, o] }", @T "{ S[n, m, o, k] -> T[n, m, o] }"]
      writes @T "{ S[n, m, o, k] -> T[n, m, o] }"
      img2col <kernel = [3, 3], strides = [1, 1], pads = [1, 1], output_width = 6> {
  ^bb0(%x: f16, %w: f16, %t: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.subf %t, %2 : f32
    poly.yield %3 : f32
  }
}

// -----

func.func private @sizes_graph(tensor<2x6x6x16xf16>, tensor<144x16xf16>) -> tensor<2x36x16xf32>
poly.scop @sizes reference @sizes_graph schedule { domain: "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 0 <= k < 144 }", child: { schedule: "[{ S[n, m, o, k] -> [(n)] }, { S[n, m, o, k] -> [(m)] }, { S[n, m, o, k] -> [(o)] }, { S[n, m, o, k] -> [(k)] }]" } } {
  poly.array @X input 0 : tensor<2x6x6x16xf16>
  poly.array @W input 1 : tensor<9x16x16xf16>
  poly.array @T output 0 : tensor<2x36x16xf32>
  poly.statement @S domain "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 0 <= k < 144 }"
      reads [@X "{ S[n, m, o, k] -> X[n, h, w, k mod 16] : h = floor(m / 6) + floor(k / 48) - 1 and w = m mod 6 + (floor(k / 16) mod 3) - 1 and 0 <= h < 6 and 0 <= w < 6 }",
             @W "{ S[n, m, o, k] -> W[floor(k / 16), k mod 16, o] }", @T "{ S[n, m, o, k] -> T[n, m, o] }"]
      writes @T "{ S[n, m, o, k] -> T[n, m, o] }"
      // expected-error@+1 {{(C1) needs two sizes of the kernel and two strides from 1 to 255, and two pads from 0 to 255}}
      img2col <kernel = [3], strides = [1, 1], pads = [1, 1], output_width = 6> {
  ^bb0(%x: f16, %w: f16, %t: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %t, %2 : f32
    poly.yield %3 : f32
  }
}

// -----

func.func private @stride_graph(tensor<2x6x6x16xf16>, tensor<144x16xf16>) -> tensor<2x36x16xf32>
poly.scop @stride reference @stride_graph schedule { domain: "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 0 <= k < 144 }", child: { schedule: "[{ S[n, m, o, k] -> [(n)] }, { S[n, m, o, k] -> [(m)] }, { S[n, m, o, k] -> [(o)] }, { S[n, m, o, k] -> [(k)] }]" } } {
  poly.array @X input 0 : tensor<2x6x6x16xf16>
  poly.array @W input 1 : tensor<9x16x16xf16>
  poly.array @T output 0 : tensor<2x36x16xf32>
  poly.statement @S domain "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 0 <= k < 144 }"
      reads [@X "{ S[n, m, o, k] -> X[n, h, w, k mod 16] : h = floor(m / 6) + floor(k / 48) - 1 and w = m mod 6 + (floor(k / 16) mod 3) - 1 and 0 <= h < 6 and 0 <= w < 6 }",
             @W "{ S[n, m, o, k] -> W[floor(k / 16), k mod 16, o] }", @T "{ S[n, m, o, k] -> T[n, m, o] }"]
      writes @T "{ S[n, m, o, k] -> T[n, m, o] }"
      // expected-error@+1 {{(C1) needs two sizes of the kernel and two strides from 1 to 255, and two pads from 0 to 255}}
      img2col <kernel = [3, 3], strides = [0, 1], pads = [1, 1], output_width = 6> {
  ^bb0(%x: f16, %w: f16, %t: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %t, %2 : f32
    poly.yield %3 : f32
  }
}

// -----

func.func private @width_graph(tensor<2x6x6x16xf16>, tensor<144x16xf16>) -> tensor<2x36x16xf32>
poly.scop @width reference @width_graph schedule { domain: "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 0 <= k < 144 }", child: { schedule: "[{ S[n, m, o, k] -> [(n)] }, { S[n, m, o, k] -> [(m)] }, { S[n, m, o, k] -> [(o)] }, { S[n, m, o, k] -> [(k)] }]" } } {
  poly.array @X input 0 : tensor<2x6x6x16xf16>
  poly.array @W input 1 : tensor<9x16x16xf16>
  poly.array @T output 0 : tensor<2x36x16xf32>
  poly.statement @S domain "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 0 <= k < 144 }"
      reads [@X "{ S[n, m, o, k] -> X[n, h, w, k mod 16] : h = floor(m / 6) + floor(k / 48) - 1 and w = m mod 6 + (floor(k / 16) mod 3) - 1 and 0 <= h < 6 and 0 <= w < 6 }",
             @W "{ S[n, m, o, k] -> W[floor(k / 16), k mod 16, o] }", @T "{ S[n, m, o, k] -> T[n, m, o] }"]
      writes @T "{ S[n, m, o, k] -> T[n, m, o] }"
      // expected-error@+1 {{(C2) output_width is 0, but must be positive}}
      img2col <kernel = [3, 3], strides = [1, 1], pads = [1, 1], output_width = 0> {
  ^bb0(%x: f16, %w: f16, %t: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %t, %2 : f32
    poly.yield %3 : f32
  }
}

// -----

func.func private @image_graph(tensor<2x6x6x16xf16>, tensor<144x16xf16>) -> tensor<2x36x16xf32>
poly.scop @image reference @image_graph schedule { domain: "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 0 <= k < 144 }", child: { schedule: "[{ S[n, m, o, k] -> [(n)] }, { S[n, m, o, k] -> [(m)] }, { S[n, m, o, k] -> [(o)] }, { S[n, m, o, k] -> [(k)] }]" } } {
  poly.array @X input 0 : tensor<1x6x6x32xf16>
  poly.array @W input 1 : tensor<9x16x16xf16>
  poly.array @T output 0 : tensor<2x36x16xf32>
  // expected-error@+1 {{(C5) reads elements outside of @X, which is}}
  poly.statement @S domain "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 0 <= k < 144 }"
      reads [@X "{ S[n, m, o, k] -> X[n, h, w, k mod 16] : h = floor(m / 6) + floor(k / 48) - 1 and w = m mod 6 + (floor(k / 16) mod 3) - 1 and 0 <= h < 6 and 0 <= w < 6 }",
             @W "{ S[n, m, o, k] -> W[floor(k / 16), k mod 16, o] }", @T "{ S[n, m, o, k] -> T[n, m, o] }"]
      writes @T "{ S[n, m, o, k] -> T[n, m, o] }"
      img2col <kernel = [3, 3], strides = [1, 1], pads = [1, 1], output_width = 6> {
  ^bb0(%x: f16, %w: f16, %t: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %t, %2 : f32
    poly.yield %3 : f32
  }
}

// -----

func.func private @taps_graph(tensor<2x6x6x16xf16>, tensor<144x16xf16>) -> tensor<2x36x16xf32>
poly.scop @taps reference @taps_graph schedule { domain: "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 0 <= k < 144 }", child: { schedule: "[{ S[n, m, o, k] -> [(n)] }, { S[n, m, o, k] -> [(m)] }, { S[n, m, o, k] -> [(o)] }, { S[n, m, o, k] -> [(k)] }]" } } {
  poly.array @X input 0 : tensor<2x6x6x16xf16>
  poly.array @W input 1 : tensor<18x8x16xf16>
  poly.array @T output 0 : tensor<2x36x16xf32>
  // expected-error@+1 {{(C5) reads elements outside of @W, which is}}
  poly.statement @S domain "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 0 <= k < 144 }"
      reads [@X "{ S[n, m, o, k] -> X[n, h, w, k mod 16] : h = floor(m / 6) + floor(k / 48) - 1 and w = m mod 6 + (floor(k / 16) mod 3) - 1 and 0 <= h < 6 and 0 <= w < 6 }",
             @W "{ S[n, m, o, k] -> W[floor(k / 16), k mod 16, o] }", @T "{ S[n, m, o, k] -> T[n, m, o] }"]
      writes @T "{ S[n, m, o, k] -> T[n, m, o] }"
      img2col <kernel = [3, 3], strides = [1, 1], pads = [1, 1], output_width = 6> {
  ^bb0(%x: f16, %w: f16, %t: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %t, %2 : f32
    poly.yield %3 : f32
  }
}

// -----

func.func private @later_graph(tensor<2x6x6x16xf16>, tensor<144x16xf16>) -> tensor<2x36x16xf32>
poly.scop @later reference @later_graph schedule { domain: "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 16 <= k < 144 }", child: { schedule: "[{ S[n, m, o, k] -> [(n)] }, { S[n, m, o, k] -> [(m)] }, { S[n, m, o, k] -> [(o)] }, { S[n, m, o, k] -> [(k)] }]" } } {
  poly.array @X input 0 : tensor<2x6x6x16xf16>
  poly.array @W input 1 : tensor<9x16x16xf16>
  poly.array @T output 0 : tensor<2x36x16xf32>
  // expected-error@+1 {{(C5) iterations of dimension 3 do not begin at 0}}
  poly.statement @S domain "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 16 <= k < 144 }"
      reads [@X "{ S[n, m, o, k] -> X[n, h, w, k mod 16] : h = floor(m / 6) + floor(k / 48) - 1 and w = m mod 6 + (floor(k / 16) mod 3) - 1 and 0 <= h < 6 and 0 <= w < 6 }",
             @W "{ S[n, m, o, k] -> W[floor(k / 16), k mod 16, o] }", @T "{ S[n, m, o, k] -> T[n, m, o] }"]
      writes @T "{ S[n, m, o, k] -> T[n, m, o] }"
      img2col <kernel = [3, 3], strides = [1, 1], pads = [1, 1], output_width = 6> {
  ^bb0(%x: f16, %w: f16, %t: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %t, %2 : f32
    poly.yield %3 : f32
  }
}

// -----

func.func private @matrix_graph(tensor<2x6x6x16xf16>, tensor<144x16xf16>) -> tensor<2x36x16xf32>
poly.scop @matrix reference @matrix_graph schedule { domain: "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 0 <= k < 144 }", child: { schedule: "[{ S[n, m, o, k] -> [(n)] }, { S[n, m, o, k] -> [(m)] }, { S[n, m, o, k] -> [(o)] }, { S[n, m, o, k] -> [(k)] }]" } } {
  poly.array @X input 0 : tensor<2x36x16xf16>
  poly.array @W input 1 : tensor<9x16x16xf16>
  poly.array @T output 0 : tensor<2x36x16xf32>
  // expected-error@+1 {{(C5) @X has 3 dimensions; img2col takes images [n, h, w, c] and weights [tap, c, column]}}
  poly.statement @S domain "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 0 <= k < 144 }"
      reads [@X "{ S[n, m, o, k] -> X[n, m, k mod 16] }",
             @W "{ S[n, m, o, k] -> W[floor(k / 16), k mod 16, o] }", @T "{ S[n, m, o, k] -> T[n, m, o] }"]
      writes @T "{ S[n, m, o, k] -> T[n, m, o] }"
      img2col <kernel = [3, 3], strides = [1, 1], pads = [1, 1], output_width = 6> {
  ^bb0(%x: f16, %w: f16, %t: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %t, %2 : f32
    poly.yield %3 : f32
  }
}

// -----

func.func private @nothing_graph(tensor<2x6x6x16xf16>, tensor<144x16xf16>) -> tensor<2x36x16xf32>
poly.scop @nothing reference @nothing_graph schedule { domain: "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 0 <= k < 144 }", child: { schedule: "[{ S[n, m, o, k] -> [(n)] }, { S[n, m, o, k] -> [(m)] }, { S[n, m, o, k] -> [(o)] }, { S[n, m, o, k] -> [(k)] }]" } } {
  poly.array @X input 0 : tensor<2x6x6x16xf16>
  poly.array @W input 1 : tensor<9x16x16xf16>
  poly.array @T output 0 : tensor<2x36x16xf32>
  // expected-error@+1 {{(C5) reads @X by}}
  poly.statement @S domain "{ S[n, m, o, k] : 0 <= n < 2 and 0 <= m < 36 and 0 <= o < 16 and 0 <= k < 144 }"
      reads [@X "{ S[n, m, o, k] -> X[n, h, w, c] : h = 0 and w = 0 and c = 99 and c < 16 }",
             @W "{ S[n, m, o, k] -> W[floor(k / 16), k mod 16, o] }", @T "{ S[n, m, o, k] -> T[n, m, o] }"]
      writes @T "{ S[n, m, o, k] -> T[n, m, o] }"
      img2col <kernel = [3, 3], strides = [1, 1], pads = [1, 1], output_width = 6> {
  ^bb0(%x: f16, %w: f16, %t: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %t, %2 : f32
    poly.yield %3 : f32
  }
}
