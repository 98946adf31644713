//===- InterTile.td - Communication of compute tiles -------*- tablegen -*-===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream calls these operations experimental. They are read and printed; no
// pass writes them.
//
//===----------------------------------------------------------------------===//

#ifndef KTDP_INTER_TILE_TD
#define KTDP_INTER_TILE_TD

def Ktdp_InterTileProduceOp : Ktdp_Op<"inter_tile_produce", [SingleBlock]> {
  let summary = "Contribute tensors to a communication of compute tiles";
  let description = [{
    The compute tiles `i` of `producer_tiles_per_group` contribute to group `g`
    the tensors that the region yields. The argument of the region is the group.

    ```mlir
    %f = ktdp.inter_tile_produce
        producer_tiles_per_group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
        -> <(tensor<1x64xf16>), groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>> {
    ^bb0(%g: index):
      ktdp.yield_partial %partial : tensor<1x64xf16>
    }
    ```

    * (KT29) The set has one dimension and one symbol.
    * (KT30) The region has one argument, an `index`, and yields tensors of the
      types of the future.
  }];
  let arguments = (ins Builtin_IntegerSetAttr:$producer_tiles_per_group);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Ktdp_TileFutureType:$future);
  let hasRegionVerifier = 1;
  let assemblyFormat = [{
    `producer_tiles_per_group` `=` $producer_tiles_per_group attr-dict
    custom<Future>(type($future)) $body
  }];
}

def Ktdp_InterTileConsumeOp : Ktdp_Op<"inter_tile_consume"> {
  let summary = "Receive the tensors of another compute tile";
  let description = [{
    The compute tiles `i` of `consumer_tiles_per_group` receive the tensors of a
    producer `p` of their group `g`. Where a group has several producers,
    `producer_dependency_per_consumer` has the producer of each consumer `c`.

    ```mlir
    %r = ktdp.inter_tile_consume(%f)
        consumer_tiles_per_group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
        : <(tensor<1x64xf16>), groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>> -> tensor<1x64xf16>
    ```

    * (KT31) The set of consumers has one dimension and one symbol; that of
      producers has one dimension, and one symbol or two.
    * (KT32) The results have the types of the future.
  }];
  let arguments = (ins
    Ktdp_TileFutureType:$future,
    Builtin_IntegerSetAttr:$consumer_tiles_per_group,
    OptionalAttr<Builtin_IntegerSetAttr>:$producer_dependency_per_consumer);
  let results = (outs Variadic<AnyRankedTensor>:$received);
  let assemblyFormat = [{
    `(` $future `)` `consumer_tiles_per_group` `=` $consumer_tiles_per_group
    (`,` `producer_dependency_per_consumer` `=` $producer_dependency_per_consumer^)?
    attr-dict `:` type($future) `->` type($received)
  }];
}

def Ktdp_InterTileReduceOp : Ktdp_Op<"inter_tile_reduce", [SingleBlock]> {
  let summary = "Receive the combined tensors of all producers of the group";
  let description = [{
    The region combines two contributions, each of them all tensors of the
    future; the combination starts with `identity`. The other attributes are as
    in `ktdp.inter_tile_consume` (KT31, KT32).

    ```mlir
    %r = ktdp.inter_tile_reduce(%f)
        consumer_tiles_per_group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>,
        identity(%zero : tensor<1x64xf16>)
        : <(tensor<1x64xf16>), groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>> -> tensor<1x64xf16> {
    ^bb0(%a: tensor<1x64xf16>, %b: tensor<1x64xf16>):
      %sum = arith.addf %a, %b : tensor<1x64xf16>
      ktdp.yield_reduced %sum : tensor<1x64xf16>
    }
    ```

    * (KT33) The identities have the types of the future.
    * (KT34) The region has the arguments of two contributions, and yields one.
  }];
  let arguments = (ins
    Ktdp_TileFutureType:$future,
    Variadic<AnyRankedTensor>:$identity,
    Builtin_IntegerSetAttr:$consumer_tiles_per_group,
    OptionalAttr<Builtin_IntegerSetAttr>:$producer_dependency_per_consumer);
  let regions = (region SizedRegion<1>:$combiner);
  let results = (outs Variadic<AnyRankedTensor>:$reduced);
  let hasRegionVerifier = 1;
  let assemblyFormat = [{
    `(` $future `)` `consumer_tiles_per_group` `=` $consumer_tiles_per_group `,`
    (`producer_dependency_per_consumer` `=` $producer_dependency_per_consumer^ `,`)?
    `identity` `(` ($identity^ `:` type($identity))? `)`
    attr-dict `:` type($future) `->` type($reduced) $combiner
  }];
}

/// The last operation of a region that yields tensors.
class Ktdp_YieldOp<string opMnemonic, string parent>
    : Op<Ktdp_Dialect, opMnemonic, [Pure, Terminator, HasParent<parent>]> {
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Ktdp_YieldPartialOp : Ktdp_YieldOp<"yield_partial", "InterTileProduceOp"> {
  let summary = "The tensors that a compute tile contributes";
  let description = "The last operation of the region of `ktdp.inter_tile_produce`.";
}

def Ktdp_YieldReducedOp : Ktdp_YieldOp<"yield_reduced", "InterTileReduceOp"> {
  let summary = "The combination of two contributions";
  let description = "The last operation of the region of `ktdp.inter_tile_reduce`.";
}

#endif // KTDP_INTER_TILE_TD
