// RUN: spyre-opt --help | FileCheck %s --check-prefix=HELP
// HELP: OVERVIEW: Spyre optimizer driver
// HELP: Available Dialects: {{.*}}sdscbundle{{.*}}spyre
// HELP: --coarse-tile {{ *}}- {{ *}}Tile runs of device operations into counted loops
// HELP-NEXT: --dry-run {{ *}}- report the plan in a remark
// HELP-NEXT: --groups=<string> {{ *}}- explicit groups instead of hints
// HELP: --convert-spyre-to-sdscbundle {{ *}}- {{ *}}Convert a planned function to a bundle
// HELP: --spyre-scratchpad-planning {{ *}}- {{ *}}Give every value a place
// HELP: --spyre-work-division {{ *}}- {{ *}}Divide the iteration space
// HELP: Pass Pipelines:
// HELP: --spyre-pipeline {{ *}}- {{ *}}The whole way from device operations on tensors to a bundle

// Our own, together, at the end.
// HELP: {{^}}Spyre passes
// HELP: {{^}}  --spyre-set-target {{ *}}State the machine
// HELP: {{^}}  --coarse-tile {{ *}}Tile runs of device operations into counted loops
// HELP: {{^}}  --convert-spyre-to-sdscbundle {{ *}}Convert a planned function to a bundle
// HELP: {{^}}Spyre pipelines:
// HELP: {{^}}  --spyre-pipeline {{ *}}The whole way
// HELP-NEXT: {{^}}  --spyre-lower-to-llvm {{.*}}
// HELP-NOT: {{.}}

// RUN: spyre-opt --list-passes | FileCheck %s --check-prefix=LIST
// LIST: --coarse-tile {{ *}}- {{ *}}Tile runs of device operations into counted loops
// LIST-NEXT: --dry-run
// LIST-NEXT: --groups=<string>
// LIST: --spyre-scratchpad-planning
// LIST: --spyre-work-division

// RUN: spyre-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS
// DIALECTS: Available Dialects:{{.*[ ,]}}scf,sdscbundle,{{.*}},spyre,

// The printed pipeline has all options, and can be read again.
// RUN: echo 'module {}' | spyre-opt --coarse-tile="groups=0-1:2@0,3:4@1" --spyre-work-division --dump-pass-pipeline -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: builtin.module(
// PIPELINE-NEXT: func.func(
// PIPELINE-NEXT: coarse-tile{dry-run=false groups={0-1:2@0,3:4@1} only-dynamic=false verify-tiling=false}
// PIPELINE: spyre-work-division
// RUN: echo 'module {}' | spyre-opt --pass-pipeline='builtin.module(func.func(coarse-tile{groups={0-1:2@0,3:4@1}}))' \
// RUN:   | FileCheck %s --check-prefix=EMPTY
// EMPTY: module {

// The documentation of the passes, one heading per pass.
// RUN: spyre-opt --spyre-pass-docs | FileCheck %s --check-prefix=DOCS
// DOCS: # Passes
// DOCS: ## `--coarse-tile`
// DOCS: ## `--spyre-work-division`
