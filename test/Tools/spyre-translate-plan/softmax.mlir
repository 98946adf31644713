// What planning has decided, as data and as a page.

// The facts agree with what the simulated card counts.
// RUN: spyre-opt %s --spyre-pipeline='bundle=false plan=false' | spyre-translate --emit-plan-json | FileCheck %s --check-prefix=JSON
// RUN: spyre-opt %s --spyre-pipeline=plan=false | spyre-translate --spyre-to-bundle -o %t.bundle
// RUN: spyre-run %s --bundle %t.bundle --random-seed 1 --stats 2>&1 | FileCheck %s --check-prefix=STATS

// What is not planned yet goes through the pipeline, which plans that the argument is copied into the scratchpad.
// RUN: spyre-translate %s --emit-plan-json | FileCheck %s --check-prefix=PLANNED
// RUN: spyre-translate %s --spyre-to-bundle -o %t.planned
// RUN: spyre-run %s --bundle %t.planned --random-seed 1 --stats 2>&1 | FileCheck %s --check-prefix=PLANNED-STATS
// PLANNED:       "distinct_bytes": 262144,
// PLANNED:       "name": "spyre.copy",
// PLANNED-STATS: executions: 6
// PLANNED-STATS: HBM: 131072 bytes read, 131072 bytes written

// JSON:      "format": "spyre-plan-1"
// JSON:      "name": "softmax"
// JSON:      "cores": 32,
// JSON-NEXT: "lx_bytes": 1625344
// JSON:      "totals": {
// JSON-NEXT:   "distinct_bytes": 393216,
// JSON-NEXT:   "all_bytes": 393216,
// JSON-NEXT:   "compulsory_bytes": 262144,
// JSON-NEXT:   "unavoidable_bytes": 262144,
// JSON-NEXT:   "lx_bytes_taken": 8192,
// JSON-NEXT:   "values_in_memory": 0,
// JSON:        "executions": 5
// JSON:      "loops": [],
// JSON:      "name": "spyre.max",
// JSON:      "executions": 1,
// JSON:      "iteration_space": [
// JSON-NEXT:   64,
// JSON-NEXT:   1,
// JSON-NEXT:   1024
// JSON-NEXT: ],
// JSON-NEXT: "split": [
// JSON-NEXT:   32,
// JSON-NEXT:   1,
// JSON-NEXT:   1
// JSON:      "type": "tensor<64x1024xf16, #spyre.layout
// JSON-NEXT: "role": "read",
// JSON-NEXT: "space": "argument",
// JSON-NEXT: "value": null,
// JSON-NEXT: "bytes": 131072,
// JSON-NEXT: "fan_out": 1
// JSON:      "role": "write",
// JSON-NEXT: "space": "lx",
// JSON-NEXT: "value": 0,
// JSON:      "values": [
// JSON:        "made_by": "spyre.max",
// JSON:        "space": "lx",
// JSON:        "from": 0,
// JSON-NEXT:   "to": 2,
// JSON-NEXT:   "in_place_of": null,
// JSON-NEXT:   "reason": null,
// JSON-NEXT:   "distinct_bytes": 0
// JSON:      "levels": [
// JSON:        "name": "planned",
// JSON:        "name": "argument 0",
// JSON:        "name": "spyre.max",
// JSON:        "inputs": [
// JSON-NEXT:     0
// JSON:        "step": 0
// JSON:      "layouts": [
// JSON:        "words": "tensor

// STATS: executions: 5
// STATS: HBM: 262144 bytes read, 131072 bytes written

// Without the scratchpad, everything says why it is in device memory.
// RUN: spyre-opt %s '--spyre-pipeline=bundle=false lx=false' | spyre-translate --emit-plan-html -o %t.html
// RUN: FileCheck %s --check-prefix=HTML < %t.html
// HTML:     <!DOCTYPE html>
// HTML:     <h2>@softmax</h2>
// HTML:     <h3>Values in device memory</h3>
// HTML:     <td>spyre.exp</td>
// HTML:     <td class="number">384.00 KiB</td>
// HTML:     <td>it needs 4096 bytes on each core in addition to the values that are live with it
// HTML:     <h3>Operations</h3>
// HTML-COUNT-5: <summary>spyre.
// HTML-NOT: <script

func.func @softmax(%x: tensor<64x1024xf16>) -> tensor<64x1024xf16> {
  %0 = spyre.max %x dims [1] keepdim : (tensor<64x1024xf16>) -> tensor<64x1xf16>
  %1 = spyre.sub %x, %0 : (tensor<64x1024xf16>, tensor<64x1xf16>) -> tensor<64x1024xf16>
  %2 = spyre.exp %1 : tensor<64x1024xf16>
  %3 = spyre.sum %2 dims [1] keepdim : (tensor<64x1024xf16>) -> tensor<64x1xf16>
  %4 = spyre.realdiv %2, %3 : (tensor<64x1024xf16>, tensor<64x1xf16>) -> tensor<64x1024xf16>
  return %4 : tensor<64x1024xf16>
}
