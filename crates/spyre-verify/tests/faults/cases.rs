//! Faults, one for each rule and more, and what is said about each.

use super::support::{Bundle, Case, Edit};

/// What revision r2 added to the sizes on a core.
const R2_KEYS: &str = ",\n                \"symbolicDimInfo_\": {},\n                \"maxSymbolicVolume_\": {},\n                \"coreletSplit_\": {},\n                \"rowSplit_\": {},\n                \"peSfpSplit_\": {},\n                \"paddingSizes_\": {}";

/// In the order of the rules. Messages are complete: a fault must not break rules that it has nothing to do with.
pub(crate) const CASES: &[Case] = &[
    Case {
        rule: 1,
        bundle: Bundle::Loops,
        edits: &[Edit::Remove("bundle.mlir")],
        messages: &[
            "bundle.mlir: error: cannot be read: No such file or directory (os error 2) [VB1]",
        ],
    },
    Case {
        rule: 2,
        bundle: Bundle::Loops,
        edits: &[Edit::Remove("sdsc_1.json")],
        messages: &[
            "bundle.mlir:33:5: error: 'sdsc_1.json' cannot be read: No such file or directory (os error 2) [VB2]",
        ],
    },
    Case {
        rule: 3,
        bundle: Bundle::Loops,
        edits: &[Edit::Write("sdsc_3.json", "{}")],
        messages: &["sdsc_3.json: error: is not executed [VB3]"],
    },
    Case {
        rule: 4,
        bundle: Bundle::Loops,
        edits: &[Edit::Write("notes", "x")],
        messages: &["DIR: warning: 'notes' is no part of a bundle [VB4]"],
    },
    Case {
        rule: 5,
        bundle: Bundle::Loops,
        edits: &[
            Edit::Each("bundle.mlir", "sdsc_1.json", "sdsc_4.json"),
            Edit::Rename("sdsc_1.json", "sdsc_4.json"),
        ],
        messages: &[
            "bundle.mlir:33:5: error: 'sdsc_4.json' must be 'sdsc_1.json' [VB5]",
            "sdsc_4.json:2:3: error: the root is '1_exp', but must be '4_' and the operation [VB37] at /1_exp",
        ],
    },
    Case {
        rule: 6,
        bundle: Bundle::Loops,
        edits: &[Edit::Each("bundle.mlir", "affine.apply", "affine.aply")],
        messages: &[
            "bundle.mlir:26:15: error: 'affine.aply' is not an operation of a bundle",
            "bundle.mlir: error: is not a bundle, for the reason above [VB6]",
        ],
    },
    Case {
        rule: 6,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "bundle.mlir",
            "symbol_ids\"=[-5, -6]",
            "symbol_ids\"=[-5, 6]",
        )],
        messages: &[
            "bundle.mlir:33:5: error: 'sdscbundle.sdsc_execute' op symbol_ids must be negative, but #1 is 6",
            "bundle.mlir: error: is not a bundle, for the reason above [VB6]",
        ],
    },
    Case {
        rule: 7,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "bundle.mlir",
            "\t\treturn\n\t}\n",
            "\t\treturn\n\t}\n\tfunc.func private @other()\n",
        )],
        messages: &[
            "bundle.mlir:39:2: error: a bundle has the function @sdsc_bundle and nothing else [VB7]",
        ],
    },
    Case {
        rule: 7,
        bundle: Bundle::Loops,
        edits: &[Edit::Each("bundle.mlir", "@sdsc_bundle", "@bundle")],
        messages: &[
            "bundle.mlir:3:2: error: a bundle has the function @sdsc_bundle and nothing else [VB7]",
            "bundle.mlir:2:1: error: there is no function @sdsc_bundle with a body [VB7]",
            "sdsc_0.json: error: is not executed [VB3]",
            "sdsc_1.json: error: is not executed [VB3]",
            "sdsc_2.json: error: is not executed [VB3]",
        ],
    },
    Case {
        rule: 8,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "bundle.mlir",
            "%c1 = arith.constant 1 : index",
            "%c1 = arith.constant 1 : index\n\t\t%c2 = arith.muli %c1, %c1 : index",
        )],
        messages: &["bundle.mlir:10:9: error: arith.muli is no operation of a bundle [VB8]"],
    },
    Case {
        rule: 9,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "bundle.mlir",
            "%arg_2_base_addr: !sdscbundle.input_arg<index>)",
            "%arg_2_base_addr: !sdscbundle.input_arg<index>, %arg_3_base_addr: !sdscbundle.input_arg<index>)",
        )],
        messages: &["bundle.mlir:3:2: error: parameter 3 is not used [VB9]"],
    },
    Case {
        rule: 10,
        bundle: Bundle::Tiles,
        edits: &[Edit::Each(
            "bundle.mlir",
            "@sdsc_bundle(",
            "@sdsc_bundle(%sym_0_1_base: !sdscbundle.input_arg<index, granularity=1, max_value=2>, ",
        )],
        messages: &[
            "bundle.mlir:3:2: error: parameter 1, an address, comes after a size [VB10]",
            "bundle.mlir:3:2: error: parameter 2, an address, comes after a size [VB10]",
            "bundle.mlir:3:2: error: parameter 3, an address, comes after a size [VB10]",
            "bundle.mlir:3:2: error: parameter 0 is not used [VB9]",
            "bundle.mlir:3:98: warning: '%arg_0_base_addr' is not in the order of parameters [VB12]",
        ],
    },
    Case {
        rule: 11,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "bundle.mlir",
            "input_arg<index>",
            "input_arg<index, granularity=64>",
        )],
        messages: &[
            "bundle.mlir:3:2: error: parameter 0 must have both granularity and max_value, or neither [VB11]",
            "bundle.mlir:3:2: error: parameter 1 must have both granularity and max_value, or neither [VB11]",
            "bundle.mlir:3:2: error: parameter 2 must have both granularity and max_value, or neither [VB11]",
        ],
    },
    Case {
        rule: 12,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "bundle.mlir",
            "arg_0_base_addr",
            "arg_3_base_addr",
        )],
        messages: &[
            "bundle.mlir:3:73: warning: '%arg_1_base_addr' is not in the order of parameters [VB12]",
        ],
    },
    Case {
        rule: 12,
        bundle: Bundle::Loops,
        edits: &[Edit::Each("bundle.mlir", "arg_0_base_addr", "base")],
        messages: &["bundle.mlir:3:25: warning: '%base' is no name of a parameter [VB12]"],
    },
    Case {
        rule: 13,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "bundle.mlir",
            "module {",
            "#map_1 = affine_map<(d0) -> (d0)>\nmodule {",
        )],
        messages: &["bundle.mlir:2:1: warning: '#map_1' is not used [VB13]"],
    },
    Case {
        rule: 14,
        bundle: Bundle::Sizes,
        edits: &[Edit::Each(
            "bundle.mlir",
            "%arg_0 = ",
            "%pool = sdscbundle.device_mem_allocate 128 bytes : index\n\t\t%arg_0 = ",
        )],
        messages: &["bundle.mlir:3:11: warning: nothing is in the pool [VB14]"],
    },
    Case {
        rule: 15,
        bundle: Bundle::Loops,
        edits: &[Edit::Each("bundle.mlir", "%i_1 = %c0 to", "%i_1 = %c1 to")],
        messages: &[
            "bundle.mlir:25:4: error: loop must count from 0 by a positive constant, got 1 by 1 [VB15]",
        ],
    },
    Case {
        rule: 15,
        bundle: Bundle::Loops,
        edits: &[
            Edit::Each("bundle.mlir", "step %c1", "step %loop_bound_0"),
            Edit::Each(
                "bundle.mlir",
                "%loop_bound_1 = arith.constant 2",
                "%loop_bound_1 = arith.constant 3",
            ),
        ],
        messages: &[
            "bundle.mlir:25:4: error: loop to 3 by 2 is not a positive number of whole steps [VB15]",
        ],
    },
    Case {
        rule: 16,
        bundle: Bundle::Tiles,
        edits: &[Edit::Each(
            "bundle.mlir",
            "%step_0 = arith.constant 64",
            "%step_0 = arith.constant 48",
        )],
        messages: &[
            "bundle.mlir:11:3: error: step 48 does not divide the granularity 64 of the bound [VB16]",
        ],
    },
    Case {
        rule: 16,
        bundle: Bundle::Tiles,
        edits: &[Edit::Each(
            "bundle.mlir",
            ", granularity=64, max_value=512",
            "",
        )],
        messages: &[
            "bundle.mlir:11:3: error: loop bound, parameter 3, has no granularity and max_value [VB16]",
        ],
    },
    Case {
        rule: 17,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "bundle.mlir",
            "\t\treturn",
            "\t\tscf.for %i_2 = %c0 to %loop_bound_0 step %c1 {\n\t\t}\n\t\treturn",
        )],
        messages: &["bundle.mlir:37:3: error: the loop executes nothing [VB17]"],
    },
    Case {
        rule: 18,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "bundle.mlir",
            "arith.addi %arg_0, %arg_0_core_offset_2048",
            "arith.addi %arg_0, %pool",
        )],
        messages: &[
            "bundle.mlir:30:5: error: operand 1, symbol -2, is not a base plus a constant plus steps of loops [VB18]",
        ],
    },
    Case {
        rule: 18,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "bundle.mlir",
            "s0 + 4096*d0 +",
            "s0 + 4096*d0 * 0 + d0 floordiv 2 +",
        )],
        messages: &[
            "bundle.mlir:26:15: warning: map must be s0 plus a positive stride for each dimension [VB19]",
            "bundle.mlir:27:15: warning: map must be s0 plus a positive stride for each dimension [VB19]",
            "bundle.mlir:28:15: warning: map must be s0 plus a positive stride for each dimension [VB19]",
            "bundle.mlir:29:15: warning: map must be s0 plus a positive stride for each dimension [VB19]",
            "bundle.mlir:30:5: error: operand 0, symbol -1, is not a base plus a constant plus steps of loops [VB18]",
            "bundle.mlir:30:5: error: operand 1, symbol -2, is not a base plus a constant plus steps of loops [VB18]",
            "bundle.mlir:30:5: error: operand 2, symbol -3, is not a base plus a constant plus steps of loops [VB18]",
            "bundle.mlir:30:5: error: operand 3, symbol -4, is not a base plus a constant plus steps of loops [VB18]",
            "bundle.mlir:31:15: warning: map must be s0 plus a positive stride for each dimension [VB19]",
            "bundle.mlir:32:15: warning: map must be s0 plus a positive stride for each dimension [VB19]",
            "bundle.mlir:33:5: error: operand 0, symbol -5, is not a base plus a constant plus steps of loops [VB18]",
            "bundle.mlir:33:5: error: operand 1, symbol -6, is not a base plus a constant plus steps of loops [VB18]",
            "bundle.mlir:3:2: error: parameter 0 is not used [VB9]",
            "bundle.mlir:3:2: error: parameter 1 is not used [VB9]",
        ],
    },
    Case {
        rule: 19,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "bundle.mlir",
            "s0 + 4096*d0 +",
            "s0 + 16 + 4096*d0 +",
        )],
        messages: &[
            "bundle.mlir:26:15: warning: map must be s0 plus a positive stride for each dimension [VB19]",
            "bundle.mlir:27:15: warning: map must be s0 plus a positive stride for each dimension [VB19]",
            "bundle.mlir:28:15: warning: map must be s0 plus a positive stride for each dimension [VB19]",
            "bundle.mlir:29:15: warning: map must be s0 plus a positive stride for each dimension [VB19]",
            "bundle.mlir:31:15: warning: map must be s0 plus a positive stride for each dimension [VB19]",
            "bundle.mlir:32:15: warning: map must be s0 plus a positive stride for each dimension [VB19]",
            "bundle.mlir:30:5: error: tensor 0 of 'sdsc_0.json' on core 0: constant 16 is not a whole number of sticks of 128 bytes [VB20]",
            "bundle.mlir:30:5: error: tensor 0 of 'sdsc_0.json' on core 1: constant 2064 is not a whole number of sticks of 128 bytes [VB20]",
            "bundle.mlir:30:5: error: tensor 0 of 'sdsc_0.json' visits bytes 16 to 32784, but its tensor has 32768 [VB32]",
            "bundle.mlir:30:5: error: tensor 1 of 'sdsc_0.json' on core 0: constant 16 is not a whole number of sticks of 128 bytes [VB20]",
            "bundle.mlir:30:5: error: tensor 1 of 'sdsc_0.json' on core 1: constant 2064 is not a whole number of sticks of 128 bytes [VB20]",
            "bundle.mlir:30:5: error: tensor 1 of 'sdsc_0.json' visits bytes 16 to 32784, but its tensor has 32768 [VB32]",
            "bundle.mlir:33:5: error: tensor 1 of 'sdsc_1.json' on core 0: constant 16 is not a whole number of sticks of 128 bytes [VB20]",
            "bundle.mlir:33:5: error: tensor 1 of 'sdsc_1.json' on core 1: constant 2064 is not a whole number of sticks of 128 bytes [VB20]",
            "bundle.mlir:33:5: error: tensor 1 of 'sdsc_1.json' visits bytes 16 to 32784, but the pool has 32768 [VB34]",
        ],
    },
    Case {
        rule: 19,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "bundle.mlir",
            "#map_0(%i_0, %i_1)[%arg_0]",
            "#map_0(%i_1, %i_0)[%arg_0]",
        )],
        messages: &[
            "bundle.mlir:26:15: warning: d1 must be an induction variable, outermost first, or a size, but is 1 * loop 0 [VB19]",
            "bundle.mlir:30:5: error: tensor 0 of 'sdsc_0.json' is at parameter 0 + 16384 * loop 0 + 4096 * loop 1 on core 0, but at parameter 0 + 2048 + 4096 * loop 0 + 16384 * loop 1 on core 1 [VB29]",
        ],
    },
    Case {
        rule: 20,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "bundle.mlir",
            "s0 + 4096*d0 +",
            "s0 + 4100*d0 +",
        )],
        messages: &[
            "bundle.mlir:30:5: error: tensor 0 of 'sdsc_0.json' on core 0: advance 4100 of loop 0 is not a whole number of sticks of 128 bytes [VB20]",
            "bundle.mlir:30:5: error: tensor 0 of 'sdsc_0.json' visits bytes 0 to 32772, but its tensor has 32768 [VB32]",
            "bundle.mlir:30:5: warning: tensor 0 of 'sdsc_0.json' moves by 4100 * 1 bytes, 2 times in loop 0, which is by whole windows along no dimension of it; windows that overlap look like that, and so does a wrong stride [VB75]",
            "bundle.mlir:30:5: error: tensor 1 of 'sdsc_0.json' on core 0: advance 4100 of loop 0 is not a whole number of sticks of 128 bytes [VB20]",
            "bundle.mlir:30:5: error: tensor 1 of 'sdsc_0.json' visits bytes 0 to 32772, but its tensor has 32768 [VB32]",
            "bundle.mlir:30:5: warning: tensor 1 of 'sdsc_0.json' moves by 4100 * 1 bytes, 2 times in loop 0, which is by whole windows along no dimension of it; windows that overlap look like that, and so does a wrong stride [VB75]",
            "bundle.mlir:33:5: error: tensor 1 of 'sdsc_1.json' on core 0: advance 4100 of loop 0 is not a whole number of sticks of 128 bytes [VB20]",
            "bundle.mlir:33:5: error: tensor 1 of 'sdsc_1.json' visits bytes 0 to 32772, but the pool has 32768 [VB34]",
            "bundle.mlir:33:5: warning: tensor 1 of 'sdsc_1.json' moves by 4100 * 1 bytes, 2 times in loop 0, which is by whole windows along no dimension of it; windows that overlap look like that, and so does a wrong stride [VB75]",
        ],
    },
    Case {
        rule: 20,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "bundle.mlir",
            "%arg_0_core_offset_2048 = arith.constant 2048",
            "%arg_0_core_offset_2048 = arith.constant 2047",
        )],
        messages: &[
            "bundle.mlir:30:5: error: tensor 0 of 'sdsc_0.json' on core 1: constant 2047 is not a whole number of sticks of 128 bytes [VB20]",
            "bundle.mlir:30:5: error: tensor 0 of 'sdsc_0.json': core 1 is 2047 bytes from core 0, but its slices are 2048 bytes apart [VB30]",
        ],
    },
    Case {
        rule: 21,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "bundle.mlir",
            "%arg_2, %arg_2_core_4096)",
            "%arg_2, %arg_2_core_offset_4096)",
        )],
        messages: &[
            "bundle.mlir:36:3: warning: tensor 1 of 'sdsc_2.json' is at 4096 on core 1, which has no base [VB21]",
        ],
    },
    Case {
        rule: 22,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_1.json",
            "\"[1, 0, 0]\": \"-6\"",
            "\"[1, 0, 0]\": \"-9\"",
        )],
        messages: &[
            "bundle.mlir:33:5: error: symbol -9 of 'sdsc_1.json' is not bound [VB22]",
            "bundle.mlir:33:5: error: symbol -6 is bound, but 'sdsc_1.json' does not use it [VB23]",
            "bundle.mlir:36:3: warning: symbol -7 of 'sdsc_2.json' comes after symbol -9 of a file before it [VB25]",
        ],
    },
    Case {
        rule: 22,
        bundle: Bundle::Loops,
        edits: &[
            Edit::Each("bundle.mlir", "(%addr_4, %addr_5)", "(%addr_4)"),
            Edit::Each("bundle.mlir", "[-5, -6]", "[-5]"),
        ],
        messages: &["bundle.mlir:33:5: error: symbol -6 of 'sdsc_1.json' is not bound [VB22]"],
    },
    Case {
        rule: 23,
        bundle: Bundle::Loops,
        edits: &[
            Edit::Each(
                "bundle.mlir",
                "(%addr_4, %addr_5)",
                "(%addr_4, %addr_5, %addr_5)",
            ),
            Edit::Each("bundle.mlir", "[-5, -6]", "[-5, -6, -11]"),
        ],
        messages: &[
            "bundle.mlir:33:5: error: symbol -11 is bound, but 'sdsc_1.json' does not use it [VB23]",
        ],
    },
    Case {
        rule: 24,
        bundle: Bundle::Loops,
        edits: &[
            Edit::Each("bundle.mlir", "(%addr_4, %addr_5)", "(%addr_5, %addr_4)"),
            Edit::Each("bundle.mlir", "[-5, -6]", "[-6, -5]"),
        ],
        messages: &[
            "bundle.mlir:33:5: warning: symbols are not in the order of their first use in 'sdsc_1.json' [VB24]",
        ],
    },
    Case {
        rule: 25,
        bundle: Bundle::Loops,
        edits: &[
            Edit::Each("bundle.mlir", "[-5, -6]", "[-3, -6]"),
            Edit::Each("bundle.mlir", "(%addr_4, %addr_5)", "(%addr_2, %addr_5)"),
            Edit::Each(
                "sdsc_1.json",
                "\"[0, 0, 0]\": \"-5\"",
                "\"[0, 0, 0]\": \"-3\"",
            ),
        ],
        messages: &[
            "bundle.mlir:33:5: warning: symbol -3 of 'sdsc_1.json' comes after symbol -4 of a file before it [VB25]",
            "bundle.mlir:33:5: error: tensor 1 of 'sdsc_1.json' is at parameter 1 + 4096 * loop 0 + 16384 * loop 1 on core 0, but at pool + 2048 + 4096 * loop 0 + 16384 * loop 1 on core 1 [VB29]",
        ],
    },
    Case {
        rule: 26,
        bundle: Bundle::Sizes,
        edits: &[Edit::Each(
            "bundle.mlir",
            "sdsc_execute (%sym_0_1, %arg_0,",
            "sdsc_execute (%arg_0, %arg_0,",
        )],
        messages: &[
            "bundle.mlir:9:3: error: symbol -1 of 'sdsc_0.json' is a size, but parameter 0 is bound to it [VB26]",
        ],
    },
    Case {
        rule: 26,
        bundle: Bundle::Sizes,
        edits: &[Edit::Each(
            "bundle.mlir",
            "sdsc_execute (%sym_0_1, %arg_0,",
            "sdsc_execute (%sym_0_1, %sym_0_1,",
        )],
        messages: &[
            "bundle.mlir:2:2: error: parameter 0 is not used [VB9]",
            "bundle.mlir:9:3: error: symbol -2 of 'sdsc_0.json' is an address, but parameter 5 is bound to it [VB26]",
        ],
    },
    Case {
        rule: 27,
        bundle: Bundle::Sizes,
        edits: &[Edit::Each("bundle.mlir", "max_value=512", "max_value=1024")],
        messages: &[
            "bundle.mlir:9:3: error: 'mb' of 'sdsc_0.json' has at most 512 in steps of 64 on a core, but parameter 5 makes it 1024 in steps of 64 [VB27]",
            "bundle.mlir:10:3: error: 'mb' of 'sdsc_1.json' has at most 512 in steps of 64 on a core, but parameter 5 makes it 1024 in steps of 64 [VB27]",
        ],
    },
    Case {
        rule: 28,
        bundle: Bundle::Sizes,
        edits: &[Edit::Each("sdsc_1.json", "\"s97\"", "\"s98\"")],
        messages: &[
            "bundle.mlir:10:3: error: size 's98' of 'sdsc_1.json' is parameter 5, but parameter 5 is 's97' [VB28]",
        ],
    },
    Case {
        rule: 29,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "bundle.mlir",
            "affine.apply #map_0(%i_0, %i_1)[%arg_0_core_2048]",
            "affine.apply #map_0(%i_0, %i_1)[%arg_1_core_2048]",
        )],
        messages: &[
            "bundle.mlir:30:5: error: tensor 0 of 'sdsc_0.json' is at parameter 0 + 4096 * loop 0 + 16384 * loop 1 on core 0, but at parameter 1 + 2048 + 4096 * loop 0 + 16384 * loop 1 on core 1 [VB29]",
        ],
    },
    Case {
        rule: 30,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "bundle.mlir",
            "%arg_0_core_offset_2048 = arith.constant 2048",
            "%arg_0_core_offset_2048 = arith.constant 4096",
        )],
        messages: &[
            "bundle.mlir:30:5: error: tensor 0 of 'sdsc_0.json': core 1 is 4096 bytes from core 0, but its slices are 2048 bytes apart [VB30]",
            "bundle.mlir:30:5: error: tensor 0 of 'sdsc_0.json' visits bytes 0 to 34816, but its tensor has 32768 [VB32]",
        ],
    },
    Case {
        rule: 31,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "bundle.mlir",
            "%arg_2, %arg_2_core_4096)",
            "%arg_2, %arg_2)",
        )],
        messages: &[
            "bundle.mlir:36:3: error: tensor 1 of 'sdsc_2.json': core 1 is 0 bytes from core 0, but its slices are 4096 bytes apart [VB30]",
            "bundle.mlir:36:3: error: tensor 1 of 'sdsc_2.json': cores 0 and 1 write different slices to the same address [VB31]",
        ],
    },
    Case {
        rule: 32,
        bundle: Bundle::Loops,
        edits: &[Edit::Each("bundle.mlir", "4096*d0", "8192*d0")],
        messages: &[
            "bundle.mlir:30:5: error: tensor 0 of 'sdsc_0.json' visits bytes 0 to 36864, but its tensor has 32768 [VB32]",
            "bundle.mlir:30:5: warning: tensor 0 of 'sdsc_0.json' moves by 8192 * 1 bytes, 2 times in loop 0, which is by whole windows along no dimension of it; windows that overlap look like that, and so does a wrong stride [VB75]",
            "bundle.mlir:30:5: error: tensor 1 of 'sdsc_0.json' visits bytes 0 to 36864, but its tensor has 32768 [VB32]",
            "bundle.mlir:30:5: warning: tensor 1 of 'sdsc_0.json' moves by 8192 * 1 bytes, 2 times in loop 0, which is by whole windows along no dimension of it; windows that overlap look like that, and so does a wrong stride [VB75]",
            "bundle.mlir:33:5: error: tensor 1 of 'sdsc_1.json' visits bytes 0 to 36864, but the pool has 32768 [VB34]",
            "bundle.mlir:33:5: warning: tensor 1 of 'sdsc_1.json' moves by 8192 * 1 bytes, 2 times in loop 0, which is by whole windows along no dimension of it; windows that overlap look like that, and so does a wrong stride [VB75]",
        ],
    },
    Case {
        rule: 32,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "bundle.mlir",
            "%loop_bound_0 = arith.constant 2",
            "%loop_bound_0 = arith.constant 3",
        )],
        messages: &[
            "bundle.mlir:30:5: error: tensor 0 of 'sdsc_0.json' visits bytes 0 to 36864, but its tensor has 32768 [VB32]",
            "bundle.mlir:30:5: warning: tensor 0 of 'sdsc_0.json' moves by 4096 * 1 bytes, 3 times in loop 0, which is by whole windows along no dimension of it; windows that overlap look like that, and so does a wrong stride [VB75]",
            "bundle.mlir:30:5: error: tensor 1 of 'sdsc_0.json' visits bytes 0 to 36864, but its tensor has 32768 [VB32]",
            "bundle.mlir:30:5: warning: tensor 1 of 'sdsc_0.json' moves by 4096 * 1 bytes, 3 times in loop 0, which is by whole windows along no dimension of it; windows that overlap look like that, and so does a wrong stride [VB75]",
            "bundle.mlir:33:5: error: tensor 1 of 'sdsc_1.json' visits bytes 0 to 36864, but the pool has 32768 [VB34]",
            "bundle.mlir:33:5: warning: tensor 1 of 'sdsc_1.json' moves by 4096 * 1 bytes, 3 times in loop 0, which is by whole windows along no dimension of it; windows that overlap look like that, and so does a wrong stride [VB75]",
        ],
    },
    Case {
        rule: 33,
        bundle: Bundle::Loops,
        edits: &[
            Edit::Each("bundle.mlir", "16384*d1", "32768*d1"),
            Edit::Each("sdsc_0.json", "    \"debug_handle_\": null,\n", ""),
            Edit::Each("sdsc_1.json", "    \"debug_handle_\": null,\n", ""),
            Edit::Each("sdsc_2.json", "    \"debug_handle_\": null,\n", ""),
            Edit::Each("sdsc_0.json", R2_KEYS, ""),
            Edit::Each("sdsc_1.json", R2_KEYS, ""),
            Edit::Each("sdsc_2.json", R2_KEYS, ""),
        ],
        messages: &[
            "bundle.mlir:30:5: warning: tensor 0 of 'sdsc_0.json' visits bytes 0 to 49152, but its tensor has 32768 [VB33]",
            "bundle.mlir:30:5: warning: tensor 1 of 'sdsc_0.json' visits bytes 0 to 49152, but its tensor has 32768 [VB33]",
            "bundle.mlir:33:5: error: tensor 1 of 'sdsc_1.json' visits bytes 0 to 49152, but the pool has 32768 [VB34]",
        ],
    },
    Case {
        rule: 34,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "bundle.mlir",
            "device_mem_allocate 32768",
            "device_mem_allocate 16384",
        )],
        messages: &[
            "bundle.mlir:33:5: error: tensor 1 of 'sdsc_1.json' visits bytes 0 to 32768, but the pool has 16384 [VB34]",
            "bundle.mlir:36:3: error: tensor 0 of 'sdsc_2.json' visits bytes 0 to 32768, but the pool has 16384 [VB34]",
        ],
    },
    Case {
        rule: 35,
        bundle: Bundle::Loops,
        edits: &[
            Edit::Each(
                "sdsc_2.json",
                "              \"isStartAddrSymbolic_\": 1,\n",
                "",
            ),
            Edit::Each("sdsc_2.json", "\"-7\"", "\"0\""),
            Edit::Each("sdsc_2.json", "\"-8\"", "\"4096\""),
            Edit::Each("sdsc_2.json", "\"-9\"", "\"120259084288\""),
            Edit::Each("sdsc_2.json", "\"-10\"", "\"120259088384\""),
            Edit::Each(
                "bundle.mlir",
                "(%pool_addr_0, %pool_addr_4096, %arg_2, %arg_2_core_4096)",
                "()",
            ),
            Edit::Each("bundle.mlir", "[-7, -8, -9, -10]", "[]"),
            Edit::Each(
                "bundle.mlir",
                ", %arg_2_base_addr: !sdscbundle.input_arg<index>",
                "",
            ),
            Edit::Each(
                "bundle.mlir",
                "\t\t%arg_2 = sdscbundle.input_arg_extract value from %arg_2_base_addr : !sdscbundle.input_arg<index> -> index\n",
                "",
            ),
            Edit::Each(
                "bundle.mlir",
                "\t\t%arg_2_core_4096 = arith.addi %arg_2, %arg_2_core_offset_4096 : index\n",
                "",
            ),
        ],
        messages: &[
            "bundle.mlir:34:3: error: tensor 1 of 'sdsc_2.json' at 120259084288 on core 0 is not in one of the 7 segments of 16 GiB [VB35]",
        ],
    },
    Case {
        rule: 36,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"numCoresUsed_\": 2,\n    \"coreIdToDsc_\"",
            "\"numCoresUsed_\": 2;\n    \"coreIdToDsc_\"",
        )],
        messages: &["sdsc_0.json:37:23: error: expected ',' or '}' [VB36]"],
    },
    Case {
        rule: 37,
        bundle: Bundle::Loops,
        edits: &[Edit::Each("sdsc_0.json", "\"0_add\"", "\"1_add\"")],
        messages: &[
            "sdsc_0.json:2:3: error: the root is '1_add', but must be '0_' and the operation [VB37] at /1_add",
        ],
    },
    Case {
        rule: 37,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"0_add\": {",
            "\"other\": 1,\n  \"0_add\": {",
        )],
        messages: &["sdsc_0.json:1:1: error: the root has 2 keys, but must have one [VB37]"],
    },
    Case {
        rule: 37,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "        \"add\": {",
            "        \"sub\": {",
        )],
        messages: &[
            "sdsc_0.json:76:9: error: describes 'sub', but the file is of 'add' [VB37] at /0_add/dscs_/0/sub",
            "sdsc_0.json:708:29: error: computes 'add', but the description is of 'sub' [VB71] at /0_add/dscs_/0/sub/computeOp_/0/opFuncName",
        ],
    },
    Case {
        rule: 38,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "      \"label_\": \"corelet\"\n    },\n    \"numCoresUsed_\": 2,",
            "      \"label_\": \"corelet\"\n    },",
        )],
        messages: &["sdsc_0.json:2:12: error: key 'numCoresUsed_' is missing [VB38] at /0_add"],
    },
    Case {
        rule: 39,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"maskingConstId_\": -1,",
            "\"maskingConstId_\": -1,\n          \"maskingConstID_\": -1,",
        )],
        messages: &[
            "sdsc_0.json:90:11: error: key 'maskingConstID_' is unknown [VB39] at /0_add/dscs_/0/add/maskingConstID_",
        ],
    },
    Case {
        rule: 40,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"maskingConstId_\": -1,",
            "\"maskingConstId_\": -1,\n          \"maskingConstId_\": -1,",
        )],
        messages: &[
            "sdsc_0.json:90:11: error: key 'maskingConstId_' occurs twice [VB40] at /0_add/dscs_/0/add/maskingConstId_",
        ],
    },
    Case {
        rule: 41,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"coordinateMasking_\": {},\n          \"maskingConstId_\": -1,",
            "\"maskingConstId_\": -1,\n          \"coordinateMasking_\": {},",
        )],
        messages: &[
            "sdsc_0.json:76:16: warning: keys are not in the order of the format [VB41] at /0_add/dscs_/0/add",
        ],
    },
    Case {
        rule: 42,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"maskingConstId_\": -1",
            "\"maskingConstId_\": \"-1\"",
        )],
        messages: &[
            "sdsc_0.json:89:30: error: expected an integer, found a string [VB42] at /0_add/dscs_/0/add/maskingConstId_",
        ],
    },
    Case {
        rule: 42,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"maskingConstId_\": -1",
            "\"maskingConstId_\": -1.5",
        )],
        messages: &[
            "sdsc_0.json:89:30: error: -1.5 is not an integer of 64 bits [VB42] at /0_add/dscs_/0/add/maskingConstId_",
        ],
    },
    Case {
        rule: 42,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"[1, 0, 0]\": \"-2\"",
            "\"[1, 0, 0]\": \"-02\"",
        )],
        messages: &[
            "sdsc_0.json:175:32: error: '-02' is not a decimal number [VB42] at /0_add/dscs_/0/add/scheduleTree_/0/startAddressCoreCorelet_/data_/[1, 0, 0]",
        ],
    },
    Case {
        rule: 43,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"location\": \"Inner\"",
            "\"location\": \"Outer\"",
        )],
        messages: &[
            "sdsc_0.json:713:27: error: is 'Outer', but must be 'Inner' [VB43] at /0_add/dscs_/0/add/computeOp_/0/location",
        ],
    },
    Case {
        rule: 44,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"numCoresUsed_\": 2,\n          \"numCoreletsUsed_\"",
            "\"numCoresUsed_\": 4,\n          \"numCoreletsUsed_\"",
        )],
        messages: &[
            "sdsc_0.json:77:28: error: 4 cores, but numCoresUsed_ is 2 [VB44] at /0_add/dscs_/0/add/numCoresUsed_",
        ],
    },
    Case {
        rule: 44,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"numCoresUsed_\": 2",
            "\"numCoresUsed_\": 64",
        )],
        messages: &[
            "sdsc_0.json:37:22: error: 64 cores, but the card has 32 [VB44] at /0_add/numCoresUsed_",
        ],
    },
    Case {
        rule: 44,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"coreIdsUsed_\": [\n            0,\n            1",
            "\"coreIdsUsed_\": [\n            1,\n            0",
        )],
        messages: &[
            "sdsc_0.json:79:27: error: the cores must be 0 to 1 in order [VB44] at /0_add/dscs_/0/add/coreIdsUsed_",
        ],
    },
    Case {
        rule: 45,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "      \"1\": 0\n    }",
            "      \"2\": 0\n    }",
        )],
        messages: &[
            "sdsc_0.json:40:7: error: '2' is none of the 2 cores [VB45] at /0_add/coreIdToDsc_/2",
            "sdsc_0.json:38:21: error: core 1 of 2 is missing [VB45] at /0_add/coreIdToDsc_",
        ],
    },
    Case {
        rule: 46,
        bundle: Bundle::Loops,
        edits: &[Edit::Each("sdsc_0.json", "\"mb\": 2", "\"mb\": 4")],
        messages: &[
            "sdsc_0.json:42:27: error: the slices multiply to 4, but there are 2 cores [VB46] at /0_add/numWkSlicesPerDim_",
        ],
    },
    Case {
        rule: 47,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"1\": {\n        \"mb\": 1",
            "\"1\": {\n        \"mb\": 0",
        )],
        messages: &[
            "sdsc_0.json:51:7: error: core 1 has the same slices as a core before it [VB47] at /0_add/coreIdToWkSlice_/1",
        ],
    },
    Case {
        rule: 47,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"1\": {\n        \"mb\": 1",
            "\"1\": {\n        \"mb\": 2",
        )],
        messages: &[
            "sdsc_0.json:52:15: error: slice 2 of 'mb', which has 2 [VB47] at /0_add/coreIdToWkSlice_/1/mb",
        ],
    },
    Case {
        rule: 48,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"numWkSlicesPerDim_\": {\n      \"mb\"",
            "\"numWkSlicesPerDim_\": {\n      \"x\"",
        )],
        messages: &[
            "sdsc_0.json:48:9: error: 'mb' is no dimension of the operation [VB48] at /0_add/coreIdToWkSlice_/0/mb",
            "sdsc_0.json:52:9: error: 'mb' is no dimension of the operation [VB48] at /0_add/coreIdToWkSlice_/1/mb",
            "sdsc_0.json:85:13: error: 'mb' is no dimension of the operation [VB48] at /0_add/dscs_/0/add/N_/mb_",
        ],
    },
    Case {
        rule: 49,
        bundle: Bundle::Loops,
        edits: &[Edit::Each("sdsc_0.json", "\"mb", "\"row")],
        messages: &[
            "sdsc_0.json:85:13: warning: 'row' is no name of a dimension [VB49] at /0_add/dscs_/0/add/N_/row_",
        ],
    },
    Case {
        rule: 50,
        bundle: Bundle::Loops,
        edits: &[Edit::Each("sdsc_0.json", "\"mb_\": 16", "\"mb_\": 15")],
        messages: &[
            "sdsc_0.json:94:24: error: 15 on each of 2 slices of 'mb' are not its 32 [VB50] at /0_add/dscs_/0/add/dataStageParam_/0/ss_/mb_",
            "sdsc_0.json:105:24: error: 15 on each of 2 slices of 'mb' are not its 32 [VB50] at /0_add/dscs_/0/add/dataStageParam_/0/el_/mb_",
        ],
    },
    Case {
        rule: 51,
        bundle: Bundle::Mask,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "                200,\n",
            "                100,\n",
        )],
        messages: &[
            "sdsc_0.json:90:15: error: masks 56 from 100, but 'out' ends at 256 [VB51] at /0_mean/dscs_/0/mean/coordinateMasking_/out/0",
        ],
    },
    Case {
        rule: 51,
        bundle: Bundle::Mask,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"maskingConstId_\": 1",
            "\"maskingConstId_\": 2",
        )],
        messages: &[
            "sdsc_0.json:96:30: error: is constant 2, but there are 2 [VB51] at /0_mean/dscs_/0/mean/maskingConstId_",
        ],
    },
    Case {
        rule: 51,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"maskingConstId_\": -1",
            "\"maskingConstId_\": 0",
        )],
        messages: &[
            "sdsc_0.json:89:30: error: is 0, but nothing is masked [VB51] at /0_add/dscs_/0/add/maskingConstId_",
        ],
    },
    Case {
        rule: 52,
        bundle: Bundle::Mask,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"maskingConstId_\": 1",
            "\"maskingConstId_\": 0",
        )],
        messages: &[
            "sdsc_0.json:96:30: warning: is constant 0, which is 'scaling_factor', not 'samv-maskvalue' [VB52] at /0_mean/dscs_/0/mean/maskingConstId_",
        ],
    },
    Case {
        rule: 53,
        bundle: Bundle::Sizes,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"-1\": \"s97\"",
            "\"-2\": \"s97\"",
        )],
        messages: &[
            "sdsc_0.json:715:7: error: symbol '-2' is of no dimension [VB53] at /0_add/inputSymbolsAndTags_/-2",
            "sdsc_0.json:714:29: error: symbol -1 of 'mb' has no name [VB53] at /0_add/inputSymbolsAndTags_",
        ],
    },
    Case {
        rule: 53,
        bundle: Bundle::Loops,
        edits: &[
            Edit::Each("sdsc_0.json", "\"dscs_\": [", "\"dscs_\": ["),
            Edit::Each(
                "sdsc_0.json",
                "\"coreIdToDscSchedule\"",
                "\"coreIdToDscSchedule\"",
            ),
            Edit::Each(
                "sdsc_0.json",
                "\n    ]\n  }\n}",
                "\n    ],\n    \"datadscs_\": []\n  }\n}",
            ),
        ],
        messages: &[
            "sdsc_0.json:726:18: error: is for runtime dimensions, but there is none [VB53] at /0_add/datadscs_",
        ],
    },
    Case {
        rule: 54,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"layoutDimOrder_\": [\n                \"mb\",\n                \"out\"\n              ],\n              \"stickDimOrder_\"",
            "\"layoutDimOrder_\": [\n                \"mb\"\n              ],\n              \"stickDimOrder_\"",
        )],
        messages: &[
            "sdsc_0.json:121:33: error: the stick is along 'out', which the layout does not have [VB54] at /0_add/dscs_/0/add/primaryDsInfo_/OUTPUT/stickDimOrder_",
        ],
    },
    Case {
        rule: 54,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"layoutDimOrder_\": [\n                \"mb\",\n                \"out\"\n              ],\n              \"stickDimOrder_\"",
            "\"layoutDimOrder_\": [\n                \"mb\",\n                \"mb\"\n              ],\n              \"stickDimOrder_\"",
        )],
        messages: &[
            "sdsc_0.json:120:17: error: dimension 'mb' occurs twice [VB54] at /0_add/dscs_/0/add/primaryDsInfo_/OUTPUT/layoutDimOrder_/1",
        ],
    },
    Case {
        rule: 55,
        bundle: Bundle::Loops,
        edits: &[Edit::Each("sdsc_0.json", "\"OUTPUT\"", "\"RESULT\"")],
        messages: &[
            "sdsc_0.json:117:13: warning: 'RESULT' is no label of a layout [VB55] at /0_add/dscs_/0/add/primaryDsInfo_/RESULT",
        ],
    },
    Case {
        rule: 56,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"allocate-Tensor1_hbm\"",
            "\"allocate-Tensor2_hbm\"",
        )],
        messages: &[
            "sdsc_0.json:308:24: error: is 'allocate-Tensor2_hbm', but must be 'allocate-Tensor1_hbm' [VB56] at /0_add/dscs_/0/add/scheduleTree_/1/name_",
        ],
    },
    Case {
        rule: 56,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"ldsIdx_\": 1,\n              \"dsName_\"",
            "\"ldsIdx_\": 2,\n              \"dsName_\"",
        )],
        messages: &[
            "sdsc_0.json:669:26: error: has index 2, but is number 1 [VB56] at /0_add/dscs_/0/add/labeledDs_/1/ldsIdx_",
        ],
    },
    Case {
        rule: 57,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"allocate-Tensor0_hbm\",\n              \"prev_\": \"\"",
            "\"allocate-Tensor0_hbm\",\n              \"prev_\": \"allocate-Tensor1_hbm\"",
        )],
        messages: &[
            "sdsc_0.json:134:24: error: no node before this one is 'allocate-Tensor1_hbm' [VB57] at /0_add/dscs_/0/add/scheduleTree_/0/prev_",
        ],
    },
    Case {
        rule: 58,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"ldsIdx_\": 1,\n              \"dsName_\": \"Tensor1\",\n              \"dsType_\": \"OUTPUT\",\n              \"scale_\": [\n                1,\n                1",
            "\"ldsIdx_\": 1,\n              \"dsName_\": \"Tensor1\",\n              \"dsType_\": \"OUTPUT\",\n              \"scale_\": [\n                1",
        )],
        messages: &[
            "sdsc_0.json:672:25: error: 1 scales, but 'OUTPUT' has 2 dimensions [VB58] at /0_add/dscs_/0/add/labeledDs_/1/scale_",
        ],
    },
    Case {
        rule: 58,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"ldsIdx_\": 1,\n              \"dsName_\": \"Tensor1\",\n              \"dsType_\": \"OUTPUT\"",
            "\"ldsIdx_\": 1,\n              \"dsName_\": \"Tensor1\",\n              \"dsType_\": \"INPUT\"",
        )],
        messages: &[
            "sdsc_0.json:671:26: error: primaryDsInfo_ has no 'INPUT' [VB58] at /0_add/dscs_/0/add/labeledDs_/1/dsType_",
        ],
    },
    Case {
        rule: 59,
        bundle: Bundle::Gather,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"relatedIndirectAccessAlloc_\": \"allocate-Tensor1_hbm\"",
            "\"relatedIndirectAccessAlloc_\": \"allocate-Tensor2_hbm\"",
        )],
        messages: &[
            "sdsc_0.json:142:46: error: 'allocate-Tensor2_hbm' is no value_tensor [VB59] at /0_identity/dscs_/0/identity/scheduleTree_/0/relatedIndirectAccessAlloc_",
        ],
    },
    Case {
        rule: 59,
        bundle: Bundle::Loops,
        edits: &[Edit::First(
            "sdsc_0.json",
            "\"no_indirection\"",
            "\"random\"",
        )],
        messages: &[
            "sdsc_0.json:146:37: error: 'random' is no kind of access [VB59] at /0_add/dscs_/0/add/scheduleTree_/0/indirectAllocType_",
        ],
    },
    Case {
        rule: 60,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"[1, 0, 0]\": \"-2\"",
            "\"[2, 0, 0]\": \"-2\"",
        )],
        messages: &[
            "sdsc_0.json:175:19: error: '[2, 0, 0]' is not '[core, 0, 0]' of one of the 2 cores [VB60] at /0_add/dscs_/0/add/scheduleTree_/0/startAddressCoreCorelet_/data_/[2, 0, 0]",
        ],
    },
    Case {
        rule: 60,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"[1, 0, 0]\": \"-2\"",
            "\"[1, 0, 0]\": \"2\"",
        )],
        messages: &[
            "sdsc_0.json:175:32: error: 2 is no symbol: symbols are negative [VB60] at /0_add/dscs_/0/add/scheduleTree_/0/startAddressCoreCorelet_/data_/[1, 0, 0]",
        ],
    },
    Case {
        rule: 60,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"[0, 0, 0]\": \"0\",\n                  \"[1, 0, 0]\": \"0\"",
            "\"[0, 0, 0]\": \"64\",\n                  \"[1, 0, 0]\": \"64\"",
        )],
        messages: &[
            "sdsc_0.json:523:32: error: address 64 is not a whole number of sticks of 128 bytes from 0 [VB60] at /0_add/dscs_/0/add/scheduleTree_/2/startAddressCoreCorelet_/data_/[0, 0, 0]",
            "sdsc_0.json:524:32: error: address 64 is not a whole number of sticks of 128 bytes from 0 [VB60] at /0_add/dscs_/0/add/scheduleTree_/2/startAddressCoreCorelet_/data_/[1, 0, 0]",
        ],
    },
    Case {
        rule: 61,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"[0, 0, 0]\": \"0\",\n                  \"[1, 0, 0]\": \"0\"",
            "\"[0, 0, 0]\": \"0\",\n                  \"[1, 0, 0]\": \"128\"",
        )],
        messages: &[
            "sdsc_0.json:481:13: error: starts at 0 in the scratchpad of core 0, but at 128 on core 1 [VB61] at /0_add/dscs_/0/add/scheduleTree_/2",
        ],
    },
    Case {
        rule: 62,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"[0, 0, 0]\": \"0\",\n                  \"[1, 0, 0]\": \"0\"",
            "\"[0, 0, 0]\": \"2097024\",\n                  \"[1, 0, 0]\": \"2097024\"",
        )],
        messages: &[
            "sdsc_0.json:481:13: error: tensor 2 ends at 2101120 in the scratchpad, which has 2097152 bytes [VB62] at /0_add/dscs_/0/add/scheduleTree_/2",
        ],
    },
    Case {
        rule: 63,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"[0, 0, 0]\": \"0\",\n                  \"[1, 0, 0]\": \"0\"",
            "\"[0, 0, 0]\": \"1625216\",\n                  \"[1, 0, 0]\": \"1625216\"",
        )],
        messages: &[
            "sdsc_0.json:481:13: warning: tensor 2 ends at 1629312 in the scratchpad, of which 1625344 bytes are not the backend's [VB63] at /0_add/dscs_/0/add/scheduleTree_/2",
        ],
    },
    Case {
        rule: 64,
        bundle: Bundle::Loops,
        edits: &[
            Edit::Each(
                "sdsc_1.json",
                "\"component_\": \"hbm\",\n              \"isStartAddrSymbolic_\": 1",
                "\"component_\": \"lx\"",
            ),
            Edit::Each(
                "sdsc_1.json",
                "\"[0, 0, 0]\": \"-5\",\n                  \"[1, 0, 0]\": \"-6\"",
                "\"[0, 0, 0]\": \"1024\",\n                  \"[1, 0, 0]\": \"1024\"",
            ),
            Edit::Each("sdsc_1.json", "allocate-Tensor1_hbm", "allocate-Tensor1_lx"),
            Edit::Each(
                "sdsc_1.json",
                "\"-1\": \"32\"",
                "\"0\": \"32\",\n                  \"1\": \"32\"",
            ),
            Edit::Each(
                "sdsc_1.json",
                "\"-1\": \"128\"",
                "\"0\": \"128\",\n                  \"1\": \"128\"",
            ),
            Edit::Each("bundle.mlir", "(%addr_4, %addr_5)", "()"),
            Edit::Each("bundle.mlir", "[-5, -6]", "[]"),
        ],
        messages: &[
            "sdsc_1.json:130:28: error: tensors 0 and 1 overlap in the scratchpad: 0 to 4096, and from 1024 [VB64] at /1_exp/dscs_/0/exp/scheduleTree_",
        ],
    },
    Case {
        rule: 65,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_1.json",
            "\"-1\": \"128\"",
            "\"-1\": \"0\"",
        )],
        messages: &[
            "sdsc_1.json:349:25: error: 0 is no gap: it must be positive [VB65] at /1_exp/dscs_/0/exp/scheduleTree_/1/backGapCore_/out/-1",
            "bundle.mlir:33:5: warning: tensor 1 of 'sdsc_1.json' moves by 16384 * 1 bytes, 2 times in loop 1, which is by whole windows along no dimension of it; windows that overlap look like that, and so does a wrong stride [VB75]",
        ],
    },
    Case {
        rule: 65,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_1.json",
            "\"backGapCore_\": {\n                \"mb\"",
            "\"backGapCore_\": {\n                \"in\"",
        )],
        messages: &[
            "sdsc_1.json:345:17: error: 'in' is no dimension of the tensor [VB65] at /1_exp/dscs_/0/exp/scheduleTree_/1/backGapCore_/in",
            "bundle.mlir:33:5: warning: tensor 1 of 'sdsc_1.json' moves by 4096 * 1 bytes, 2 times in loop 0, which is by whole windows along no dimension of it; windows that overlap look like that, and so does a wrong stride [VB75]",
            "bundle.mlir:33:5: warning: tensor 1 of 'sdsc_1.json' moves by 16384 * 1 bytes, 2 times in loop 1, which is by whole windows along no dimension of it; windows that overlap look like that, and so does a wrong stride [VB75]",
        ],
    },
    Case {
        rule: 66,
        bundle: Bundle::Loops,
        edits: &[Edit::First(
            "sdsc_1.json",
            "\"alpha_\": 16",
            "\"alpha_\": 15",
        )],
        messages: &[
            "sdsc_1.json:188:39: error: is 15, but the extents of the file make it 16 [VB66] at /1_exp/dscs_/0/exp/scheduleTree_/0/coordinates_/coordInfo/mb/folds/dim_prop_func/0/Affine/alpha_",
        ],
    },
    Case {
        rule: 66,
        bundle: Bundle::Loops,
        edits: &[Edit::First(
            "sdsc_1.json",
            "\"factor_\": 16,\n                          \"label_\": \"elem_arr_0\"",
            "\"factor_\": 32,\n                          \"label_\": \"elem_arr_0\"",
        )],
        messages: &[
            "sdsc_1.json:225:38: error: is 32, but the extents of the file make it 16 [VB66] at /1_exp/dscs_/0/exp/scheduleTree_/0/coordinates_/coordInfo/mb/folds/dim_prop_attr/3/factor_",
        ],
    },
    Case {
        rule: 67,
        bundle: Bundle::Loops,
        edits: &[Edit::First(
            "sdsc_1.json",
            "\"factor_\": 16,\n                          \"label_\": \"elem_arr_0\"",
            "\"factor_\": 0,\n                          \"label_\": \"elem_arr_0\"",
        )],
        messages: &[
            "sdsc_1.json:225:38: error: is 0, but the extents of the file make it 16 [VB66] at /1_exp/dscs_/0/exp/scheduleTree_/0/coordinates_/coordInfo/mb/folds/dim_prop_attr/3/factor_",
            "sdsc_1.json:225:38: warning: a fold of 0 has no element [VB67] at /1_exp/dscs_/0/exp/scheduleTree_/0/coordinates_/coordInfo/mb/folds/dim_prop_attr/3/factor_",
        ],
    },
    Case {
        rule: 68,
        bundle: Bundle::Loops,
        edits: &[Edit::First(
            "sdsc_1.json",
            "\"wordLength\": 2",
            "\"wordLength\": 4",
        )],
        messages: &[
            "sdsc_1.json:482:29: error: 4 bytes, but an element has 2 [VB68] at /1_exp/dscs_/0/exp/labeledDs_/0/wordLength",
        ],
    },
    Case {
        rule: 68,
        bundle: Bundle::Loops,
        edits: &[Edit::First(
            "sdsc_1.json",
            "\"dataFormat_\": \"SEN169_FP16\",\n              \"memOrg_\"",
            "\"dataFormat_\": \"BOOL\",\n              \"memOrg_\"",
        )],
        messages: &[
            "sdsc_1.json:483:30: error: no tensor can have the format 'BOOL' [VB68] at /1_exp/dscs_/0/exp/labeledDs_/0/dataFormat_",
            "sdsc_1.json:516:32: error: is 'SEN169_FP16', but tensor 0 has 'BOOL' [VB71] at /1_exp/dscs_/0/exp/computeOp_/0/attributes_/dataFormat_",
        ],
    },
    Case {
        rule: 68,
        bundle: Bundle::Loops,
        edits: &[Edit::First(
            "sdsc_1.json",
            "\"dataFormat_\": \"SEN169_FP16\",\n              \"memOrg_\"",
            "\"dataFormat_\": \"FP16\",\n              \"memOrg_\"",
        )],
        messages: &[
            "sdsc_1.json:483:30: error: 'FP16' is no format [VB68] at /1_exp/dscs_/0/exp/labeledDs_/0/dataFormat_",
            "sdsc_1.json:516:32: error: is 'SEN169_FP16', but tensor 0 has 'FP16' [VB71] at /1_exp/dscs_/0/exp/computeOp_/0/attributes_/dataFormat_",
        ],
    },
    Case {
        rule: 69,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_1.json",
            "\"stickSize_\": [\n                64",
            "\"stickSize_\": [\n                32",
        )],
        messages: &[
            "sdsc_1.json:125:29: error: a stick of 'OUTPUT' has 32 elements, but one of tensor 0 has 64 [VB69] at /1_exp/dscs_/0/exp/primaryDsInfo_/OUTPUT/stickSize_",
            "sdsc_1.json:125:29: error: a stick of 'OUTPUT' has 32 elements, but one of tensor 1 has 64 [VB69] at /1_exp/dscs_/0/exp/primaryDsInfo_/OUTPUT/stickSize_",
        ],
    },
    Case {
        rule: 70,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_1.json",
            "\"memOrg_\": {\n                \"hbm\": {\n                  \"isPresent\": 1\n                },\n                \"lx\"",
            "\"memOrg_\": {\n                \"lx\"",
        )],
        messages: &[
            "sdsc_1.json:302:29: error: is in 'hbm', but memOrg_ says that it is not present there [VB70] at /1_exp/dscs_/0/exp/scheduleTree_/1/component_",
        ],
    },
    Case {
        rule: 71,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_1.json",
            "\"exUnit\": \"sfp\"",
            "\"exUnit\": \"pt\"",
        )],
        messages: &[
            "sdsc_1.json:513:25: error: 'exp' runs on 'sfp', not on 'pt' [VB71] at /1_exp/dscs_/0/exp/computeOp_/0/exUnit",
        ],
    },
    Case {
        rule: 71,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_1.json",
            "\"opFuncName\": \"exp\"",
            "\"opFuncName\": \"log\"",
        )],
        messages: &[
            "sdsc_1.json:514:29: error: computes 'log', but the description is of 'exp' [VB71] at /1_exp/dscs_/0/exp/computeOp_/0/opFuncName",
        ],
    },
    Case {
        rule: 72,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "                \"Tensor1-idx1\"\n              ],\n              \"output",
            "                \"Tensor1-idx2\"\n              ],\n              \"output",
        )],
        messages: &[
            "sdsc_0.json:716:17: error: 'Tensor1-idx2' is no tensor of the file [VB72] at /0_add/dscs_/0/add/computeOp_/0/inputLabeledDs/1",
            "sdsc_0.json:706:13: error: tensor 1 is no operand of the operation [VB72] at /0_add/dscs_/0/add/computeOp_/0",
        ],
    },
    Case {
        rule: 72,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"outputLabeledDs\": [\n                \"Tensor2-idx2\"",
            "\"outputLabeledDs\": [\n                \"Tensor1-idx1\"",
        )],
        messages: &[
            "sdsc_0.json:718:34: error: the result must be the last tensor, 2 [VB72] at /0_add/dscs_/0/add/computeOp_/0/outputLabeledDs",
            "sdsc_0.json:706:13: error: tensor 2 is no operand of the operation [VB72] at /0_add/dscs_/0/add/computeOp_/0",
        ],
    },
    Case {
        rule: 73,
        bundle: Bundle::Loops,
        edits: &[Edit::Each("sdsc_0.json", "add\"", "plus\"")],
        messages: &[
            "sdsc_0.json:2:3: warning: 'plus' is not an operation that the backend is known to have [VB73] at /0_plus",
        ],
    },
    Case {
        rule: 74,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_2.json",
            "\"constantInfo_\": {\n            \"0\"",
            "\"constantInfo_\": {\n            \"2\"",
        )],
        messages: &[
            "sdsc_2.json:507:13: error: constant '2' is number 0 [VB74] at /2_clip/dscs_/0/clip/constantInfo_/2",
        ],
    },
    Case {
        rule: 74,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"constantInfo_\": \"{}\"",
            "\"constantInfo_\": \"{\\\"0\\\": 1}\"",
        )],
        messages: &[
            "sdsc_0.json:704:28: error: the string '{\\\"0\\\": 1}' must be '{}' [VB74] at /0_add/dscs_/0/add/constantInfo_",
        ],
    },
    Case {
        rule: 74,
        bundle: Bundle::Loops,
        edits: &[Edit::Each("sdsc_2.json", "\"clipMax\"", "\"clipMin\"")],
        messages: &[
            "sdsc_2.json:545:24: error: another constant is 'clipMin' [VB74] at /2_clip/dscs_/0/clip/constantInfo_/1/name_",
        ],
    },
    Case {
        rule: 75,
        bundle: Bundle::Loops,
        edits: &[Edit::Each("bundle.mlir", "4096*d0", "2048*d0")],
        messages: &[
            "bundle.mlir:30:5: warning: tensor 0 of 'sdsc_0.json' moves by 2048 * 1 bytes, 2 times in loop 0, which is by whole windows along no dimension of it; windows that overlap look like that, and so does a wrong stride [VB75]",
            "bundle.mlir:30:5: warning: tensor 1 of 'sdsc_0.json' moves by 2048 * 1 bytes, 2 times in loop 0, which is by whole windows along no dimension of it; windows that overlap look like that, and so does a wrong stride [VB75]",
            "bundle.mlir:33:5: warning: tensor 1 of 'sdsc_1.json' moves by 2048 * 1 bytes, 2 times in loop 0, which is by whole windows along no dimension of it; windows that overlap look like that, and so does a wrong stride [VB75]",
        ],
    },
    Case {
        rule: 75,
        bundle: Bundle::Loops,
        edits: &[
            Edit::Each("bundle.mlir", "16384*d1", "8192*d1"),
            Edit::Each(
                "bundle.mlir",
                "%loop_bound_1 = arith.constant 2",
                "%loop_bound_1 = arith.constant 3",
            ),
        ],
        messages: &[
            "bundle.mlir:30:5: warning: tensor 0 of 'sdsc_0.json' moves by 8192 * 1 bytes, 3 times in loop 1, which is by whole windows along no dimension of it; windows that overlap look like that, and so does a wrong stride [VB75]",
            "bundle.mlir:30:5: warning: tensor 1 of 'sdsc_0.json' moves by 8192 * 1 bytes, 3 times in loop 1, which is by whole windows along no dimension of it; windows that overlap look like that, and so does a wrong stride [VB75]",
            "bundle.mlir:33:5: warning: tensor 1 of 'sdsc_1.json' moves by 8192 * 1 bytes, 3 times in loop 1, which is by whole windows along no dimension of it; windows that overlap look like that, and so does a wrong stride [VB75]",
        ],
    },
    Case {
        rule: 47,
        bundle: Bundle::Shuffle,
        edits: &[Edit::Each("sdsc_0.json", "\"out\": 3", "\"out\": 1")],
        messages: &[
            "sdsc_0.json:522:19: error: core 3 has the same slices as a core before it [VB47] at /0_shuffle/dscs_/0/shuffle/scheduleTree_/1/coordinates_/coreIdToWkSlice_/3",
        ],
    },
    Case {
        rule: 76,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"Tensor0-idx0\",\n                \"Tensor1-idx1\"",
            "\"Tensor1-idx1\",\n                \"Tensor0-idx0\"",
        )],
        messages: &[
            "sdsc_0.json:714:33: error: the inputs are tensors 1, 0, but must be in their order [VB76] at /0_add/dscs_/0/add/computeOp_/0/inputLabeledDs",
        ],
    },
    Case {
        rule: 77,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"layoutDimOrder_\": [\n                \"mb\",\n                \"out\"\n              ],\n              \"stickDimOrder_\"",
            "\"layoutDimOrder_\": [\n                \"out\",\n                \"mb\"\n              ],\n              \"stickDimOrder_\"",
        )],
        messages: &[
            "sdsc_0.json:118:34: error: is out, mb, but tensor 0, the first with this layout, has mb, out [VB77] at /0_add/dscs_/0/add/primaryDsInfo_/OUTPUT/layoutDimOrder_",
        ],
    },
    Case {
        rule: 78,
        bundle: Bundle::Maximum,
        edits: &[Edit::Each("sdsc_0.json", "65535", "0")],
        messages: &[
            "sdsc_0.json:529:21: error: 0 stands for masked elements of 'max', but only 65535, the code of -inf, changes no result [VB78] at /0_max/dscs_/0/max/constantInfo_/0/data_/data_/[0, 0, 0]/0",
        ],
    },
    Case {
        rule: 79,
        bundle: Bundle::Loops,
        edits: &[Edit::Each(
            "sdsc_0.json",
            "\"debug_handle_\": null",
            "\"debug_handle_\": 5",
        )],
        messages: &[
            "sdsc_0.json:3:22: error: expected null or an object, found a number [VB79] at /0_add/debug_handle_",
        ],
    },
    Case {
        rule: 80,
        bundle: Bundle::Heads,
        edits: &[],
        messages: &[
            "bundle.mlir:8:3: warning: tensor 0 of 'sdsc_1.json' has full sticks before its last one, but the stick 0 bytes from its base has 32 of 64 elements: 'sdsc_0.json' masks the rest [VB80]",
        ],
    },
];
