// A bundle runs without its program, on the bytes of device memory.

// RUN: rm -rf %t && mkdir %t && spyre-translate bundle %s -o %t/bundle
// With the floats of the program, memory holds its tensors: a tensor of one stick a row is in the order of the host.
// RUN: spyre-run %s --random-seed 1 --save-inputs %t/in --output %t/program.npy
// RUN: for i in 0 1; do tail -c 4096 %t/in/input_$i.npy > %t/$i.bin || exit 1; done
// RUN: spyre-run --bundle %t/bundle --argument 0=%t/0.bin --argument 1=%t/1.bin --device-floats f16 --output %t/out.bin
// RUN: tail -c 4096 %t/program.npy | cmp - %t/out.bin

// Files of NumPy have bytes, and so have results in them.
// RUN: python3 -c 'import sys; header = b"{\x27descr\x27: \x27|u1\x27, \x27fortran_order\x27: False, \x27shape\x27: (4096,), }"; header += b" " * (117 - len(header)) + b"\n"; open(sys.argv[2], "wb").write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + open(sys.argv[1], "rb").read())' %t/0.bin %t/0.npy
// RUN: spyre-run --bundle %t/bundle --argument 0=%t/0.npy --argument 1=%t/1.bin --device-floats f16 --output %t/out.npy
// RUN: tail -c 4096 %t/out.npy | cmp - %t/out.bin
// RUN: not spyre-run --bundle %t/bundle --argument 0=%t/in/input_0.npy --argument 1=%t/1.bin 2>&1 | FileCheck %s --check-prefix=ELEMENTS
// ELEMENTS: error: {{.*}}input_0.npy: has elements of type '<f2', but i8 are needed

// Arguments that are not given are made up; sizes are those that operations reach. Without --output, elements are printed.
// RUN: spyre-run --bundle %t/bundle --argument 0=%t/0.bin --random-seed 3 --stats 2>&1 | FileCheck %s --check-prefix=RANDOM
// RANDOM: executions: 4 in 2 iterations of loops
// RANDOM: argument 2: 4096 bytes of SEN169_FP16 [{{-?[0-9.e-]+}}, {{.*}}, ...]

// Without a program and without bytes, nothing waits for standard input.
// RUN: not timeout 20 spyre-run --bundle %t/bundle 2>&1 | FileCheck %s --check-prefix=WAYS
// RUN: not timeout 20 spyre-run --bundle %t/bundle --input %t/in/input_0.npy 2>&1 | FileCheck %s --check-prefix=WAYS
// WAYS: error: --bundle needs arguments. Either the program that the bundle was compiled from defines them, as in spyre-run PROGRAM --bundle DIR (`-` is standard input), or --argument N=FILE and --random-seed N give the bytes of device memory
// The program may be standard input still.
// RUN: spyre-run - --bundle %t/bundle --random-seed 1 < %s | FileCheck %s --check-prefix=PROGRAM
// PROGRAM: result 0: tensor<32x64xf16>

// RUN: not spyre-run --bundle %t/bundle --argument 0=%t/0.bin 2>&1 | FileCheck %s --check-prefix=READ
// READ: error: kernel argument 1 is read (4096 bytes of SEN169_FP16), and has no contents: give its bytes, or a seed for random ones
// RUN: not spyre-run --bundle %t/bundle --argument 7=%t/0.bin --random-seed 1 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: the bundle has no kernel argument 7; its arguments are 0, 1, 2
// RUN: not spyre-run --bundle %t/bundle --random-seed 1 --size S=64 2>&1 | FileCheck %s --check-prefix=NO-SIZES
// NO-SIZES: error: the bundle has no runtime size "S"; its sizes are none
// RUN: not spyre-run --bundle %t/bundle --random-seed 1 -o %t/a.bin -o %t/b.bin 2>&1 | FileCheck %s --check-prefix=OUTPUTS
// OUTPUTS: error: the bundle writes 1 kernel arguments, [2], but there are 2 --output files
// RUN: not spyre-run --bundle %t/bundle --argument 0=%t/0.bin --argument 0=%t/1.bin 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: kernel argument 0 is given twice
// RUN: not spyre-run %s --bundle %t/bundle --argument 0=%t/0.bin 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: error: --argument, --argument-bytes, --launch-params and --compare-bundle are for a bundle without its program
// A size is checked before memory is allocated for it.
// RUN: not spyre-run --bundle %t/bundle --random-seed 1 --argument-bytes 2=1000000000000000 2>&1 | FileCheck %s --check-prefix=SEGMENT
// RUN: not spyre-run --bundle %t/bundle --random-seed 1 --argument-bytes 2=18446744073709551615 2>&1 | FileCheck %s --check-prefix=SEGMENT
// RUN: not spyre-run --bundle %t/bundle --random-seed 1 --argument-bytes 2=17179869185 2>&1 | FileCheck %s --check-prefix=SEGMENT
// SEGMENT: error: kernel argument 2 of {{[0-9]+}} bytes does not fit into a segment of the card, of 17179869184 bytes
// A parameter that no operation uses is an argument.
// RUN: cp -r %t/bundle %t/unused
// RUN: sed 's/\(%arg_2_base_addr: !sdscbundle.input_arg<index>\))/\1, %arg_3_base_addr: !sdscbundle.input_arg<index>)/' %t/bundle/bundle.mlir > %t/unused/bundle.mlir
// RUN: spyre-run --bundle %t/unused --random-seed 1 --argument 3=%t/0.bin | FileCheck %s --check-prefix=UNUSED
// RUN: spyre-run --bundle %t/unused --random-seed 1 --argument-bytes 3=128 | FileCheck %s --check-prefix=UNUSED
// UNUSED: argument 2: 4096 bytes of SEN169_FP16 [
// The module before a failed pass is for passes.
// RUN: not spyre-run --bundle %t/bundle --random-seed 1 --save-ir %t/ir.mlir 2>&1 | FileCheck %s --check-prefix=SAVE
// RUN: not spyre-run %s --random-seed 1 --save-ir %t/ir.mlir 2>&1 | FileCheck %s --check-prefix=SAVE
// SAVE: error: --save-ir is for a pipeline: with --check-pipeline or --passes
// An argument that is too short is a fault, and nothing is written.
// RUN: head -c 2048 %t/0.bin > %t/short.bin
// RUN: not spyre-run --bundle %t/bundle --argument 0=%t/short.bin --random-seed 1 --output %t/short.out 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: error: OutOfRange: mul (sdsc_0.json
// RUN: not ls %t/short.out

// Sizes of allocations are those of the launcher: here a row of padding follows, which no operation reaches.
// RUN: spyre-translate bundle %s -o %t/bundle --launch-params %t/params.json
// RUN: sed 's/"bytes": 4096/"bytes": 4224/' %t/params.json > %t/padded.json
// RUN: spyre-run --bundle %t/bundle --launch-params %t/padded.json --argument 0=%t/0.bin --random-seed 3 | FileCheck %s --check-prefix=PADDED
// PADDED: argument 2: 4224 bytes of SEN169_FP16 [
// RUN: not spyre-run --bundle %t/bundle --launch-params %s --random-seed 3 2>&1 | FileCheck %s --check-prefix=PARAMS
// PARAMS: error: {{.*}}bundle-alone.mlir: no list of launch parameters: expected value
// RUN: not timeout 20 spyre-run --bundle %t/bundle --launch-params /dev/zero --random-seed 3 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: error: /dev/zero: is not a file

// A runtime size is given by its name.
// RUN: spyre-translate opspec bundle %{root}/examples/rows.json -o %t/rows
// RUN: spyre-run --bundle %t/rows --size s0=128 --random-seed 1 | FileCheck %s --check-prefix=SIZE
// SIZE: argument 1: {{[0-9]+}} bytes of SEN169_FP16 [
// RUN: not spyre-run --bundle %t/rows --size rows=128 --random-seed 1 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: the bundle has no runtime size "rows"; its sizes are s0
// RUN: not spyre-run --bundle %t/rows --random-seed 1 2>&1 | FileCheck %s --check-prefix=NO-VALUE
// NO-VALUE: error: the runtime size "s0" has no value; give a positive multiple of 64 up to 512
// RUN: not spyre-run --bundle %t/rows --size s0=100 --random-seed 1 2>&1 | FileCheck %s --check-prefix=MULTIPLE
// MULTIPLE: error: {{.*}}s0{{.*}} is 100: not a positive multiple of 64 up to 512

// Two bundles on the same bytes.
// RUN: sed 's/spyre.sub/spyre.add/' %s > %t/add.mlir && spyre-translate bundle %t/add.mlir -o %t/add
// RUN: sed 's/ tile \[0: "A" in 2\]//' %s > %t/whole.mlir && spyre-translate bundle %t/whole.mlir -o %t/whole
// RUN: spyre-run --bundle %t/bundle --compare-bundle %t/whole --random-seed 1 | FileCheck %s --check-prefix=SAME
// SAME: argument 2: 0 of 2048 elements differ
// RUN: not spyre-run --bundle %t/bundle --compare-bundle %t/add --random-seed 1 | FileCheck %s --check-prefix=DIFFERS
// DIFFERS: argument 2: {{[1-9][0-9]*}} of 2048 elements differ; first at element {{[0-9]+}}, byte {{[0-9]+}}: {{-?[0-9.e-]+}} against {{-?[0-9.e-]+}}
// RUN: not spyre-run --bundle %t/bundle --compare-bundle %t/rows --random-seed 1 --size s0=128 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: the bundles have other kernel arguments: the first has 0, 1, 2, the second 0, 1

// A runtime size is for the bundle that has it: the other one may be for one size.
// RUN: cp -r %t/rows %t/static
// RUN: sed -e 's/, %dim_s0_base: [^)]*)/)/' -e 's/\(%dim_s0 = \).*/\1arith.constant 512 : index/' %t/rows/bundle.mlir > %t/static/bundle.mlir
// RUN: spyre-run --bundle %t/static --compare-bundle %t/rows --random-seed 1 --size s0=512 | FileCheck %s --check-prefix=STATIC
// RUN: spyre-run --bundle %t/rows --compare-bundle %t/static --random-seed 1 --size s0=512 | FileCheck %s --check-prefix=STATIC
// STATIC: argument 1: 0 of 131072 elements differ
// RUN: not spyre-run --bundle %t/static --compare-bundle %t/rows --random-seed 1 2>&1 | FileCheck %s --check-prefix=LACKS
// LACKS: error: the second bundle: the runtime size "s0" has no value; give a positive multiple of 64 up to 512
// RUN: not spyre-run --bundle %t/static --compare-bundle %t/rows --random-seed 1 --size t=64 2>&1 | FileCheck %s --check-prefix=NEITHER
// NEITHER: error: neither bundle has a runtime size "t": the sizes of the first are none, of the second s0

// Addresses as numbers are no parameters.
// RUN: spyre-translate bundle %s --address-mode=concrete -o %t/concrete
// RUN: not spyre-run --bundle %t/concrete --random-seed 1 2>&1 | FileCheck %s --check-prefix=CONCRETE
// CONCRETE: error: the bundle has addresses as numbers and no parameters: name the program that it was compiled from

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<32x64xf16, #stick>

func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}) -> !t {
  %x = spyre.mul %a, %b tile [0: "A" in 2] : !t
  %y = spyre.sub %x, %b tile [0: "A" in 2] : !t
  return %y : !t
}
