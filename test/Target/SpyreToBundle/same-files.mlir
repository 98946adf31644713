// The same bundle from every form of the program.

// RUN: spyre-translate --spyre-to-bundle %s -o %t
// RUN: spyre-translate --verify-bundle %t

// From standard input, and from bytecode.
// RUN: spyre-translate --spyre-to-bundle < %s -o %t.stdin && diff -r %t %t.stdin
// RUN: spyre-translate --spyre-to-bundle - -o %t.dash < %s && diff -r %t %t.dash
// RUN: spyre-opt %s --emit-bytecode -o %t.bc
// RUN: spyre-translate --spyre-to-bundle %t.bc -o %t.from-bc && diff -r %t %t.from-bc

// From what passes have made of it. Loops alone decide nothing more, so that they are planned where nothing else says not to.
// RUN: spyre-opt %s --coarse-tile | spyre-opt --spyre-pipeline=plan=false | spyre-translate --spyre-to-bundle -o %t.passes && diff -r %t %t.passes
// RUN: for passes in '--coarse-tile --spyre-work-division' \
// RUN:   '--coarse-tile --spyre-work-division --spyre-scratchpad-planning' --spyre-pipeline; do \
// RUN:   spyre-opt %s $passes | spyre-translate --spyre-to-bundle -o %t.passes && diff -r %t %t.passes || exit 1; done
// RUN: spyre-opt %s --spyre-pipeline --emit-bytecode | spyre-translate --spyre-to-bundle -o %t.passes && diff -r %t %t.passes
// RUN: spyre-opt %s --spyre-pipeline --mlir-print-op-generic | spyre-translate --spyre-to-bundle -o %t.passes && diff -r %t %t.passes

// RUN: for passes in --symbol-dce --strip-debuginfo; do \
// RUN:   spyre-opt %s --spyre-pipeline | spyre-opt $passes | spyre-translate --spyre-to-bundle -o %t.passes && diff -r %t %t.passes || exit 1; done
// RUN: spyre-opt %s --spyre-pipeline -o %t.long

// An empty loop is no part of a bundle, before and between the others.
// RUN: sed '/^    scf.for/i scf.for %%none = %%c0 to %%c1 step %%c1 {\n}' %t.long > %t.empty.mlir
// RUN: test $(grep -c scf.for %t.empty.mlir) -gt $(grep -c scf.for %t.long)
// RUN: spyre-translate --spyre-to-bundle %t.empty.mlir -o %t.empty && diff -r %t %t.empty

// The order of OpSpecs in the module says nothing.
// RUN: (sed '/op_spec/,/>\]/d;/^}/d' %t.long; sed ':a;/[[,]$/{N;s/\n//;ba}' %t.long | grep op_spec | tac; echo '}') | spyre-translate --spyre-to-bundle -o %t.order && diff -r %t %t.order

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<1024x4096xf16, #stick>

func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %y tile [0: "A" in 2, 1: "B" in 4] : !t
  %w = spyre.exp %z tile [1: "B" in 2] : !t
  return %w : !t
}
