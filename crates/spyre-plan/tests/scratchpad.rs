//! Placement of buffers: known patterns, rules of taking over a place, and properties.

use std::ops::Range;

use proptest::prelude::*;
use spyre_layout::{Bytes, STICK_BYTES};
use spyre_plan::{
    Buffer, Placement, PlacementError, Target, first_fit, high_water, spill_traffic, verify,
};

use Placement::{At, Spilled};

fn buffer(size: u64, live: Range<u32>) -> Buffer {
    Buffer::new(Bytes(size), live)
}

/// A buffer that is written in the first and read in each of the other given steps.
fn used(size: u64, steps: &[u32]) -> Buffer {
    let (first, last) = (steps.iter().min().unwrap(), steps.iter().max().unwrap());
    let uses = u32::try_from(steps.len()).unwrap();
    Buffer {
        uses,
        ..buffer(size, *first..last + 1)
    }
}

/// Places the buffers in the scratchpad of the card, and expects all to fit.
#[track_caller]
fn all_fit(buffers: &[Buffer]) -> Vec<u64> {
    let capacity = Target::default().usable_lx();
    let placements = first_fit(buffers, capacity, STICK_BYTES);
    verify(buffers, &placements, capacity, STICK_BYTES).unwrap();
    assert_eq!(
        spill_traffic(buffers, &placements),
        Bytes(0),
        "{placements:?}"
    );
    placements
        .iter()
        .map(|placement| placement.address().unwrap().get())
        .collect()
}

#[test]
fn fragmentation() {
    // Thirds of the scratchpad: the last buffer fits only if the second is not in the middle.
    let third = 541_696;
    let addresses = all_fit(&[
        used(third, &[0, 1, 2]),
        used(third, &[1, 2, 3, 4]),
        used(2 * third, &[3, 4]),
    ]);
    assert_eq!(addresses, [0, 2 * third, 0]);
}

#[test]
fn rising_staircase() {
    // Short buffers grow while one long buffer stays from each step: 28 parts stay, 7 move.
    let part = 46_336;
    let mut buffers = Vec::new();
    for step in 0..7 {
        let size = part * u64::from(step + 1);
        buffers.push(used(size, &[3 * step, 3 * step + 1, 3 * step + 2]));
        buffers.push(used(size, &[3 * step + 1, 3 * step + 2, 21]));
    }
    let ends = all_fit(&buffers);
    let high = ends
        .iter()
        .zip(&buffers)
        .map(|(at, buffer)| at + buffer.size.get())
        .max();
    assert_eq!(high, Some(35 * part));
}

#[test]
fn falling_staircase() {
    let part = 95_488;
    let mut buffers = vec![used(part, &[0, 1, 17])];
    for step in 0..5 {
        let size = part * u64::from(5 - step);
        buffers.push(used(size, &[3 * step + 2, 3 * step + 3, 3 * step + 4]));
        buffers.push(used(size, &[3 * step + 3, 3 * step + 4, 17]));
    }
    all_fit(&buffers);
}

#[test]
fn attention_with_buffers_written_over_each_other() {
    let large = 808_960;
    let over = |buffer: Buffer, old| Buffer {
        may_overwrite: vec![old],
        ..buffer
    };
    let addresses = all_fit(&[
        used(404_480, &[0, 2]),
        used(50_560, &[1, 2]),
        used(large, &[2, 3, 4]),
        used(6272, &[3, 4]),
        over(used(large, &[4, 5, 6]), 2),
        used(6272, &[5, 6]),
        over(used(large, &[6, 7, 9]), 4),
        used(50_560, &[8, 9]),
        used(404_480, &[9, 10]),
    ]);
    // The numerators are written over the product of queries and keys.
    assert_eq!(addresses[2], addresses[4]);
}

#[test]
fn the_intermediate_of_the_canonical_program_starts_the_scratchpad() {
    // One tile of 512 x 1024 16-bit elements over 32 cores.
    let y = buffer(512 * 1024 * 2 / 32, 0..2);
    let placements = first_fit(&[y], Target::default().usable_lx(), STICK_BYTES);
    assert_eq!(placements, [At(Bytes(0))]);
}

#[test]
fn lives_that_meet_share_a_place_and_others_do_not() {
    let buffers = [buffer(100, 0..2), buffer(100, 2..4), buffer(100, 1..3)];
    let placements = first_fit(&buffers, Bytes(1024), STICK_BYTES);
    assert_eq!(placements, [At(Bytes(0)), At(Bytes(0)), At(Bytes(128))]);
    assert_eq!(high_water(&buffers, &placements), Bytes(228));
}

#[test]
fn what_does_not_fit_is_spilled_and_costs_every_use() {
    let large = Buffer {
        uses: 5,
        ..buffer(1000, 0..9)
    };
    let buffers = [
        buffer(512, 0..3),
        large,
        buffer(512, 0..3),
        buffer(4096, 4..5),
    ];
    let placements = first_fit(&buffers, Bytes(1024), STICK_BYTES);
    assert_eq!(placements, [At(Bytes(0)), Spilled, At(Bytes(512)), Spilled]);
    assert_eq!(
        spill_traffic(&buffers, &placements),
        Bytes(5 * 1000 + 2 * 4096)
    );
}

#[test]
fn many_uses_go_before_few() {
    let few = buffer(1024, 0..4);
    let many = Buffer {
        uses: 9,
        ..few.clone()
    };
    let placements = first_fit(&[few, many], Bytes(1024), STICK_BYTES);
    assert_eq!(placements, [Spilled, At(Bytes(0))]);
}

#[test]
fn a_place_is_taken_over_by_a_smaller_buffer_in_the_last_step_only() {
    let takes_over = |old: Buffer, new: Buffer| {
        let buffers = [
            old,
            Buffer {
                may_overwrite: vec![0],
                ..new
            },
        ];
        let placements = first_fit(&buffers, Bytes(1024), STICK_BYTES);
        verify(&buffers, &placements, Bytes(1024), STICK_BYTES).unwrap();
        assert!(!placements.contains(&Spilled));
        placements[0] == placements[1]
    };
    assert!(takes_over(buffer(256, 0..2), buffer(256, 1..3)));
    assert!(!takes_over(buffer(256, 0..2), buffer(512, 1..3)));
    assert!(!takes_over(buffer(256, 0..3), buffer(256, 1..3)));
    // Two buffers of the same step do not follow each other.
    assert!(!takes_over(buffer(256, 1..2), buffer(256, 1..2)));
}

#[test]
fn a_place_is_taken_over_once() {
    let over = |old: usize| Buffer {
        may_overwrite: vec![old],
        ..buffer(256, 1..3)
    };
    let buffers = [buffer(256, 0..2), over(0), over(0)];
    let placements = first_fit(&buffers, Bytes(1024), STICK_BYTES);
    assert_eq!(placements, [At(Bytes(0)), At(Bytes(0)), At(Bytes(256))]);
    verify(&buffers, &placements, Bytes(1024), STICK_BYTES).unwrap();
    let both = [At(Bytes(0)); 3];
    let error = verify(&buffers, &both, Bytes(1024), STICK_BYTES).unwrap_err();
    assert!(matches!(error, PlacementError::Overlap { .. }), "{error}");
}

#[test]
fn a_gap_of_just_the_size_is_used() {
    let important = |buffer: Buffer, uses| Buffer { uses, ..buffer };
    let buffers = [
        important(buffer(256, 0..4), 400),
        important(buffer(256, 0..2), 100),
        important(buffer(512, 0..4), 130),
        buffer(256, 2..4),
    ];
    let placements = first_fit(&buffers, Bytes(1024), STICK_BYTES);
    assert_eq!(placements, [0, 256, 512, 256].map(|at| At(Bytes(at))));
}

#[test]
fn odd_input_is_answered() {
    assert_eq!(first_fit(&[], Bytes(0), Bytes(0)), []);
    // Entries of `may_overwrite` that are unknown, mutual, or the buffer itself are ignored.
    let buffers = [
        Buffer {
            may_overwrite: vec![7, 0, 1],
            ..buffer(256, 0..2)
        },
        Buffer {
            may_overwrite: vec![0],
            ..buffer(256, 0..1)
        },
        buffer(0, 0..9),
        buffer(u64::MAX, 0..1),
        buffer(64, 5..5),
    ];
    let placements = first_fit(&buffers, Bytes(512), Bytes(0));
    verify(&buffers, &placements, Bytes(512), Bytes(0)).unwrap();
    assert_eq!(placements[3], Spilled);
    assert!(placements[0] != Spilled && placements[1] != Spilled && placements[4] != Spilled);
    let endless = [buffer(1, 0..u32::MAX), buffer(1, u32::MAX - 1..u32::MAX)];
    let placements = first_fit(&endless, Bytes(u64::MAX), Bytes(u64::MAX));
    assert!(placements.contains(&Spilled));
}

#[test]
fn the_checker_finds_each_broken_rule() {
    let buffers = [buffer(256, 0..2), buffer(256, 1..3)];
    let message = |placements: &[Placement]| {
        verify(&buffers, placements, Bytes(512), STICK_BYTES)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(message(&[Spilled]), "1 placements for 2 buffers");
    assert_eq!(
        message(&[Spilled, At(Bytes(64))]),
        "buffer 1 is at 64 bytes, which is not a multiple of 128 bytes"
    );
    assert_eq!(
        message(&[At(Bytes(384)), Spilled]),
        "buffer 0 of 256 bytes at 384 bytes leaves a memory of 512 bytes"
    );
    assert_eq!(
        message(&[At(Bytes(0)), At(Bytes(128))]),
        "buffers 0 (at 0 bytes) and 1 (at 128 bytes) overlap and are both alive at step 1"
    );
    assert!(
        verify(
            &buffers,
            &[At(Bytes(0)), At(Bytes(256))],
            Bytes(512),
            STICK_BYTES
        )
        .is_ok()
    );
    let last = At(Bytes(u64::MAX - 127));
    assert!(verify(&buffers, &[last, Spilled], Bytes(512), STICK_BYTES).is_err());
}

fn random_buffers() -> impl Strategy<Value = Vec<Buffer>> {
    let one = (
        0u64..2000,
        0u32..30,
        0u32..8,
        1u32..6,
        any::<bool>(),
        prop::collection::vec(0usize..40, 0..3),
    );
    prop::collection::vec(one, 0..40).prop_map(|buffers| {
        buffers
            .into_iter()
            .map(
                |(size, start, life, uses, first_use_is_write, may_overwrite)| Buffer {
                    size: Bytes(size),
                    live: start..start + life,
                    uses,
                    first_use_is_write,
                    may_overwrite,
                    repeats: 1,
                },
            )
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn placements_obey_the_rules(buffers in random_buffers(), capacity in 0u64..8000, align in 0u64..300) {
        let (capacity, align) = (Bytes(capacity), Bytes(align));
        let placements = first_fit(&buffers, capacity, align);
        prop_assert_eq!(verify(&buffers, &placements, capacity, align), Ok(()));
        prop_assert!(high_water(&buffers, &placements) <= capacity);
        prop_assert_eq!(first_fit(&buffers, capacity, align), placements);
    }

    #[test]
    fn a_buffer_is_spilled_only_if_no_place_is_left(buffers in random_buffers(), capacity in 0u64..8000) {
        let capacity = Bytes(capacity);
        let placements = first_fit(&buffers, capacity, STICK_BYTES);
        for spilled in (0..buffers.len()).filter(|&id| placements[id] == Spilled) {
            let mut more = placements.clone();
            for start in (0..capacity.get()).step_by(128) {
                more[spilled] = At(Bytes(start));
                let result = verify(&buffers, &more, capacity, STICK_BYTES);
                // Places that would have to be taken over are not tried a second time.
                let takes_over = placements.contains(&At(Bytes(start)));
                prop_assert!(result.is_err() || takes_over, "buffer {} fits at {}", spilled, start);
            }
        }
    }

    #[test]
    fn with_room_for_all_nothing_is_spilled(buffers in random_buffers()) {
        let room = buffers.iter().map(|buffer| buffer.size.get() + 128).sum();
        let placements = first_fit(&buffers, Bytes(room), STICK_BYTES);
        prop_assert_eq!(spill_traffic(&buffers, &placements), Bytes(0));
    }

    #[test]
    fn the_checker_agrees_with_the_definition(
        buffers in random_buffers(), addresses in prop::collection::vec(0u64..20, 40),
    ) {
        // Without places to take over: every pair, byte ranges and life ranges.
        let buffers: Vec<_> = buffers
            .into_iter()
            .take(6)
            .map(|buffer| Buffer { may_overwrite: Vec::new(), ..buffer })
            .collect();
        let placements: Vec<_> =
            buffers.iter().zip(&addresses).map(|(_, at)| At(Bytes(at * 128))).collect();
        let meet = |a: Range<u64>, b: Range<u64>| a.start.max(b.start) < a.end.min(b.end);
        let overlap = (0..buffers.len()).any(|a| {
            (0..a).any(|b| {
                let time = |id: usize| {
                    let live = &buffers[id].live;
                    u64::from(live.start)..u64::from(live.end)
                };
                let space = |id: usize| addresses[id] * 128..addresses[id] * 128 + buffers[id].size.get();
                meet(time(a), time(b)) && meet(space(a), space(b))
            })
        });
        let result = verify(&buffers, &placements, Bytes(1 << 20), STICK_BYTES);
        prop_assert_eq!(result.is_err(), overlap);
    }
}

/// Short lives one after the other, as in a long program.
fn chain(count: u32) -> Vec<Buffer> {
    (0..count)
        .map(|step| {
            let size = u64::from(step * 7919 % 1000 + 1) * 128;
            Buffer::new(Bytes(size), step..step + 2 + step % 5)
        })
        .collect()
}

#[test]
fn a_hundred_thousand_buffers_are_placed_and_checked() {
    let buffers = chain(100_000);
    let capacity = Target::default().usable_lx();
    let placements = first_fit(&buffers, capacity, STICK_BYTES);
    verify(&buffers, &placements, capacity, STICK_BYTES).unwrap();
    // At most six are alive at once, of at most 128000 bytes each.
    assert_eq!(spill_traffic(&buffers, &placements), Bytes(0));
}
