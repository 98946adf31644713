//! Placement solvers: the patterns and the capture of the middle-end specification (sections 5.3 and 5.8), and proofs of optima.

use std::ops::Range;

use proptest::prelude::*;
use spyre_layout::{Bytes, STICK_BYTES};
use spyre_plan::{
    Buffer, NODES, Placement, Solver, Target, best_fit, exact, first_fit, greedy, place,
    spill_traffic, verify,
};

const SOLVERS: [Solver; 4] = [
    Solver::Greedy,
    Solver::FirstFit,
    Solver::BestFit,
    Solver::Exact,
];

/// A pattern: buffers that may be in the scratchpad as planning calls the solvers, and the bytes that have to move
/// under any placement: inputs once, outputs once.
struct Pattern {
    buffers: Vec<Buffer>,
    boundary: u64,
}

/// A buffer that is written in the first and read in each of the other given steps.
fn used(size: u64, steps: &[u32]) -> Buffer {
    let (first, last) = (steps.iter().min().unwrap(), steps.iter().max().unwrap());
    Buffer {
        uses: u32::try_from(steps.len()).unwrap(),
        ..Buffer::new(Bytes(size), *first..last + 1)
    }
}

fn over(buffer: Buffer, old: usize) -> Buffer {
    Buffer {
        may_overwrite: vec![old],
        ..buffer
    }
}

fn fragmentation() -> Pattern {
    let third = 541_696;
    Pattern {
        buffers: vec![
            used(third, &[0, 1, 2]),
            used(third, &[1, 2, 3, 4]),
            used(2 * third, &[3, 4]),
        ],
        boundary: 3 * third,
    }
}

fn rising_staircase() -> Pattern {
    let part = 46_336;
    let mut buffers = Vec::new();
    for step in 0..7 {
        let size = part * u64::from(step + 1);
        buffers.push(used(size, &[3 * step, 3 * step + 1, 3 * step + 2]));
        buffers.push(used(size, &[3 * step + 1, 3 * step + 2, 21]));
    }
    let inputs = part * (1..=7).sum::<u64>();
    Pattern {
        buffers,
        boundary: inputs + 8 * part,
    }
}

fn falling_staircase() -> Pattern {
    let part = 95_488;
    let mut buffers = vec![used(part, &[0, 1, 17])];
    for step in 0..5 {
        let size = part * u64::from(5 - step);
        buffers.push(used(size, &[3 * step + 2, 3 * step + 3, 3 * step + 4]));
        buffers.push(used(size, &[3 * step + 3, 3 * step + 4, 17]));
    }
    let inputs = part * (1 + (1..=5).sum::<u64>());
    Pattern {
        buffers,
        boundary: inputs + 7 * part,
    }
}

fn attention() -> Pattern {
    let (large, q, k) = (808_960, 404_480, 50_560);
    Pattern {
        buffers: vec![
            used(q, &[0, 2]),
            used(k, &[1, 2]),
            used(large, &[2, 3, 4]),
            used(6272, &[3, 4]),
            over(used(large, &[4, 5, 6]), 2),
            used(6272, &[5, 6]),
            over(used(large, &[6, 7, 9]), 4),
            used(k, &[8, 9]),
            used(q, &[9, 10]),
        ],
        boundary: q + 2 * k + large + q,
    }
}

#[test]
fn the_solvers_reach_the_traffic_of_the_specification() {
    let capacity = Target::default().usable_lx();
    // Greedy, first fit, best fit; exact reaches the good addresses.
    let cases = [
        (
            fragmentation(),
            [3_791_872, 1_625_088, 1_625_088],
            1_625_088,
        ),
        (
            rising_staircase(),
            [5_282_304, 1_668_096, 1_668_096],
            1_668_096,
        ),
        (
            falling_staircase(),
            [2_769_152, 2_196_224, 2_196_224],
            2_196_224,
        ),
        (attention(), [1_719_040; 3], 1_719_040),
    ];
    for (Pattern { buffers, boundary }, heuristics, good) in cases {
        let traffic = SOLVERS.map(|solver| {
            let placement = place(solver, &buffers, capacity, STICK_BYTES);
            verify(&buffers, &placement.placements, capacity, STICK_BYTES).unwrap();
            boundary + spill_traffic(&buffers, &placement.placements).get()
        });
        let [one, two, three] = heuristics;
        assert_eq!(traffic, [one, two, three, good]);
    }
}

#[test]
fn attention_fits_without_writing_over_where_first_fit_finds_no_gap() {
    let Pattern {
        mut buffers,
        boundary,
    } = attention();
    buffers
        .iter_mut()
        .for_each(|buffer| buffer.may_overwrite.clear());
    let capacity = Target::default().usable_lx();
    let traffic = |placements: &[Placement]| boundary + spill_traffic(&buffers, placements).get();
    let first = first_fit(&buffers, capacity, STICK_BYTES);
    assert_eq!(traffic(&first), 4_145_920);
    let placement = exact(&buffers, capacity, STICK_BYTES, NODES);
    assert_eq!(traffic(&placement.placements), 1_719_040);
}

#[test]
fn the_division_of_the_softmax_capture_is_placed_whole() {
    // A maximum, the numerators, their sum over 16 cores, as the recorded division has them; the result is an output.
    let (large, small) = (1_048_576 / 16, 2048 / 16);
    let buffers = [
        used(small, &[0, 1]),
        used(large, &[1, 2]),
        over(used(large, &[2, 3, 4]), 1),
        used(small, &[3, 4]),
    ];
    let capacity = Target::default().usable_lx();
    let placement = exact(&buffers, capacity, STICK_BYTES, NODES);
    assert_eq!(spill_traffic(&buffers, &placement.placements), Bytes(0));
    // The two large ones share a place where there is room for one.
    let placement = exact(&buffers, Bytes(large + 2 * 128), STICK_BYTES, NODES);
    assert_eq!(spill_traffic(&buffers, &placement.placements), Bytes(0));
}

#[test]
fn what_does_not_fit_at_all_is_spilled_and_proven() {
    let buffers = [
        used(4096, &[0, 1]),
        used(512, &[0, 1]),
        used(512, &[0, 1, 2]),
    ];
    let placement = exact(&buffers, Bytes(512), STICK_BYTES, NODES);
    assert_eq!(placement.bound, Bytes(2 * 4096 + 2 * 512));
    assert_eq!(placement.gap(&buffers), Bytes(0));
    assert_eq!(placement.placements[2], Placement::At(Bytes(0)));
}

/// A generator of a fixed sequence of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Eight buffers with a largest load just above the capacity, or equal to it.
fn tight(numbers: &mut Numbers, with_parents: bool) -> (Vec<Buffer>, u64) {
    loop {
        let mut buffers: Vec<Buffer> = Vec::new();
        for _ in 0..8 {
            let start = numbers.below(8) as u32;
            let life = 1 + numbers.below(6) as u32;
            let reads = 1 + numbers.below(3) as u32;
            let size = Bytes(128 * (1 + numbers.below(4)));
            let parents = buffers.iter().enumerate();
            let parents = parents.filter(|(_, old)| {
                with_parents
                    && old.live.end == start + 1
                    && old.live.start < start
                    && size <= old.size
            });
            buffers.push(Buffer {
                uses: 1 + reads,
                may_overwrite: parents.map(|(id, _)| id).collect(),
                ..Buffer::new(size, start..start + life)
            });
        }
        let load = |step: u32| -> u64 {
            let alive = buffers.iter().filter(|buffer| buffer.live.contains(&step));
            alive.map(|buffer| buffer.size.get()).sum()
        };
        let most = (0..16).map(load).max().unwrap();
        if (8 * 128..=10 * 128).contains(&most) {
            let capacity = most - 128 * numbers.below(3);
            return (buffers, capacity);
        }
    }
}

/// Returns the least traffic if it is below `limit`, else `limit`, by trying for every buffer every address and none: no code,
/// and no idea, of the solver.
fn enumerate(buffers: &[Buffer], capacity: u64, limit: u64) -> u64 {
    fn go(
        buffers: &[Buffer],
        placed: &mut Vec<Option<u64>>,
        slots: u64,
        cost: u64,
        best: &mut u64,
    ) {
        if cost >= *best {
            return;
        }
        let id = placed.len();
        let Some(buffer) = buffers.get(id) else {
            *best = cost;
            return;
        };
        let size = buffer.size.get() / 128;
        let meets =
            |one: Range<u64>, other: Range<u64>| one.start < other.end && other.start < one.end;
        for at in 0..=slots.saturating_sub(size) {
            let is_free = placed.iter().enumerate().all(|(other, start)| {
                let old = &buffers[other];
                let Some(start) = *start else { return true };
                let together = old.live.start < buffer.live.end && buffer.live.start < old.live.end;
                let takes_over = |child: &Buffer, parent: usize| {
                    let parent_of = &buffers[parent];
                    child.may_overwrite.contains(&parent)
                        && parent_of.live.end == child.live.start + 1
                        && child.size <= parent_of.size
                        && start == at
                };
                !together
                    || !meets(at..at + size, start..start + old.size.get() / 128)
                    || takes_over(buffer, other)
                    || takes_over(old, id)
            });
            if is_free && size <= slots {
                placed.push(Some(at));
                go(buffers, placed, slots, cost, best);
                placed.pop();
            }
        }
        placed.push(None);
        go(
            buffers,
            placed,
            slots,
            cost + buffer.size.get() * u64::from(buffer.uses),
            best,
        );
        placed.pop();
    }
    let mut best = limit;
    go(buffers, &mut Vec::new(), capacity / 128, 0, &mut best);
    best
}

#[test]
fn exact_proves_the_optimum_of_tight_instances() {
    let mut numbers = Numbers(5);
    let (mut best, mut of_first_fit) = (0, 0);
    for case in 0..400 {
        let (buffers, capacity) = tight(&mut numbers, case % 2 == 1);
        let placement = exact(&buffers, Bytes(capacity), STICK_BYTES, NODES);
        verify(
            &buffers,
            &placement.placements,
            Bytes(capacity),
            STICK_BYTES,
        )
        .unwrap();
        let traffic = spill_traffic(&buffers, &placement.placements);
        assert_eq!(
            placement.gap(&buffers),
            Bytes(0),
            "case {case}: {placement:?}"
        );
        assert_eq!(
            traffic.get(),
            enumerate(&buffers, capacity, traffic.get()),
            "case {case}: {buffers:?} {capacity}"
        );
        let first = first_fit(&buffers, Bytes(capacity), STICK_BYTES);
        best += traffic.get();
        of_first_fit += spill_traffic(&buffers, &first).get();
    }
    // First fit moves more than 1.4 times as much.
    assert!(of_first_fit * 100 > best * 140, "{of_first_fit} {best}");
}

#[test]
fn a_thousand_buffers_are_placed_within_the_budget() {
    let mut numbers = Numbers(9);
    let buffers: Vec<Buffer> = (0..1000)
        .map(|step| {
            Buffer::new(
                Bytes(128 * (1 + numbers.below(3000))),
                step..step + 2 + numbers.below(9) as u32,
            )
        })
        .collect();
    let capacity = Target::default().usable_lx();
    let placement = exact(&buffers, capacity, STICK_BYTES, NODES);
    verify(&buffers, &placement.placements, capacity, STICK_BYTES).unwrap();
    assert!(placement.nodes <= NODES);
    assert!(placement.bound <= spill_traffic(&buffers, &placement.placements));
    assert_eq!(exact(&buffers, capacity, STICK_BYTES, NODES), placement);
}

#[test]
fn solvers_have_names() {
    let names = ["greedy", "first-fit", "best-fit", "exact"];
    assert_eq!(names.map(|name| name.parse::<Solver>().unwrap()), SOLVERS);
    let message = "worst-fit".parse::<Solver>().unwrap_err().to_string();
    assert_eq!(
        message,
        "no solver is named 'worst-fit'; there are greedy, first-fit, best-fit and exact"
    );
}

fn random_buffers() -> impl Strategy<Value = Vec<Buffer>> {
    let one = (
        0u64..2000,
        0u32..20,
        0u32..8,
        1u32..6,
        prop::collection::vec(0usize..20, 0..3),
    );
    prop::collection::vec(one, 0..20).prop_map(|buffers| {
        let buffers = buffers.into_iter();
        buffers
            .map(|(size, start, life, uses, may_overwrite)| Buffer {
                uses,
                may_overwrite,
                ..Buffer::new(Bytes(size), start..start + life)
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn placements_obey_the_rules(
        buffers in random_buffers(), capacity in 0u64..8000, align in 0u64..300, nodes in 0u64..5000,
    ) {
        let (capacity, align) = (Bytes(capacity), Bytes(align));
        let heuristics = [greedy(&buffers, capacity, align), first_fit(&buffers, capacity, align), best_fit(&buffers, capacity, align)];
        let placement = exact(&buffers, capacity, align, nodes);
        let traffic = spill_traffic(&buffers, &placement.placements);
        prop_assert_eq!(verify(&buffers, &placement.placements, capacity, align), Ok(()));
        prop_assert!(placement.bound <= traffic && placement.nodes <= nodes);
        for placements in heuristics {
            prop_assert_eq!(verify(&buffers, &placements, capacity, align), Ok(()));
            prop_assert!(traffic <= spill_traffic(&buffers, &placements));
        }
    }
}
