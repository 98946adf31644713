//! The cores that use a loaded value.
//!
//! A value of a scratchpad is a result of every core, also of those that do nothing with it: an interpreter of KTIR has
//! no branch with results. A core uses a value if a store of the core depends on it.

use melior::ir::operation::OperationLike;
use rustc_hash::FxHashSet;
use spyre_mlir_rt::ir::{self, Op, Val, op_key, value_key};
use spyre_ods::{ktdp, linalg, scf, tensor};
use spyre_proof::expr::Var;

use crate::check::Check;
use crate::index::{Conditions, MOST_PIECES};
use crate::kernel::Case;
use crate::memory::Placed;

impl<'p> Check<'_, 'p> {
    /// Returns the cases of a load for the cores that use its value; `None` if that is no smaller set, or not known.
    pub(crate) fn used_cases(&self, load: Placed<'_, 'p>) -> Option<Vec<Case>> {
        let stores = stores_of(load.access.op)?;
        let mut cores: Vec<Conditions> = Vec::new();
        for access in &self.kernel.accesses {
            if !stores.contains(&op_key(access.op)) {
                continue;
            }
            for case in access.cases.as_ref().ok()? {
                let of_core = |var: &Var| matches!(var, Var::Core | Var::Param(_));
                let when = case.when.iter();
                let when = when.filter(|it| it.expr().vars().iter().all(of_core));
                let when: Conditions = when.cloned().collect();
                if when.is_empty() {
                    return None; // all cores
                }
                if !cores.contains(&when) {
                    cores.push(when);
                }
            }
        }
        if cores.len() * load.cases.len() > MOST_PIECES {
            return None;
        }
        let pairs = load
            .cases
            .iter()
            .flat_map(|case| cores.iter().map(move |when| (case, when)));
        let cases = pairs.map(|(case, when)| Case {
            when: [&case.when[..], when].concat(),
            ..case.clone()
        });
        Some(cases.collect())
    }
}

/// Returns the stores that depend on the results of an operation; `None` if something else depends on them.
fn stores_of(op: Op<'_>) -> Option<FxHashSet<ir::OpKey>> {
    let mut stores = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let mut open: Vec<Val<'_>> = ir::results(op).collect();
    while let Some(value) = open.pop() {
        if !seen.insert(value_key(value)) {
            continue;
        }
        for usage in ir::uses(value) {
            let user = usage.owner;
            match ir::name(user) {
                ktdp::STORE => {
                    stores.insert(op_key(user));
                }
                scf::YIELD => {
                    let around = user.parent_operation()?;
                    open.push(ir::result(around, usage.operand)?);
                    if ir::name(around) == scf::FOR {
                        let body = ir::body(around)?;
                        open.push(ir::arguments(body).nth(usage.operand + 1)?);
                    }
                }
                scf::FOR => {
                    // The bounds and the step are before the tensors.
                    let number = usage.operand.checked_sub(3)?;
                    open.push(ir::result(user, number)?);
                    open.push(ir::arguments(ir::body(user)?).nth(number + 1)?);
                }
                linalg::YIELD | tensor::YIELD => open.extend(ir::results(user.parent_operation()?)),
                name if is_pure(name) => open.extend(ir::results(user)),
                _ => return None,
            }
        }
    }
    Some(stores)
}

/// Returns whether an operation has no effect but its results.
fn is_pure(name: &str) -> bool {
    let dialects = ["arith.", "linalg.", "math.", "tensor."];
    dialects.iter().any(|dialect| name.starts_with(dialect))
}
