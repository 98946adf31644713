//! Properties of tiling and work division.

use std::collections::BTreeSet;

use proptest::prelude::*;
use spyre_plan::{Level, SplitDim, core_slices, distribute, divide, tile_nest};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn division_is_exact_or_refused(extent in 0u64..1000, count in 0u64..40) {
        match divide(extent, count) {
            Ok(tile) => prop_assert_eq!(tile * count, extent),
            Err(error) => {
                prop_assert!(count == 0 || extent % count != 0);
                prop_assert_eq!((error.extent, error.count), (extent, count));
            }
        }
    }

    #[test]
    fn tiles_cover_the_shape_once(
        tile in prop::collection::vec(1u64..4, 1..=3),
        levels in prop::collection::vec((0usize..3, 1u64..4), 0..=4),
    ) {
        // Build a shape that divides, then walk the nest and count each element.
        let levels: Vec<Level> = levels
            .into_iter()
            .map(|(dim, count)| Level { dim: dim % tile.len(), count })
            .collect();
        let mut shape = tile.clone();
        for level in &levels {
            shape[level.dim] *= level.count;
        }
        let nest = tile_nest(&shape, &levels).unwrap();
        prop_assert_eq!(&nest.tile, &tile);
        let mut origins = BTreeSet::from([vec![0u64; shape.len()]]);
        let mut iterations = 1;
        for level in &nest.levels {
            prop_assert_eq!(level.step.get() * level.count, level.span.get());
            iterations *= level.count;
            origins = origins
                .iter()
                .flat_map(|origin| {
                    (0..level.count).map(|index| {
                        let mut origin = origin.clone();
                        origin[level.dim] += index * level.step.get();
                        origin
                    })
                })
                .collect();
        }
        prop_assert_eq!(origins.len() as u64, iterations);
        prop_assert_eq!(iterations * tile.iter().product::<u64>(), shape.iter().product::<u64>());
        for origin in origins {
            let aligned = origin.iter().zip(&tile).zip(&shape).all(|((&at, &tile), &extent)| {
                at.is_multiple_of(tile) && at + tile <= extent
            });
            prop_assert!(aligned, "{:?}", origin);
        }
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
