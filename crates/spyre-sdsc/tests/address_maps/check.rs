//! Checks the rules that have to hold for a program.

use spyre_layout::WindowError;
use spyre_sdsc::codegen::PlanOptions;
use spyre_sdsc::{Bundle, BundleOptions, Node, unroll};

use super::common::compile_bundle;
use super::program::{Illegal, Program};
use super::visits::{Memory, Visit, Visits, expected, visited};

/// A program without its loops and cores: the places of its tensors, and its visits.
pub(crate) struct Untiled {
    memory: Memory,
    visits: [Vec<Visit>; 2],
}

/// Checks a program that can be tiled: it visits the addresses of the layouts, and in total the visits of
/// `untiled`.
pub(crate) fn check(program: &Program, untiled: &Untiled) -> Result<(), String> {
    let expected = expected(program, &untiled.memory).map_err(|error| format!("{error:?}"))?;
    let actual = visited(&compile(&tree(program)?)?);
    compare(&actual, &expected)?;
    if in_arguments(actual) != untiled.visits {
        return Err(
            "all iterations together visit other addresses than the untiled program".into(),
        );
    }
    Ok(())
}

/// The same for the program with its loops unrolled.
pub(crate) fn check_unrolled(program: &Program, untiled: &Untiled) -> Result<(), String> {
    let expected = expected(program, &untiled.memory).map_err(|error| format!("{error:?}"))?;
    let tree = tree(program)?;
    let flat = unroll(&tree, &PlanOptions::default()).map_err(|error| error.to_string())?;
    if flat.iter().any(|node| !matches!(node, Node::Op(_))) {
        return Err("unrolled, a loop is left".into());
    }
    let actual = visited(&compile(&flat)?);
    compare(&actual, &expected).map_err(|reason| format!("unrolled, {reason}"))
}

/// Compiles the program without its loops, on one core, and checks that it writes every stick once.
pub(crate) fn untiled(program: &Program) -> Result<Untiled, String> {
    let untiled = Program {
        levels: vec![],
        splits: vec![1; program.shape.len()],
        ..program.clone()
    };
    let visits = in_arguments(visited(&compile(&tree(&untiled)?)?));
    let [_, writes] = &visits;
    let mut written: Vec<u64> = writes.iter().map(|visit| visit[2]).collect();
    written.sort_unstable();
    written.dedup();
    let units: u64 = program.units(&program.shape).iter().product();
    if written.len() as u64 != units || writes.len() as u64 != units {
        return Err(format!(
            "{} visits write {} of {units} sticks",
            writes.len(),
            written.len()
        ));
    }
    let memory = Memory::from_program(&untiled).map_err(|error| format!("{error:?}"))?;
    Ok(Untiled { memory, visits })
}

/// A tiling that must be refused.
pub(crate) fn check_refused(program: &Program) -> Result<(), String> {
    match program.tree() {
        Ok(_) => Err("was not refused".into()),
        Err(Illegal::Uneven) => Ok(()),
        // No other window is at fault than one that cuts sticks.
        Err(Illegal::Windows(WindowError::CutsSticks { dim, .. }))
            if Some(dim) == program.stick =>
        {
            Ok(())
        }
        Err(other) => Err(format!("{other:?}")),
    }
}

fn tree(program: &Program) -> Result<Vec<Node>, String> {
    program.tree().map_err(|error| format!("{error:?}"))
}

fn compile(nodes: &[Node]) -> Result<Bundle, String> {
    compile_bundle(nodes, &BundleOptions::default()).map_err(|error| error.to_string())
}

/// The visits by operation, sorted, without the tensor in the scratchpads, which hold tiles.
fn in_arguments(visits: Visits) -> [Vec<Visit>; 2] {
    let mut by_operation = [vec![], vec![]];
    for (execution, cores) in visits.into_iter().enumerate() {
        let operation = execution % 2;
        by_operation[operation].extend(cores.into_iter().flatten().map(|mut visit| {
            visit[if operation == 0 { 2 } else { 0 }] = 0;
            visit
        }));
    }
    by_operation
        .iter_mut()
        .for_each(|visits| visits.sort_unstable());
    by_operation
}

/// Names the first difference.
fn compare(actual: &Visits, expected: &Visits) -> Result<(), String> {
    if actual == expected {
        return Ok(());
    }
    if actual.len() != expected.len() {
        return Err(format!(
            "{} executions, not {}",
            actual.len(),
            expected.len()
        ));
    }
    for (execution, (actual, expected)) in actual.iter().zip(expected).enumerate() {
        if actual.len() != expected.len() {
            return Err(format!(
                "execution {execution}: {} cores, not {}",
                actual.len(),
                expected.len()
            ));
        }
        for (core, (actual, expected)) in actual.iter().zip(expected).enumerate() {
            let differ = actual
                .iter()
                .zip(expected)
                .find(|(actual, expected)| actual != expected);
            if let Some((actual, expected)) = differ {
                return Err(format!(
                    "execution {execution}, core {core}: visits {actual:x?}, not {expected:x?}"
                ));
            }
            if actual.len() != expected.len() {
                let counts = (actual.len(), expected.len());
                return Err(format!(
                    "execution {execution}, core {core}: {counts:?} visits"
                ));
            }
        }
    }
    Ok(())
}
