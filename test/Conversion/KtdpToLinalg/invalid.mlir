// RUN: spyre-opt %s --convert-ktdp-to-linalg --split-input-file --verify-diagnostics

// Memory of scratchpads has no address in an argument.
func.func @scratchpad(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{a view of a scratchpad, or at an address that is no argument, does not run on the CPU}}
  %xs = ktdp.construct_memory_view %c0, sizes: [64], strides: [1] {coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<64xf16>
  return
}

// -----

// The elements of an argument have one type.
func.func @types(%x: index) attributes {grid = [1]} {
  // expected-note@+1 {{another view}}
  %xs = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  // expected-error@+1 {{argument 0 has views of f16 and of f32}}
  %ys = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64xf32>
  return
}

// -----

// expected-error@+2 {{argument 1 is no address, and has no value}}
// expected-note@+1 {{the option extents=1=N gives it one, in elements}}
func.func @extent(%x: index, %rows: index) attributes {grid = [1]} {
  %xs = ktdp.construct_memory_view %x, sizes: [%rows], strides: [1] {coordinate_set = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<?xf16>
  return
}

// -----

// expected-error@+1 {{the grid "four" is no number of cores; `grid = [n]` is one}}
func.func @grid(%x: index) attributes {grid = "four"} {
  %xs = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  return
}

// -----

// An address that memory gives has no bounds.
// expected-note@+1 {{the attribute ktdp.bytes of the argument states its bytes}}
func.func @unbounded(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %a = tensor.empty() : tensor<1xindex>
  %offset = tensor.extract %a[%c0] : tensor<1xindex>
  %base = arith.addi %x, %offset : index
  // expected-error@+1 {{argument 0 is of unknown size: its views have no bounds}}
  %xs = ktdp.construct_memory_view %base, sizes: [64], strides: [1] {coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  return
}
