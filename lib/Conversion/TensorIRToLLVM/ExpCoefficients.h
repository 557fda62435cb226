// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Numbers that the exponential is computed from: x = n ln2 + r with
// |r| <= ln2 / 2, and e^r as a polynomial, or x log2(e) = n + r with 0 <= r <
// 1, and 2^r as one. The fits are described in MathExpansion.cpp.

#ifndef GC_LIB_CONVERSION_TENSORIRTOLLVM_EXPCOEFFICIENTS_H
#define GC_LIB_CONVERSION_TENSORIRTOLLVM_EXPCOEFFICIENTS_H

namespace gc {

inline constexpr double kLog2E = 1.4426950408889634;
inline constexpr double kLn2 = 0.6931471805599453;
/// ln2 in two parts. The upper one has trailing zeros: its products with n are
/// exact.
inline constexpr double kLn2Upper = 0.693145751953125,
                        kLn2Lower = 1.42860677e-06;
/// Of e^r, relative error 3e-9.
inline constexpr double kExp[] = {1,
                                  1,
                                  0.4999999403953552,
                                  0.1666652113199234,
                                  0.04166838899254799,
                                  0.0083687175065279,
                                  0.0013814596459269524};
/// The same with a relative error of 9e-8; 1 for r = 0.
inline constexpr double kShortExp[] = {1,
                                       0.9999997019767761,
                                       0.4999914765357971,
                                       0.1666763871908188,
                                       0.04189816117286682,
                                       0.008290272206068039};

/// Of 2^r for 0 <= r < 1, relative error 8e-8; 1 for r = 0.
inline constexpr double kShortExp2[] = {1,
                                        0.6931512951850891,
                                        0.2401645928621292,
                                        0.055799514055252075,
                                        0.009017481468617916,
                                        0.001866951584815979};

} // namespace gc

#endif // GC_LIB_CONVERSION_TENSORIRTOLLVM_EXPCOEFFICIENTS_H
