//===- Spyre.h - The spyre dialect ------------------------------*- C++ -*-===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPYRE_SPYRE_H
#define SPYRE_SPYRE_H

// Files that name no operation include this alone: a new operation does not compile them again.
#include "spyre/SpyreBase.h"

#define GET_OP_CLASSES
#include "SpyreOps.h.inc"

#endif // SPYRE_SPYRE_H
