//! Comparison of two functions apart from the strides of their maps.

use std::collections::{BTreeMap, BTreeSet};

use crate::revision::R1Node;

/// The moves of an address: bytes per induction variable.
type Moves<'a> = BTreeMap<&'a str, u64>;

/// The number in a term such as `64*d0`.
fn stride(term: &str) -> Option<u64> {
    term.split_once('*')?.0.parse().ok()
}

/// A text as its lines, without maps, and with the maps' strides where they are applied.
fn read(text: &str) -> Vec<(String, Moves<'_>)> {
    let mut maps: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    let mut lines = Vec::new();
    for line in text.lines() {
        // A map that cannot be read is compared as text.
        if let Some((name, map)) = line.split_once(" = affine_map<")
            && let Some(strides) = map.split(" + ").skip(1).map(stride).collect()
        {
            maps.insert(name, strides);
            continue;
        }
        let apply = line
            .split_once(" = affine.apply ")
            .and_then(|(left, right)| {
                let (map, rest) = right.split_once('(')?;
                let (ivs, base) = rest.split_once(')')?;
                let moves = ivs.split(", ").zip(maps.get(map)?.iter().copied());
                Some((format!("{left} = {base}"), moves.collect()))
            });
        lines.push(apply.unwrap_or_else(|| (line.to_owned(), Moves::new())));
    }
    lines
}

/// Compares two functions, which may differ in strides alone, and returns the number of strides that differ. A stride may
/// differ as in the first revision (SDSC bundle specification, section 3.5): it is too large by a factor, the extent of a
/// tile, or there is one for a dimension that does not move the tensor.
///
/// # Errors
/// The first difference that is no such stride.
pub(super) fn differ_only(reference: &str, ours: &str, nodes: &[R1Node]) -> Result<usize, String> {
    let mut tiles = BTreeSet::new();
    collect_tiles(nodes, &mut tiles);
    let (reference, ours) = (read(reference), read(ours));
    if reference.len() != ours.len() {
        return Err(format!("{} lines against {}", reference.len(), ours.len()));
    }
    let mut count = 0;
    for ((their_line, their_moves), (our_line, our_moves)) in reference.iter().zip(&ours) {
        if their_line != our_line {
            return Err(format!(
                "`{}` against `{}`",
                their_line.trim(),
                our_line.trim()
            ));
        }
        if let Some(iv) = our_moves.keys().find(|iv| !their_moves.contains_key(*iv)) {
            return Err(format!(
                "`{}` moves with {iv}, and the reference does not",
                our_line.trim()
            ));
        }
        for (iv, theirs) in their_moves {
            let explained = match our_moves.get(iv) {
                Some(ours) if ours == theirs => continue,
                Some(ours) => tiles
                    .iter()
                    .any(|tile| ours.checked_mul(*tile) == Some(*theirs)),
                None => true,
            };
            if !explained {
                return Err(format!(
                    "`{}` moves by {theirs} with {iv}",
                    their_line.trim()
                ));
            }
            count += 1;
        }
    }
    Ok(count)
}

/// The extents of all tiles.
fn collect_tiles(nodes: &[R1Node], tiles: &mut BTreeSet<u64>) {
    for node in nodes {
        match node {
            R1Node::Op(op) => {
                let extents = op.iteration_space.iter();
                tiles.extend(extents.filter_map(|dim| u64::try_from(dim.extent.as_int()?).ok()));
            }
            R1Node::Loop(spec) => collect_tiles(&spec.body, tiles),
            R1Node::Unimplemented { .. } => {}
        }
    }
}
