//! Checks of names and orders that have no effect on the run of a bundle: the names and the order of parameters, and
//! named maps.

use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

use spyre_bundle_files::{Function, Linear, NamedMap, ParamName, Place};

/// A fault of spelling, and its place.
pub(crate) type Fault = (Place, String);

/// Returns the position of a kind of parameters among the others.
const fn rank(name: ParamName<'_>) -> u32 {
    match name {
        ParamName::Pool => 0,
        ParamName::Tensor(_) => 1,
        ParamName::Size(..) => 2,
        ParamName::LoopSize(_) => 3,
    }
}

/// Checks the names of parameters and their order.
pub(crate) fn check_params(function: &Function, is_r2: bool) -> Vec<Fault> {
    let values = function.params.iter().map(|param| param.value.index());
    let values = values.map(|value| &function.values[value]);
    check_names(
        values.map(|value| (value.name.as_str(), value.place)),
        is_r2,
    )
}

/// Checks names and their order: pool, tensors, sizes, sizes of loops. Revision r1 has tensors in any order.
fn check_names<'t>(names: impl Iterator<Item = (&'t str, Place)>, is_r2: bool) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut last: Option<ParamName<'_>> = None;
    for (name, place) in names {
        let Some(param) = ParamName::parse(name) else {
            faults.push((place, format!("'%{name}' is no name of a parameter")));
            continue;
        };
        let is_after = last.is_none_or(|last| match (last, param) {
            (ParamName::Tensor(last), ParamName::Tensor(next)) => !is_r2 || last < next,
            (ParamName::Size(last, at), ParamName::Size(next, then)) => (last, at) < (next, then),
            (ParamName::LoopSize(last), ParamName::LoopSize(next)) => last != next,
            (last, next) => rank(last) < rank(next),
        });
        if !is_after {
            let message = format!("'%{name}' is not in the order of parameters");
            faults.push((place, message));
        }
        last = Some(param);
    }
    faults
}

/// Checks that maps which have names are used, and are different.
pub(crate) fn check_maps(maps: &[NamedMap]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut spellings: FxHashMap<(usize, &Linear), &str> = FxHashMap::default();
    for named in maps {
        if let Ok(form) = &named.map.form {
            match spellings.entry((named.map.dims, form)) {
                Entry::Occupied(same) => {
                    let message = format!("'#{}' is the same map as '#{}'", named.name, same.get());
                    faults.push((named.place, message));
                }
                Entry::Vacant(entry) => {
                    entry.insert(&named.name);
                }
            }
        }
        if named.uses == 0 {
            faults.push((named.place, format!("'#{}' is not used", named.name)));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use spyre_bundle_files::parse;

    use super::*;

    #[test]
    fn order_of_parameters() {
        let faults = |names: &[&str], is_r2| {
            let names = names.iter().map(|name| (*name, Place::default()));
            check_names(names, is_r2).len()
        };
        let names = [
            "pool_base_addr",
            "arg_1_base_addr",
            "arg_3_base_addr",
            "sym_0_1_base",
            "dim_s0_base",
        ];
        assert_eq!(faults(&names, true), 0);
        assert_eq!(faults(&["arg_3_base_addr", "arg_1_base_addr"], true), 1);
        assert_eq!(faults(&["arg_3_base_addr", "arg_1_base_addr"], false), 0);
        assert_eq!(faults(&["dim_s0_base", "sym_0_1_base"], true), 1);
        assert_eq!(
            faults(&["arg_x_base_addr", "sym_0_base", "dim__base"], true),
            3
        );
    }

    #[test]
    fn maps_are_used_and_differ() {
        let faults = |more: &str| {
            let text = format!(
                "#map_0 = affine_map<(d0)[s0] -> (s0 + 128*d0)>\n{more}module {{ func.func @sdsc_bundle(%b: index) {{\n\
                 %a = affine.apply #map_0(%b)[%b]\nreturn }} }}"
            );
            let maps = parse(&text).expect("a module").maps;
            let messages = check_maps(&maps).into_iter().map(|(_, message)| message);
            messages.collect::<Vec<_>>()
        };
        assert_eq!(faults(""), [""; 0]);
        assert_eq!(
            faults("#map_1 = affine_map<(d0)[s0] -> (s0 + 128*d0)>\n"),
            [
                "'#map_1' is the same map as '#map_0'",
                "'#map_1' is not used"
            ]
        );
    }
}
