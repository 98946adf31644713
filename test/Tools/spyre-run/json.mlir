// With --json, every line on standard error is an object: messages have a severity, statistics a kind.

// RUN: rm -rf %t && mkdir %t && spyre-translate bundle %s -o %t/bundle
// RUN: spyre-run %s --bundle %t/bundle --random-seed 1 --stats --json 2> %t/err | FileCheck %s --check-prefix=RESULT
// RESULT: result 0: tensor<32x64xf16> [
// RUN: python3 -c 'import json, sys; [json.loads(line) for line in open(sys.argv[1])]' %t/err
// RUN: FileCheck %s < %t/err
//      CHECK: {"statistics":"time","step":"simulate","subject":null,"seconds":{{[0-9.e-]+}}}
// CHECK-NEXT: {"statistics":"traffic","function":null,"executions":4,"iterations":2,"hbm_read":12288,"hbm_written":4096,"hbm_read_distinct":12288,"lx_read":4096,"lx_written":4096,"lx_peak":{{[0-9]+}},"lx_peak_core":{{[0-9]+}},"lx_cores":{{[0-9]+}},"modelled_time":{{[0-9.]+}},"operands":[{"file":"sdsc_0.json","operation":"mul","tensor":"Tensor{{[0-9]}} (input 0)","bytes":4096,"distinct_bytes":4096,"fan_out":1},
// CHECK-NOT: executions:

// RUN: spyre-run %s --random-seed 1 --stats --json 2>&1 >/dev/null | FileCheck %s --check-prefix=CPU
// CPU: {"statistics":"time","step":"compile","subject":"@f","seconds":{{[0-9.e-]+}}}
// CPU: {"statistics":"time","step":"run","subject":"@f","seconds":{{[0-9.e-]+}}}
// RUN: spyre-run %s --on card --random-seed 1 --stats --json 2>&1 >/dev/null | FileCheck %s --check-prefix=CARD
// CARD: {"statistics":"parts","device":[{"function":"{{.+}}","elements":{{[0-9]+}}}],"host_elements":0,"device_share":1.0}
// CARD: {"statistics":"traffic","function":"{{.+}}","executions":

// Faults and errors are messages.
// RUN: sed -i 's/2048\*d0/1024*d0/' %t/bundle/bundle.mlir
// RUN: not spyre-run %s --bundle %t/bundle --random-seed 1 --json 2>&1 | FileCheck %s --check-prefix=FAULT
// FAULT: {"severity":"error","message":"Overwritten: sub (sdsc_1.json, bundle.mlir:{{.*}}","location":null,"notes":[]}
// RUN: not spyre-run %s --entry g --random-seed 1 --json 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: {"severity":"error","message":"the module has no function @g with a body; it has @f","location":{{.+}},"notes":[]}
// RUN: not spyre-run %s --json 2>&1 | FileCheck %s --check-prefix=INPUTS
// INPUTS: {"severity":"error","message":"@f takes 2 inputs, got 0;{{.*}}","location":null,"notes":[]}

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<32x64xf16, #stick>

func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}) -> !t {
  %x = spyre.mul %a, %b tile [0: "A" in 2] : !t
  %y = spyre.sub %x, %b tile [0: "A" in 2] : !t
  return %y : !t
}
