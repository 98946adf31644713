//===- Spyre.td - The spyre dialect ------------------------*- tablegen -*-===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPYRE_TD
#define SPYRE_TD

include "spyre/SpyreDialect.td"
include "spyre/SpyreAttrs.td"
include "spyre/SpyreInterfaces.td"
include "spyre/SpyreOps.td"

#endif // SPYRE_TD
