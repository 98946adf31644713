//! Keys that repeat others: numbers of cores, extents of one core, and folds.

use super::json::{Coordinate, Described, Dsc, Extent, Label, Node, Object, Sdsc};
use super::operation::{Dim, Fault, Operation, WINDOWS, descriptor, wrong};

/// Checks that the keys agree that define no address by themselves.
pub(super) fn check(sdsc: &Sdsc, operation: &Operation) -> Result<(), Fault> {
    let dsc = descriptor(sdsc)?;
    cores(sdsc, dsc, operation)?;
    for (stage, parts) in &dsc.stages.0 {
        for (name, extents) in [("ss_", &parts.steady), ("el_", &parts.last)] {
            stage_of(
                &format!("dataStageParam_/{stage}/{name}"),
                extents,
                dsc,
                operation,
            )?;
        }
    }
    orders(dsc)?;
    for node in &dsc.nodes {
        let described = dsc
            .tensors
            .iter()
            .find(|tensor| tensor.tensor == node.tensor);
        let label = described.and_then(|described| dsc.labels.get(&described.label));
        if let (Some(described), Some(label)) = (described, label) {
            starts(node, operation)?;
            folds(node, described, label, operation)?;
        }
    }
    Ok(())
}

/// Checks that each layout has its dimensions in the order of the first tensor that has it (SDSC bundle specification,
/// section 4.5). Scales and folds are in the order of the layout.
fn orders(dsc: &Dsc) -> Result<(), Fault> {
    for (name, label) in &dsc.labels.0 {
        let first = dsc.tensors.iter().find(|tensor| tensor.label == *name);
        let node =
            first.and_then(|first| dsc.nodes.iter().find(|node| node.tensor == first.tensor));
        if let Some(node) = node
            && node.dims != label.dims
        {
            let message = format!(
                "it is {}, and tensor {}, the first with this layout, has {}",
                label.dims.join(", "),
                node.tensor,
                node.dims.join(", ")
            );
            return wrong(format!("primaryDsInfo_/{name}/layoutDimOrder_"), message);
        }
    }
    Ok(())
}

fn equal(key: impl Into<String>, actual: i64, expected: i64) -> Result<(), Fault> {
    match actual == expected {
        true => Ok(()),
        false => wrong(
            key,
            format!("it is {actual}, and {expected} follows from N_ and numWkSlicesPerDim_"),
        ),
    }
}

fn cores(sdsc: &Sdsc, dsc: &Dsc, operation: &Operation) -> Result<(), Fault> {
    let parts = operation
        .dims
        .iter()
        .try_fold(1_i64, |cores, dim| cores.checked_mul(dim.slices));
    let Some(parts) = parts else {
        return wrong(
            "numWkSlicesPerDim_",
            "the number of cores does not fit 64 bits",
        );
    };
    let count = |length: usize| i64::try_from(length).expect("cores of a file");
    equal("coreIdsUsed_", operation.cores(), parts)?;
    equal("numCoresUsed_", sdsc.cores, parts)?;
    equal("dscs_/0/numCoresUsed_", dsc.cores, parts)?;
    equal("coreFoldProp_/factor_", sdsc.core_fold.factor, parts)?;
    equal("coreIdToDsc_", count(sdsc.descriptors.0.len()), parts)?;
    equal("coreIdToWkSlice_", count(sdsc.core_slices.0.len()), parts)
}

/// Checks the extents of one core.
fn stage_of(
    key: &str,
    extents: &Object<Extent>,
    dsc: &Dsc,
    operation: &Operation,
) -> Result<(), Fault> {
    for dim in &operation.dims {
        let key = format!("{key}/{}_", dim.name);
        match extents.get(&format!("{}_", dim.name)) {
            Some(Extent::Number(part)) => equal(key, *part, dim.part())?,
            _ => return wrong(key, "the dimension has no extent"),
        }
    }
    if let Some(Extent::Sizes(_) | Extent::Other(_)) = extents.get("symbolicDimInfo_") {
        return Err(Fault::Unmodelled(format!("{key}/symbolicDimInfo_")));
    }
    let of = |extents: &Object<Extent>| match extents.get(WINDOWS) {
        Some(Extent::Windows(windows)) => windows.0.clone(),
        _ => Vec::new(),
    };
    for (name, mut windows) in of(extents) {
        let whole = of(&dsc.extents).into_iter().find(|(of, _)| *of == name);
        let Some((_, whole)) = whole else {
            return wrong(format!("{key}/{WINDOWS}/{name}"), "N_ has no such windows");
        };
        // Some operations have the elements of one core here, others those of all.
        let dim = operation.dims.iter().find(|dim| dim.name == name);
        let kernel = operation.dims.iter().find(|dim| dim.name == whole.window);
        if let (Some(dim), Some(kernel)) = (dim, kernel) {
            let part = (i128::from(dim.part()) - 1) * i128::from(whole.stride)
                + (i128::from(kernel.extent) - 1) * i128::from(whole.dilation)
                + 1;
            if i128::from(windows.total) == part {
                windows.total = whole.total;
            }
        }
        if windows != whole {
            return wrong(
                format!("{key}/{WINDOWS}/{name}"),
                "the windows are others than those of N_",
            );
        }
    }
    Ok(())
}

fn starts(node: &Node, operation: &Operation) -> Result<(), Fault> {
    let key = || format!("scheduleTree_/{}/startAddressCoreCorelet_", node.tensor);
    if let Some(fold) = node.starts.factors.first() {
        equal(
            format!("{}/dim_prop_attr/0", key()),
            fold.factor,
            operation.cores(),
        )?;
    }
    let count = i64::try_from(node.starts.data.0.len()).expect("starts of a file");
    equal(format!("{}/data_", key()), count, operation.cores())
}

/// Checks the folds of the coordinates of a tensor: the slices of cores, and the elements of one core.
fn folds(
    node: &Node,
    described: &Described,
    label: &Label,
    operation: &Operation,
) -> Result<(), Fault> {
    for (name, coordinate) in &node.coordinates.dims.0 {
        let key = format!(
            "scheduleTree_/{}/coordinates_/coordInfo/{name}",
            node.tensor
        );
        let dim = operation.dims.iter().find(|dim| dim.name == *name);
        let at = label.dims.iter().position(|of_label| of_label == name);
        let (Some(dim), Some(at)) = (dim, at) else {
            return wrong(key, "neither N_ nor the layout has the dimension");
        };
        let scale = described.scales.get(at).copied().unwrap_or(1);
        let is_device = node.component == "hbm";
        let per_stick = label.stick_size.first().copied().unwrap_or(1);
        if per_stick < 1 {
            return wrong(key, "a stick has at least one element");
        }
        let sticks = label.stick.contains(name).then_some(per_stick);
        let is_walked = node.walked.get(name).is_some();
        fold(
            &key,
            coordinate,
            &Fold {
                dim,
                scale,
                sticks,
                is_walked,
                is_device,
            },
        )?;
    }
    Ok(())
}

/// The facts that determine the fold of a dimension of a tensor.
struct Fold<'f> {
    dim: &'f Dim,
    scale: i64,
    /// The elements of a stick, if the elements of sticks run along the dimension.
    sticks: Option<i64>,
    is_walked: bool,
    is_device: bool,
}

/// The forms are those of the SDSC bundle specification, section 5: elements of a core, corelet, row, then elements in
/// one or two levels.
fn fold(key: &str, coordinate: &Coordinate, fold: &Fold<'_>) -> Result<(), Fault> {
    let Fold {
        dim,
        scale,
        sticks,
        is_walked,
        is_device,
    } = *fold;
    let slices = if scale > 0 { dim.slices } else { 1 };
    let factors: Vec<i64> = coordinate
        .folds
        .factors
        .iter()
        .map(|fold| fold.factor)
        .collect();
    let functions = coordinate.folds.functions.iter();
    let alphas: Vec<i64> = functions
        .map(|function| function.only().map_or(0, |(_, of)| of.alpha))
        .collect();
    let key_of = |list: &str| format!("{key}/folds/{list}");
    // In device memory, the page has one part, and the front end those of the cores.
    if factors.first() != Some(&slices) && !(is_device && factors.first() == Some(&1)) {
        let message = format!("the first of {factors:?} is not the number of parts, {slices}");
        return wrong(key_of("dim_prop_attr"), message);
    }
    if is_walked {
        return Ok(());
    }
    let elements = if scale > 0 { dim.part() } else { 1 };
    let (expected_factors, expected_alphas) = match sticks {
        None => (vec![1, 1, elements], vec![elements, 0, 0, 1]),
        Some(per_stick) if scale == -2 => (
            vec![1, 1, 1, per_stick],
            vec![per_stick, 0, 0, per_stick, 0],
        ),
        Some(per_stick) => {
            let count = elements / per_stick + i64::from(elements % per_stick != 0);
            (
                vec![1, 1, count, per_stick],
                vec![elements, 0, 0, per_stick, 1],
            )
        }
    };
    if factors.get(1..) != Some(&expected_factors[..]) {
        let message = format!("{factors:?} has not the elements {expected_factors:?}");
        return wrong(key_of("dim_prop_attr"), message);
    }
    if alphas != expected_alphas {
        let message = format!("{alphas:?} are not the distances {expected_alphas:?}");
        return wrong(key_of("dim_prop_func"), message);
    }
    Ok(())
}
