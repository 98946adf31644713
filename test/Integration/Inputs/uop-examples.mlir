// What the programs of examples/uop compute, written with named operations and loops of upstream.

#line = affine_map<(d0) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#columns = affine_map<(d0, d1) -> (d1)>

func.func @gemm(%a: tensor<64x128xf32>, %b: tensor<128x256xf32>) -> tensor<64x256xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x256xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x128xf32>, tensor<128x256xf32>) outs(%f : tensor<64x256xf32>) -> tensor<64x256xf32>
  return %0 : tensor<64x256xf32>
}

func.func @softmax(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %e = tensor.empty() : tensor<64x512xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<64x512xf32>) outs(%e : tensor<64x512xf32>) -> tensor<64x512xf32>
  return %0 : tensor<64x512xf32>
}

func.func @attention(%q: tensor<4x64x64xf32>, %k: tensor<4x64x64xf32>, %v: tensor<4x64x64xf32>) -> tensor<4x64x64xf32> {
  %z = arith.constant 0.0 : f32
  %eighth = arith.constant dense<0.125> : tensor<4x64x64xf32>
  %e = tensor.empty() : tensor<4x64x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %t = linalg.transpose ins(%k : tensor<4x64x64xf32>) outs(%e : tensor<4x64x64xf32>) permutation = [0, 2, 1]
  %s = linalg.batch_matmul ins(%q, %t : tensor<4x64x64xf32>, tensor<4x64x64xf32>) outs(%f : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %scaled = arith.mulf %s, %eighth : tensor<4x64x64xf32>
  %p = linalg.softmax dimension(2) ins(%scaled : tensor<4x64x64xf32>) outs(%e : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %0 = linalg.batch_matmul ins(%p, %v : tensor<4x64x64xf32>, tensor<4x64x64xf32>) outs(%f : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  return %0 : tensor<4x64x64xf32>
}

// (x - mean) / sqrt(variance + 1e-5) * scale + shift
func.func @layer_norm(%x: tensor<64x512xf32>, %scale: tensor<512xf32>, %shift: tensor<512xf32>) -> tensor<64x512xf32> {
  %z = arith.constant 0.0 : f32
  %n = arith.constant 512.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %r = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%z : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.reduce ins(%x : tensor<64x512xf32>) outs(%f : tensor<64xf32>) dimensions = [1] (%a: f32, %o: f32) {
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }
  %squares = linalg.generic {indexing_maps = [#all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum : tensor<64x512xf32>, tensor<64xf32>) outs(%f : tensor<64xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %mean = arith.divf %m, %n : f32
    %d = arith.subf %a, %mean : f32
    %q = arith.mulf %d, %d : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %e = tensor.empty() : tensor<64x512xf32>
  %0 = linalg.generic {indexing_maps = [#all, #rows, #rows, #columns, #columns, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %squares, %scale, %shift : tensor<64x512xf32>, tensor<64xf32>, tensor<64xf32>, tensor<512xf32>, tensor<512xf32>) outs(%e : tensor<64x512xf32>) {
  ^bb0(%a: f32, %m: f32, %v: f32, %g: f32, %b: f32, %o: f32):
    %mean = arith.divf %m, %n : f32
    %d = arith.subf %a, %mean : f32
    %variance = arith.divf %v, %n : f32
    %plus = arith.addf %variance, %eps : f32
    %root = math.sqrt %plus : f32
    %norm = arith.divf %d, %root : f32
    %scaled = arith.mulf %norm, %g : f32
    %y = arith.addf %scaled, %b : f32
    linalg.yield %y : f32
  } -> tensor<64x512xf32>
  return %0 : tensor<64x512xf32>
}

func.func @arange() -> tensor<64xi32> {
  %e = tensor.empty() : tensor<64xi32>
  %0 = linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]} outs(%e : tensor<64xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    linalg.yield %n : i32
  } -> tensor<64xi32>
  return %0 : tensor<64xi32>
}

func.func @prefix_sum(%x: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %0:2 = scf.for %i = %c0 to %c64 step %c1 iter_args(%y = %e, %so = %z) -> (tensor<64xf32>, f32) {
    %a = tensor.extract %x[%i] : tensor<64xf32>
    %s = arith.addf %so, %a : f32
    %w = tensor.insert %s into %y[%i] : tensor<64xf32>
    scf.yield %w, %s : tensor<64xf32>, f32
  }
  return %0#0 : tensor<64xf32>
}

// A row, or zeros where the index is none of a row.
func.func @gather(%table: tensor<128x64xf32>, %index: tensor<32xi32>) -> tensor<32x64xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = arith.constant 128 : i32
  %e = tensor.empty() : tensor<32x64xf32>
  %0 = linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel"]} ins(%index : tensor<32xi32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%i: i32, %o: f32):
    %column = linalg.index 1 : index
    // A negative one is large without a sign.
    %inside = arith.cmpi ult, %i, %n : i32
    %at = arith.index_cast %i : i32 to index
    %row = arith.select %inside, %at, %c0 : index
    %a = tensor.extract %table[%row, %column] : tensor<128x64xf32>
    %y = arith.select %inside, %a, %z : f32
    linalg.yield %y : f32
  } -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}

func.func @scatter_add(%into: tensor<64xf32>, %index: tensor<32xi32>, %values: tensor<32xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %n = arith.constant 64 : i32
  %0 = scf.for %i = %c0 to %c32 step %c1 iter_args(%y = %into) -> (tensor<64xf32>) {
    %k = tensor.extract %index[%i] : tensor<32xi32>
    %inside = arith.cmpi ult, %k, %n : i32
    %w = scf.if %inside -> tensor<64xf32> {
      %at = arith.index_cast %k : i32 to index
      %old = tensor.extract %y[%at] : tensor<64xf32>
      %v = tensor.extract %values[%i] : tensor<32xf32>
      %s = arith.addf %old, %v : f32
      %new = tensor.insert %s into %y[%at] : tensor<64xf32>
      scf.yield %new : tensor<64xf32>
    } else {
      scf.yield %y : tensor<64xf32>
    }
    scf.yield %w : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

func.func @broadcast(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

func.func @scatter(%x: tensor<32xf32>) -> tensor<32xf32> {
  return %x : tensor<32xf32>
}

func.func @gather_parts(%x: tensor<32xf32>) -> tensor<32xf32> {
  return %x : tensor<32xf32>
}

func.func @allgather(%x: tensor<32xf32>) -> tensor<32xf32> {
  return %x : tensor<32xf32>
}

// The sum of four parts, on one device or on all of them.
func.func @sum_of_parts(%x: tensor<32xf32>) -> tensor<8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %p = tensor.expand_shape %x [[0, 1]] output_shape [4, 8] : tensor<32xf32> into tensor<4x8xf32>
  %0 = linalg.reduce ins(%p : tensor<4x8xf32>) outs(%f : tensor<8xf32>) dimensions = [0] (%a: f32, %o: f32) {
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }
  return %0 : tensor<8xf32>
}
