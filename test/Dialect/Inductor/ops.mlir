// Everything that is accepted, and how it prints.

// RUN: spyre-opt %s | FileCheck %s
// RUN: spyre-opt %s --mlir-print-op-generic | spyre-opt | FileCheck %s
// RUN: spyre-opt %s --emit-bytecode | spyre-opt | FileCheck %s

#row = affine_map<(d0, d1) -> (d0, d1)>
#first = affine_map<(d0, d1) -> (d0, 0)>
!t = tensor<8x20xf32, #inductor.layout<fixed, [20, 1]>>
!m = tensor<8x1xf32, #inductor.layout<flexible, [1, 8]>>

// CHECK-DAG: #inductor.layout<fixed, [1], size = [160]>
// CHECK-DAG: #inductor.layout<fixed, [s1 * 4, 1], size = [s0 * s1, 4], offset = s1 + 3>
// CHECK-LABEL: inductor.graph @loops symbols [#inductor.sym<"s77", hint = 12, min = 2>, #inductor.sym<"s5">] phase "forward"
inductor.graph @loops symbols [#inductor.sym<"s77", min = 2, hint = 12>, #inductor.sym<"s5">] phase "forward" {
  // CHECK: %arg0 = inductor.input "arg0" size [s0 * 2] : index
  %0 = inductor.input "arg0" size [s0 * 2] : index
  // CHECK: %arg1 = inductor.input "arg1" : tensor<8x20xf32, #layout>
  %x = inductor.input "arg1" : !t
  // CHECK: inductor.input "arg2" : tensor<?x4xbf16, #layout{{[0-9]*}}>
  %y = inductor.input "arg2" : tensor<?x4xbf16, #inductor.layout<fixed, [s1 * 4, 1], size = [s0 * s1, 4], offset = s1 + 3>>
  // CHECK: inductor.constant "c0" value dense<1> : tensor<2xi64> : tensor<2xi64, #layout{{[0-9]*}}>
  %c = inductor.constant "c0" value dense<1> : tensor<2xi64> : tensor<2xi64, #inductor.layout<fixed, [1]>>

  // CHECK: %buf0 = inductor.reduction "op0" as "buf0" max [8, 1] over [20] from f32 hint "INNER" {
  // CHECK-NEXT: ^bb0(%i0: index, %i1: index):
  // CHECK-NEXT:   %[[V:.*]] = inductor.load %arg1 at #{{.*}}(%i0, %i1) : tensor<8x20xf32, #layout> -> f32
  // CHECK-NEXT:   inductor.store %[[V]] at #{{.*}}(%i0, %i1) : f32
  // CHECK-NEXT: } : tensor<8x1xf32
  %max = inductor.reduction "op0" as "buf0" max [8, 1] over [20] from f32 hint "INNER" {
  ^bb0(%i: index, %r: index):
    %v = inductor.load %x at #row(%i, %r) : !t -> f32
    inductor.store %v at #first(%i, %r) : f32
  } : !m

  // CHECK: inductor.reduction "op1" as "buf1" welford_reduce [8] over [20] from f32 output 2 {
  %count = inductor.reduction "op1" as "buf1" welford_reduce [8] over [20] from f32 output 2 {
  ^bb0(%i: index, %r: index):
    %v = inductor.load %x at #row(%i, %r) : !t -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0)>(%i, %r) : f32
  } : tensor<8xf32, #inductor.layout<fixed, [1]>>

  // A merged loop, and a view of memory.
  // CHECK: inductor.pointwise "op2" as "buf2" [8, 20] loops [160] {
  // CHECK:   inductor.load {{.*}} at #{{.*}}(%i0) view #layout{{[0-9]+}} : tensor<8x20xf32, #layout> -> f32
  // CHECK:   inductor.index_expr #{{.*}}(%i0) : i64
  // CHECK:   inductor.masked %{{.*}} else -1.000000e+00 : f32 {
  // CHECK:     inductor.yield %{{.*}} : f32
  // CHECK:   inductor.to_dtype %{{.*}} from f32 to f16 : f32 -> f32
  // CHECK:   inductor.apply "sigmoid"(%{{.*}}) : (f32) -> f32
  %line = inductor.pointwise "op2" as "buf2" [8, 20] loops [160] {
  ^bb0(%i: index):
    %v = inductor.load %x at affine_map<(d0) -> (d0)>(%i) view <fixed, [1], size = [160]> : !t -> f32
    %n = inductor.index_expr affine_map<(d0) -> (d0 - 3)>(%i) : i64
    %zero = arith.constant 0 : i64
    %inside = arith.cmpi sge, %n, %zero : i64
    %w = inductor.masked %inside else -1.0 : f32 {
      inductor.yield %v : f32
    } : f32
    %h = inductor.to_dtype %w from f32 to f16 : f32 -> f32
    %s = inductor.apply "sigmoid"(%h) : (f32) -> f32
    inductor.store %s at affine_map<(d0) -> (d0)>(%i) view <fixed, [1], size = [160]> : f32
  } : !t

  // CHECK: inductor.pointwise "op3" as "buf3" [8, 20] into %arg1 : tensor<8x20xf32, #layout> {
  %new = inductor.pointwise "op3" as "buf3" [8, 20] into %x : !t {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %line at #row(%i, %j) : !t -> f32
    inductor.store %v at #row(%i, %j) : f32
  } : !t

  // Elements that the program chooses.
  // CHECK: inductor.pointwise "op4" as "buf4" [2, 20] {
  // CHECK:   %[[AT:.*]] = inductor.indirect %{{.*}} below [8] check wrap : i64
  // CHECK:   inductor.load {{.*}} at #{{.*}}(%i1, %[[AT]])
  %chosen = inductor.pointwise "op4" as "buf4" [2, 20] {
  ^bb0(%i: index, %j: index):
    %n = inductor.load %c at affine_map<(d0, d1) -> (d0)>(%i, %j) : tensor<2xi64, #inductor.layout<fixed, [1]>> -> i64
    %at = inductor.indirect %n below [8] check wrap : i64
    %v = inductor.load %x at affine_map<(d0, d1) -> (d1, d0)>(%j, %at) : !t -> f32
    inductor.store %v at #row(%i, %j) : f32
  } : tensor<2x20xf32, #inductor.layout<fixed, [20, 1]>>

  // CHECK: inductor.scatter "op5" as "buf5" [2, 20] into %arg1 mode "atomic_add" {
  %added = inductor.scatter "op5" as "buf5" [2, 20] into %x mode "atomic_add" {
  ^bb0(%i: index, %j: index):
    %n = inductor.load %c at affine_map<(d0, d1) -> (d0)>(%i, %j) : tensor<2xi64, #inductor.layout<fixed, [1]>> -> i64
    %at = inductor.indirect %n below [8] : i64
    %v = inductor.load %chosen at #row(%i, %j) : tensor<2x20xf32, #inductor.layout<fixed, [20, 1]>> -> f32
    inductor.store %v at #row(%at, %j) : f32
  } : !t -> !t

  // CHECK: inductor.scan "op6" as "buf6" [8, 20] over [20] output 0 {
  // CHECK: } combine {
  // CHECK:   inductor.yield
  %sums = inductor.scan "op6" as "buf6" [8, 20] over [20] output 0 {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at #row(%i, %j) : !t -> f32
    inductor.store %v at #row(%i, %j) : f32
  } combine {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    inductor.yield %s : f32
  } : !t

  // CHECK: inductor.sort "op7" as "buf7" [8, 20] over [20] output 1 stable descending {
  %order = inductor.sort "op7" as "buf7" [8, 20] over [20] output 1 stable descending {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at #row(%i, %j) : !t -> f32
    %n = inductor.index_expr affine_map<(d0) -> (d0)>(%j) : i16
    inductor.store %v, %n at #row(%i, %j) : f32, i16
  } : tensor<8x20xi16, #inductor.layout<fixed, [20, 1]>>

  // CHECK: %buf8 = inductor.extern "op8" as "buf8" "FallbackKernel" "aten.topk.default"(%arg1) {call = {args = [#inductor.operand<0>, 3]}} : (tensor<8x20xf32, #layout>) -> !inductor.results
  %top = inductor.extern "op8" as "buf8" "FallbackKernel" "aten.topk.default"(%x) {call = {args = [#inductor.operand<0>, 3]}} : (!t) -> !inductor.results
  // CHECK: inductor.multi_output "op9" as "buf9" %buf8 {{\[}}["tuple", 0]] : !inductor.results -> tensor<8x3xf32
  %best = inductor.multi_output "op9" as "buf9" %top [["tuple", 0]] : !inductor.results -> tensor<8x3xf32, #inductor.layout<fixed, [3, 1]>>
  // CHECK: inductor.extern "op10" as "buf10" "ScatterFallback"(%arg1, %{{.*}}) mutates [0] : (
  %written = inductor.extern "op10" as "buf10" "ScatterFallback"(%x, %c) mutates [0] : (!t, tensor<2xi64, #inductor.layout<fixed, [1]>>) -> !t
  // CHECK: inductor.concat "op11" as "buf11" %{{.*}}, %{{.*}} : (
  %both = inductor.concat "op11" as "buf11" %x, %best : (!t, tensor<8x3xf32, #inductor.layout<fixed, [3, 1]>>) -> tensor<8x23xf32, #inductor.layout<fixed, [23, 1]>>
  // CHECK: inductor.view %{{.*}} : tensor<8x23xf32, #layout{{[0-9]*}}> -> tensor<184xf32, #layout{{[0-9]*}}>
  %flat = inductor.view %both : tensor<8x23xf32, #inductor.layout<fixed, [23, 1]>> -> tensor<184xf32, #inductor.layout<fixed, [1]>>
  // CHECK: %buf12 = inductor.kernel "op12_op13" outer 1 of [1, 1] {
  // CHECK:   %[[FIRST:.*]] = inductor.reduction "op12"
  // CHECK:   %[[SECOND:.*]] = inductor.pointwise "op13" as "buf12"
  // CHECK:   inductor.yield %[[SECOND]] : tensor<8x20xf32
  // CHECK: } {hints = []} : tensor<8x20xf32
  %kernel = inductor.kernel "op12_op13" outer 1 of [1, 1] {
    %k0 = inductor.reduction "op12" as "buf13" max [8, 1] over [20] from f32 {
    ^bb0(%i: index, %r: index):
      %v = inductor.load %x at #row(%i, %r) : !t -> f32
      inductor.store %v at #first(%i, %r) : f32
    } : !m
    %k1 = inductor.pointwise "op13" as "buf12" [8, 20] {
    ^bb0(%i: index, %r: index):
      %v = inductor.load %k0 at #first(%i, %r) : !m -> f32
      inductor.store %v at #row(%i, %r) : f32
    } : !t
    inductor.yield %k1 : !t
  } {hints = []} : !t
  // CHECK: inductor.return %{{.*}}, %{{.*}} outputs [#inductor.operand<0>, unit, #map{{[0-9]*}}] mutated ["arg1"] : tensor<184xf32, #layout{{[0-9]*}}>, tensor<8x20xf32, #layout>
  inductor.return %flat, %new outputs [#inductor.operand<0>, unit, affine_map<()[s0] -> (s0)>] mutated ["arg1"] : tensor<184xf32, #inductor.layout<fixed, [1]>>, !t
}

// CHECK-LABEL: inductor.graph @indices
inductor.graph @indices {
  %x = inductor.input "x" : !t
  %y = inductor.pointwise "op0" as "buf0" [8, 20] {
  ^bb0(%i: index, %j: index):
    // CHECK: %[[LOW:.*]] = inductor.index_apply "max" #{{.*}}(%i0, %i1)
    %low = inductor.index_apply "max" affine_map<(d0, d1) -> (0, d1 - 2)>(%i, %j)
    // CHECK: %[[HIGH:.*]] = inductor.index_apply "min" #{{.*}}(%i0, %i1, %[[LOW]])
    %high = inductor.index_apply "min" affine_map<(d0, d1, d2) -> (19, d2)>(%i, %j, %low)
    // CHECK: inductor.index_apply "modidx" #{{.*}}(%i0, %i1)
    %digit = inductor.index_apply "modidx" affine_map<(d0, d1) -> (d1, d0 + 1, 4)>(%i, %j)
    // CHECK: inductor.check_bounds #{{.*}}(%i0, %i1) below [8] lower upper
    inductor.check_bounds affine_map<(d0, d1) -> (d0)>(%i, %j) below [8] lower upper
    // CHECK: inductor.load %x at #{{.*}}(%i0, %i1, %[[HIGH]])
    %v = inductor.load %x at affine_map<(d0, d1, d2) -> (d0, d2)>(%i, %j, %high) : !t -> f32
    inductor.store %v at #row(%i, %j) : f32
  } : !t
  inductor.return %y outputs [#inductor.operand<0>] : !t
}
