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
// expected-note@+1 {{--size 1=N of spyre-run, or the option extents=1=N of the pass, gives it one, in elements}}
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

// -----

// expected-error@+1 {{the grid [100000000] has 100000000 cores, and a kernel has at most 65536: 2048 cards of 32}}
func.func @cores(%x: index) attributes {grid = [100000000]} {
  %xs = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  return
}

// -----

// expected-error@+1 {{entry 0 of `extents` is about argument 1, which is no argument of type index}}
func.func @no_argument(%x: index) attributes {extents = [[1, 16, 64]], grid = [1]} {
  %xs = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  return
}

// -----

// expected-error@+1 {{`pool_argument` is the number of an argument, below 1, got 7 : i64}}
func.func @no_pool(%x: index) attributes {grid = [1], pool_argument = 7 : i64} {
  %xs = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  return
}

// -----

// Launches are numbered from 0, without gaps.
// expected-error@+1 {{launch 1 of program "f" has no launch 0 before it}}
func.func @late(%x: index) attributes {grid = [1], launch = 1 : i64, program = "f"} {
  %xs = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  return
}

// -----

func.func @first(%x: index) attributes {grid = [1], launch = 0 : i64, program = "f"} {
  %xs = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  return
}

// expected-error@+1 {{@f is no launch of program "f", and has its name; rename one of them}}
func.func @f(%x: index) attributes {grid = [1]} {
  %xs = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  return
}

// -----

// expected-note@+1 {{the first launch is here}}
func.func @one(%x: index) attributes {grid = [1], launch = 0 : i64, program = "f"} {
  %xs = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  return
}

// expected-error@+1 {{the launches of program "f" become a function of this name; rename this one}}
func.func private @f()
