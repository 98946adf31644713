//! Properties of tiling and work division.

use std::collections::BTreeSet;

use proptest::prelude::*;
use spyre_plan::{Parts, SplitDim, core_slices, distribute, tile_extent};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tiles_are_units_and_no_more_than_asked_for(extent in 1u64..1000, count in 1u64..40, unit in 1u64..70) {
        let tile = tile_extent(extent, count, unit).unwrap();
        prop_assert!(tile == extent || tile.is_multiple_of(unit));
        let parts = Parts::of(extent, tile).unwrap();
        prop_assert!((1..=count).contains(&parts.count()));
        prop_assert!(parts.rest < tile);
        prop_assert_eq!(parts.whole * tile + parts.rest, extent);
        // One unit less would be too many tiles.
        if tile > unit && tile < extent {
            let smaller = Parts::of(extent, tile.next_multiple_of(unit) - unit).unwrap();
            prop_assert!(smaller.count() > count);
        }
    }

    #[test]
    fn tiles_cover_an_extent_once(
        extent in 1u64..300,
        levels in prop::collection::vec((1u64..9, prop::sample::select(vec![1u64, 2, 8])), 0..=3),
    ) {
        // Start and extent of each tile; the levels inside a shorter tile keep their step.
        let mut tiles = vec![(0, extent)];
        let mut whole = extent;
        for (count, unit) in levels {
            let step = tile_extent(whole, count, unit).unwrap();
            whole = step;
            tiles = tiles
                .into_iter()
                .flat_map(|(start, extent)| {
                    let parts = Parts::of(extent, step).unwrap();
                    (0..parts.count()).map(move |index| {
                        let at = index * step;
                        (start + at, step.min(extent - at))
                    })
                })
                .collect();
        }
        let mut next = 0;
        for (start, extent) in tiles {
            prop_assert_eq!(start, next);
            prop_assert!(extent > 0 && extent <= whole);
            next = start + extent;
        }
        prop_assert_eq!(next, extent);
    }

    #[test]
    fn work_is_divided_evenly_among_the_cores_there_are(
        dims in prop::collection::vec((0u64..200, any::<bool>()), 0..=5), cores in 0u32..=64,
    ) {
        let dims: Vec<SplitDim> = dims
            .into_iter()
            .map(|(units, splittable)| SplitDim { units, splittable })
            .collect();
        let splits = distribute(&dims, cores);
        prop_assert_eq!(splits.len(), dims.len());
        let product: u32 = splits.iter().product();
        prop_assert!(product <= cores.max(1));
        for (dim, &split) in dims.iter().zip(&splits) {
            prop_assert!(split == 1 || (dim.splittable && dim.units.is_multiple_of(split.into())));
        }
        // The largest dimension that may be split could not have been split further.
        let largest = dims.iter().zip(&splits).filter(|(dim, _)| dim.splittable).rev()
            .max_by_key(|(dim, _)| dim.units);
        if let Some((dim, &split)) = largest.filter(|(dim, _)| dim.units > 0) {
            prop_assert!((split + 1..=cores).all(|more| !dim.units.is_multiple_of(more.into())));
        }
    }

    #[test]
    fn every_slice_has_one_core(
        splits in prop::collection::vec(1u32..=5, 0..=4), fast in prop::option::of(0usize..4),
    ) {
        let fast = fast.filter(|&dim| dim < splits.len());
        let slices = core_slices(&splits, fast).unwrap();
        let cores: u32 = splits.iter().product();
        prop_assert_eq!(slices.len(), cores as usize);
        for slice in &slices {
            prop_assert!(slice.iter().zip(&splits).all(|(at, split)| at < split));
        }
        let distinct: BTreeSet<_> = slices.iter().collect();
        prop_assert_eq!(distinct.len(), slices.len());
        // Neighbouring cores differ in the fast dimension.
        if let Some(fast) = fast.filter(|&dim| splits[dim] > 1) {
            prop_assert!(slices[0][fast] != slices[1][fast]);
        }
    }
}
