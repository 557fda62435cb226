// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A dialect for tests: ops of another project in the passes of ours.

#ifndef GC_TEST_LIB_TESTGRAPH_H
#define GC_TEST_LIB_TESTGRAPH_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace gc::test {

void registerTestGraphDialect(mlir::DialectRegistry &registry);

} // namespace gc::test

#endif // GC_TEST_LIB_TESTGRAPH_H
