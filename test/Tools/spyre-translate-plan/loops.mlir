// Values that are written over others, and loops with what they carry.

// RUN: spyre-translate %s --emit-plan-json -o %t.json
// RUN: FileCheck %s < %t.json
// RUN: spyre-translate %s --emit-plan-html | FileCheck %s --check-prefix=HTML

// RUN: spyre-translate %s --emit-plan-trace -o %t.trace
// RUN: FileCheck %s --check-prefix=TRACE < %t.trace

// CHECK:      "loops": [
// CHECK-NEXT:   {
// CHECK-NEXT:     "from": 0,
// CHECK-NEXT:     "to": 3,
// CHECK-NEXT:     "depth": 0,
// CHECK-NEXT:     "iterations": 8,
// CHECK:        "name": "spyre.exp",
// CHECK:        "executions": 8,
// CHECK:      "values": [
// CHECK:        "made_by": "spyre.exp",
// CHECK:        "space": "lx",
// CHECK:        "made_by": "spyre.tanh",
// CHECK:        "space": "lx",
// CHECK:        "in_place_of": 0,

// The timeline: rows with names, a loop with its iterations, and executions on the cores with transfers and a counter.
// TRACE:      {"name":"process_name","ph":"M",{{.*}}"args":{"name":"@f: cores"}}
// TRACE:      {"name":"thread_name",{{.*}}"args":{"name":"cores 0 to 31"}}
// TRACE:      {"name":"thread_name",{{.*}}"args":{"name":"depth 1"}}
// TRACE:      {"name":"loop of 8 ({{.*}}loops.mlir:{{.*}})","ph":"X","ts":0.0,
// TRACE-NEXT: {"name":"0 ({{.*}}","ph":"X","ts":0.0,{{.*}}"args":{"iteration":[0]}}
// TRACE-NEXT: {"name":"LX of cores 0 to 31","ph":"C",{{.*}}"args":{"bytes":{{[1-9][0-9]*}}}}
// TRACE-NEXT: {"name":"spyre.exp","ph":"X",{{.*}}"args":{"step":0,{{.*}}"iteration":[0],"hbm_read":4194304,"hbm_written":0}}
// TRACE-NEXT: {"name":"from HBM",{{.*}}"args":{"bytes":4194304}}
// TRACE:      {"name":"7 ({{.*}}"args":{"iteration":[7]}}
// TRACE:      {"name":"to HBM",{{.*}}"args":{"bytes":4194304}}
// TRACE-NEXT: {"name":"LX of cores 0 to 31","ph":"C",{{.*}}"args":{"bytes":0}}
// TRACE-NEXT: ]

// The page has the timeline in a link.
// HTML:        <a download="plan.trace.json" href="data:application/json,[%0A{%22name%22:
// The graphs of both levels, of which the second links to the operations.
// HTML:        <summary>@f as device operations: 4 nodes</summary>
// HTML:        <title>argument 0
// HTML:        <title>spyre.exp
// HTML:        <summary>@f as planned: {{[0-9]+}} nodes</summary>
// HTML:        <a href="#f-0">
// HTML:        <h3>Loops</h3>
// HTML:        <title>8 iterations, {{.*}}loops.mlir
// HTML:        <text {{.*}}>8x</text>
// HTML:        <h3>Time</h3>
// HTML:        <a href="#f-0">
// HTML:        <title>0: spyre.exp at {{.*}} us</title>
// HTML:        <h3>Scratchpad of cores 0 to 31</h3>
// HTML:        <rect class="value"
// HTML:        <path class="in-place"
// HTML:        <p>None.</p>
// HTML:        <summary>spyre.exp</summary>
// HTML-NEXT:   <div id="f-0">
// HTML-NEXT:   <p>iteration space [512, 4096], a tile in loops of 8</p>
// HTML-NEXT:   <p>cores [32, 1]</p>
// HTML:        <td>writes</td>
// HTML-NEXT:   <td>tensor&lt;512x4096xf16, #spyre.layout&lt;(d0, d1) -&gt; (d1 floordiv 64, d0, d1 mod 64)&gt;&gt;</td>
// HTML-NEXT:   <td>LX, value 0: bytes 0 to {{[0-9]+}}</td>
// HTML:        <h2>Layouts</h2>
// HTML:        <summary>tensor&lt;
// HTML:        <img alt="the layout of tensor
// HTML:        device size

module attributes {spyre.target = #spyre.target<lx_bytes = 196608, lx_backend_percent = 0>} {
  func.func @f(%x: tensor<4096x4096xf16> {spyre.dims = ["rows", "columns"]}) -> tensor<4096x4096xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"rows" in 8>]} {
    %0 = spyre.exp %x : tensor<4096x4096xf16>
    %1 = spyre.tanh %0 : tensor<4096x4096xf16>
    %2 = spyre.neg %1 : tensor<4096x4096xf16>
    return %2 : tensor<4096x4096xf16>
  }
}
