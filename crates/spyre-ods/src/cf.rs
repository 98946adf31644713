//! Operations of `cf`, from the ODS by `cargo xtask ods`. The notation is that of [`crate::ops`].

crate::ops! {
    "cf.assert" ASSERT assert Assert (arg) {msg};
    "cf.br" BR br Branch (*dest_operands "destOperands");
    "cf.cond_br" COND_BR cond_br CondBranch
        (condition, *true_dest_operands "trueDestOperands", *false_dest_operands "falseDestOperands") sized
        {?branch_weights};
    "cf.switch" SWITCH switch Switch (flag, *default_operands "defaultOperands", *case_operands "caseOperands") sized
        {?case_values, case_operand_segments};
}
