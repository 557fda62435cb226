// RUN: gc-opt %s --split-input-file --verify-diagnostics

// Text after the tree.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
// expected-error@+1 {{(C1) there is text after the end of a schedule}}
poly.scop @s reference @f schedule "{ domain: \"{ S0[i] : 0 <= i < 8 }\" } and more" {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// No tree.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
// expected-error@+1 {{(C1) isl does not read}}
poly.scop @s reference @f schedule { child: 1 } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// A statement that does not exist.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
// expected-error@+1 {{(C2) the domain has { S1[i] : 0 <= i <= 7 }, which are not instances of a statement or a tile}}
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8; S1[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// Instances that do not exist.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
// expected-error@+1 {{(C2) the domain has { S0[i = 8] }, which are not instances}}
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 9 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// Instances that are nowhere.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
// expected-error@+1 {{(C3) the tree drops the instances { S0[i = 7] }}}
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 7 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// A band with no place for some instances.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
// expected-error@+1 {{(C4) a band has no place for the instances { S0[i] : 5 <= i <= 7 }}}
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }", child: { schedule: "[{ S0[i] -> [(i)] : i < 5 }]" } } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// So has a sequence.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
// expected-error@+1 {{(C4) a sequence has no place for the instances { S0[i = 2] }}}
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }", child: { sequence: [ { filter: "{ S0[i] : i < 2 }" }, { filter: "{ S0[i] : i > 2 }" } ] } } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// A sequence that has instances twice.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
// expected-error@+1 {{shares instances with the filters before it}}
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }", child: { sequence: [ { filter: "{ S0[i] : i < 5 }" }, { filter: "{ S0[i] : i > 2 }" } ] } } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// An extension by something unknown.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
// expected-error@+1 {{(C2) an extension has { Z[] }}}
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }", child: { extension: "{ [] -> Z[] }", child: { sequence: [ { filter: "{ Z[] }" }, { filter: "{ S0[i] }" } ] } } } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// No reference.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
// expected-error@+1 {{(C5) there is no function @g}}
poly.scop @s reference @g schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// No such input.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  // expected-error@+1 {{(C5) @f has 1 inputs, no input 1}}
  poly.array @X input 1 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// Other elements than the input.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  // expected-error@+1 {{(C5) does not have the elements of input 0 of @f, a 'tensor<8xf16>'}}
  poly.array @X input 0 : tensor<9xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// The same output twice.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8; S1[i] : i = 0 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
  // expected-error@+1 {{(C5) output 0 is another array too}}
  poly.array @Z output 0 : tensor<8xf16>
  poly.statement @S1 domain "{ S1[i] : i = 0 }" reads [@X "{ S1[i] -> X[i] }"] writes @Z "{ S1[i] -> Z[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// No output.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
// expected-error@+1 {{(C5) no array is output 0 of @f}}
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y temporary : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// A written input.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  // expected-error@+1 {{(C6) is an input, but it is written}}
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @X "{ S0[i] -> X[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// A temporary that nothing writes.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
  // expected-error@+1 {{(C6) is not written by any statement}}
  poly.array @Z temporary : tensor<8xf16>
}

// -----

// Something else in a scop.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
// expected-error@+1 {{has 'arith.constant', but only arrays, statements, buffers and tiles may be in it}}
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
  %c = arith.constant 1 : index
}

// -----

// An array of unknown shape.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  // expected-error@+1 {{(C1) needs a static shape with elements}}
  poly.array @X input 0 : tensor<?xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// Elements that the machine does not have.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  // expected-error@+1 {{(C2) has elements of 'f64'}}
  poly.array @X input 0 : tensor<8xf64>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// Text after the domain.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  // expected-error@+1 {{(C1) domain: there is text after the end of a set}}
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 } + 1" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// No set.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  // expected-error@+1 {{(C1) domain: isl does not read 'S0' as a set}}
  poly.statement @S0 domain "S0" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// Another name.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  // expected-error@+1 {{has points named 'S'}}
  poly.statement @S0 domain "{ S[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// Parameters.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  // expected-error@+1 {{depends on parameters}}
  poly.statement @S0 domain "[n] -> { S0[i] : 0 <= i < n }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// No instances.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  // expected-error@+1 {{is empty}}
  poly.statement @S0 domain "{ S0[i] : 8 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// Instances without end.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  // expected-error@+1 {{is not bounded}}
  poly.statement @S0 domain "{ S0[i] : 0 <= i }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// An array that does not exist.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  // expected-error@+1 {{(C2) access of @Z: the scop has no such array}}
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@Z "{ S0[i] -> Z[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// An access of another array.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  // expected-error@+1 {{does not lead to 1 indices of X}}
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> Y[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// Too many indices.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  // expected-error@+1 {{does not lead to 1 indices of X}}
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i, i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// An access out of bounds.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  // expected-error@+1 {{leads to elements outside of 'tensor<8xf16>'}}
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i + 1] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// An access of a part of the domain.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  // expected-error@+1 {{is not defined on all of the domain}}
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] : i > 0 }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// Several elements.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  // expected-error@+1 {{is not a function}}
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[j] : 0 <= j < 8 }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// An access by another statement.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  // expected-error@+1 {{is not defined on all of the domain}}
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S1[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// Text after an access.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  // expected-error@+1 {{there is text after the end of a map}}
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }; x"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// Two elements for one read.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  // expected-error@+1 {{(C3) reads 1 elements, but its region has 2 arguments}}
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16, %y: f16):
    poly.yield %x : f16
  }
}

// -----

// An element of another type.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  // expected-error@+1 {{(C3) argument 0 is 'f32', but elements of @X are 'f16'}}
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    poly.yield %y : f16
  }
}

// -----

// A result of another type.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  // expected-error@+1 {{(C3) has to end with poly.yield of 'f16'}}
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    %y = arith.extf %x : f16 to f32
    poly.yield %y : f32
  }
}

// -----

// No scalar ops.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  // expected-error@+1 {{(C4) has 'memref.alloc' in its region}}
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    %t = memref.alloc() : memref<8xf16>
    poly.yield %x : f16
  }
}

// -----

// A buffer of nothing.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
  // expected-error@+1 {{(C1) is of @Z, but the scop has no such array}}
  poly.buffer @b of @Z : memref<8xf16>
}

// -----

// A buffer of unknown size.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
  // expected-error@+1 {{(C2) needs a static shape}}
  poly.buffer @b of @X : memref<?xf16>
}

// -----

// A tile with too few arguments.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
  // expected-error@+1 {{(C2) has 1 coordinates, so its region needs as many arguments of type index}}
  poly.tile @T domain "{ T[i] : 0 <= i < 2 }" {
  }
}

// -----

// Nothing of that name in a tile.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
  poly.buffer @b of @X : memref<4xf16>
  poly.tile @T domain "{ T[i] : i = 0 }" {
  ^bb0(%i: index):
    // expected-error@+1 {{(C1) names @Z, but the scop has no such array or buffer}}
    %r = poly.ref @Z : memref<8xf16>
  }
}

// -----

// Another shape than the array.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
  poly.buffer @b of @X : memref<4xf16>
  poly.tile @T domain "{ T[i] : i = 0 }" {
  ^bb0(%i: index):
    // expected-error@+1 {{(C1) has type 'memref<9xf16>', but array @X is 'tensor<8xf16>'}}
    %r = poly.ref @X : memref<9xf16>
  }
}

// -----

// Another type than the buffer.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
  poly.buffer @b of @X : memref<4xf16>
  poly.tile @T domain "{ T[i] : i = 0 }" {
  ^bb0(%i: index):
    // expected-error@+1 {{(C1) has type 'memref<9xf16>', but buffer @b is 'memref<4xf16>'}}
    %r = poly.ref @b : memref<9xf16>
  }
}

// -----

// A tree is a map of keys and values.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
// expected-error@+1 {{expected a schedule tree: a string or a number, or a list or a map of those}}
poly.scop @s reference @f schedule x {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// Text after a string inside the tree, which isl does not read.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
// expected-error@+1 {{(C1) there is text after the end of '[{ S0[i] -> [(i)] }]' in the tree: 'junk'}}
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }", child: { schedule: "[{ S0[i] -> [(i)] }] junk" } } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// The same after a filter.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
// expected-error@+1 {{(C1) there is text after the end of '{ S0[i] }' in the tree: 'junk { }'}}
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }", child: { sequence: [ { filter: "{ S0[i] } junk { }" } ] } } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// A band of a statement that does not exist.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
// expected-error@+1 {{(C2) a band names 'S9', which is not a statement or a tile}}
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }", child: { schedule: "[{ S0[i] -> [(i)]; S9[i] -> [(i)] }]" } } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// A filter of one.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
// expected-error@+1 {{(C2) a filter names 'S9', which is not a statement or a tile}}
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }", child: { sequence: [ { filter: "{ S0[i] }" }, { filter: "{ S9[i] }" } ] } } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// A parameter.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
// expected-error@+1 {{(C1) '[n] -> { S0[i] : 0 <= i < 8 }' in the tree depends on parameters, which are not supported}}
poly.scop @s reference @f schedule { domain: "[n] -> { S0[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// A context.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
// expected-error@+1 {{(C1) the tree has a context, a guard or an expansion, which are not supported}}
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }", child: { context: "{ [] }" } } {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}
