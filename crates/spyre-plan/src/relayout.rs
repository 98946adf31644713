//! Relayouts: the slices of a tensor move from the scratchpads of some cores to the scratchpads of others (contract,
//! K66 to K71).
//!
//! A value that one operation computes by rows and another one reads by columns goes through device memory, or from
//! scratchpad to scratchpad. [`Owners`] gives the slice of each core on one side, with the number of a core in mixed
//! radix. [`moves`] decides whether a relayout can be: no two cores have the same slice of the source, a core reads few
//! others, and all of them as many. No source publishes how fast it is, so its time is an assumption
//! ([`Rates::per_relayed_stick`](crate::Rates::per_relayed_stick)).

use crate::work_division::{CoreMapping, TensorSlices};

/// The most cores that a core reads from (contract, K67).
pub const MOST_SOURCES: usize = 8;

/// A digit of the number of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digit {
    /// The dimension of the tensor that the digit counts slices of; `None` for cores that have the same slices.
    pub dim: Option<usize>,
    /// The values that it has, at least 1.
    pub slices: u32,
}

/// The slices of a tensor that cores have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Owners {
    digits: Vec<Digit>,
    cores: u32,
}

impl Owners {
    /// Returns the owners with the given digits of a core's number, the fastest first; `None` for digits without
    /// values, for two digits of one dimension, and for 2^32 cores or more.
    #[must_use]
    pub fn new(digits: Vec<Digit>) -> Option<Self> {
        let mut cores = 1_u32;
        for (at, digit) in digits.iter().enumerate() {
            let mut before = digits.iter().take(at);
            if digit.dim.is_some() && before.any(|other| other.dim == digit.dim) {
                return None;
            }
            cores = cores.checked_mul(digit.slices).filter(|cores| *cores > 0)?;
        }
        Some(Self { digits, cores })
    }

    /// Returns the owners of a tensor of an operation; `None` if its division is impossible, or moves along two
    /// dimensions at once.
    #[must_use]
    pub fn of(slices: TensorSlices<'_>) -> Option<Self> {
        let mapping = CoreMapping::new(slices.splits, slices.k_fast).ok()?;
        let mut digits = Vec::new();
        for iteration in mapping.order() {
            let count = *slices.splits.get(*iteration)?;
            if count == 1 {
                continue;
            }
            let moved = slices.dims.iter().enumerate();
            let moved = moved.filter(|(_, by)| **by == Some(*iteration));
            let mut along = moved.map(|(dim, _)| dim);
            let dim = along.next();
            if along.next().is_some() {
                return None;
            }
            digits.push(Digit { dim, slices: count });
        }
        Self::new(digits)
    }

    /// Returns the digits of the number of a core, the fastest first.
    #[must_use]
    pub fn digits(&self) -> &[Digit] {
        &self.digits
    }

    /// Returns the number of cores.
    #[must_use]
    pub const fn cores(&self) -> u32 {
        self.cores
    }

    /// Returns the number of slices along each of `rank` dimensions.
    #[must_use]
    pub fn slices(&self, rank: usize) -> Vec<u32> {
        let along = |dim| {
            let mut digits = self.digits.iter();
            let digit = digits.find(|digit| digit.dim == Some(dim));
            digit.map_or(1, |digit| digit.slices)
        };
        (0..rank).map(along).collect()
    }

    /// Returns whether several cores have the same slice.
    #[must_use]
    pub fn share(&self) -> bool {
        let mut digits = self.digits.iter();
        digits.any(|digit| digit.dim.is_none() && digit.slices > 1)
    }

    /// Returns the number of slices, and the slice of a core, along each dimension that is divided.
    fn slice_of(&self, core: u32) -> Vec<(usize, u32, u32)> {
        let mut rest = core;
        let mut slices = Vec::with_capacity(self.digits.len());
        for digit in &self.digits {
            let value = rest % digit.slices;
            rest /= digit.slices;
            if let Some(dim) = digit.dim.filter(|_| digit.slices > 1) {
                slices.push((dim, digit.slices, value));
            }
        }
        slices.sort_unstable();
        slices
    }

    /// Returns whether each core that needs a slice of `read` has it here.
    #[must_use]
    pub fn have(&self, read: &Self) -> bool {
        read.cores <= self.cores
            && (0..read.cores).all(|core| self.slice_of(core) == read.slice_of(core))
    }
}

/// The cores that a relayout moves slices between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moves {
    /// Cores that have the source.
    pub from: u32,
    /// Cores that get the destination, a multiple of the former.
    pub to: u32,
    /// Cores that each of the latter reads from.
    pub sources: usize,
}

impl Moves {
    /// Returns the sticks that the busiest core gets or sends, where each gets `sticks_of_destination`. Each stick is
    /// sent to every core that needs it, one after the other: no document specifies a broadcast between cores.
    #[must_use]
    pub fn busiest(&self, sticks_of_destination: u64) -> u64 {
        let sent = u64::from(self.to.div_ceil(self.from.max(1)));
        sticks_of_destination.saturating_mul(sent.max(1))
    }
}

/// A relayout that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RelayoutError {
    /// A slice of the source that several cores have, or parts of (contract, K66 and K68a).
    #[error("several cores have the same slice of the source; one of each must have it")]
    SharedSource,
    /// Cores that do not fit together (contract, K67).
    #[error(
        "{to} cores would read slices of {from} cores; their number must be a multiple of that"
    )]
    NoMultiple {
        /// Cores of the source.
        from: u32,
        /// Cores of the destination.
        to: u32,
    },
    /// A core would read from too many cores (contract, K67).
    #[error(
        "a core would read from {sources} cores, and at most {MOST_SOURCES} are possible; go through device memory"
    )]
    TooManySources {
        /// The cores.
        sources: usize,
    },
    /// Cores that are not alike (contract, K67).
    #[error(
        "one core would {verb} {least} cores and another one {most}; the two numbers must be equal"
    )]
    Uneven {
        /// The verb of the sentence about them.
        verb: &'static str,
        /// The fewest cores.
        least: usize,
        /// The most.
        most: usize,
    },
}

/// Returns how the slices of a tensor move between owners.
///
/// # Errors
/// No relayout can do it.
pub fn moves(from: &Owners, to: &Owners) -> Result<Moves, RelayoutError> {
    if from.share() {
        return Err(RelayoutError::SharedSource);
    }
    if !to.cores.is_multiple_of(from.cores) {
        return Err(RelayoutError::NoMultiple {
            from: from.cores,
            to: to.cores,
        });
    }
    let slices = |owners: &Owners| -> Vec<_> {
        let cores = 0..owners.cores;
        cores.map(|core| owners.slice_of(core)).collect()
    };
    let (sources, destinations) = (slices(from), slices(to));
    let (mut read, mut sent) = (vec![0; destinations.len()], vec![0; sources.len()]);
    for (destination, read) in destinations.iter().zip(&mut read) {
        for (source, sent) in sources.iter().zip(&mut sent) {
            if overlap(source, destination) {
                *read += 1;
                *sent += 1;
            }
        }
    }
    for (counts, verb) in [(&read, "read from"), (&sent, "be read by")] {
        let least = counts.iter().copied().min().expect("there is a core");
        let most = counts.iter().copied().max().expect("there is a core");
        if least != most {
            return Err(RelayoutError::Uneven { verb, least, most });
        }
    }
    let sources = read.first().copied().expect("there is a core");
    if sources > MOST_SOURCES {
        return Err(RelayoutError::TooManySources { sources });
    }
    Ok(Moves {
        from: from.cores,
        to: to.cores,
        sources,
    })
}

/// Returns whether two slices of a tensor have an element in common: along every dimension that both divide, slice `a` of `of_a` equal
/// parts and slice `b` of `of_b`.
fn overlap(source: &[(usize, u32, u32)], destination: &[(usize, u32, u32)]) -> bool {
    source.iter().all(|(dim, of_a, a)| {
        let mut others = destination.iter().filter(|(other, ..)| other == dim);
        others.all(|(_, of_b, b)| {
            let [of_a, a, of_b, b] = [*of_a, *a, *of_b, *b].map(u128::from);
            a * of_b < (b + 1) * of_a && b * of_a < (a + 1) * of_b
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::{Picoseconds, Rates};
    use spyre_layout::Bytes;

    fn owners(digits: &[(Option<usize>, u32)]) -> Owners {
        let digits = digits.iter().map(|(dim, slices)| Digit {
            dim: *dim,
            slices: *slices,
        });
        Owners::new(digits.collect()).expect("digits of different dimensions")
    }

    #[test]
    fn an_operation_divides_its_tensors_among_owners() {
        // `[rows, columns, K]` by 8 and 4: rows of the left operand are shared, and so are columns of the right one.
        let product = |dims| {
            Owners::of(TensorSlices::in_order(&[8, 4, 1], dims)).expect("a product is divided")
        };
        assert_eq!(
            product(&[Some(0), Some(2)]),
            owners(&[(Some(0), 8), (None, 4)])
        );
        assert_eq!(
            product(&[Some(2), Some(1)]),
            owners(&[(None, 8), (Some(1), 4)])
        );
        // The summed dimension is the fastest digit where it is divided.
        let tensor_slices = TensorSlices {
            splits: &[2, 1, 4],
            k_fast: Some(2),
            dims: &[Some(0), Some(1)],
        };
        assert_eq!(
            Owners::of(tensor_slices),
            Some(owners(&[(None, 4), (Some(0), 2)]))
        );
        // One iteration dimension along two of the tensor has no slices.
        assert_eq!(
            Owners::of(TensorSlices::in_order(&[4], &[Some(0), Some(0)])),
            None
        );
        let owners_of = |digits: &[(Option<usize>, u32)]| {
            let digits = digits
                .iter()
                .map(|&(dim, slices)| Digit { dim, slices })
                .collect();
            Owners::new(digits)
        };
        assert_eq!(owners_of(&[(Some(0), 2), (Some(0), 2)]), None);
        assert_eq!(owners_of(&[(Some(0), 0)]), None);
        assert_eq!(owners_of(&[(Some(0), 1 << 31), (None, 2)]), None);
    }

    #[test]
    fn readers_find_their_slices() {
        let product = owners(&[(Some(0), 8), (None, 4)]);
        assert!(product.have(&owners(&[(Some(0), 8)])));
        assert!(product.have(&owners(&[(Some(0), 8), (None, 4)])));
        assert!(product.have(&owners(&[(Some(0), 8), (None, 2), (None, 2)])));
        assert!(!product.have(&owners(&[(None, 4), (Some(0), 8)])));
        assert!(!owners(&[(Some(0), 8)]).have(&product));
        assert_eq!(product.slices(2), [8, 1]);
        assert!(product.share() && !owners(&[(Some(0), 8)]).share());
    }

    #[test]
    fn rows_become_rows_that_four_cores_share() {
        let from = owners(&[(Some(0), 32)]);
        let to = owners(&[(Some(0), 8), (None, 4)]);
        let moved = moves(&from, &to).expect("four sources of each core");
        assert_eq!((moved.from, moved.to, moved.sources), (32, 32, 4));
        // A source sends its rows to four cores, and gets as much.
        assert_eq!(moved.busiest(64), 64);
        // From four cores, each stick goes to eight.
        let few = moves(&owners(&[(Some(0), 4)]), &to).expect("one source of each core");
        assert_eq!((few.sources, few.busiest(64)), (1, 512));
    }

    #[test]
    fn relayouts_have_limits() {
        let rows = |cores| owners(&[(Some(0), cores)]);
        let columns = |cores| owners(&[(Some(1), cores)]);
        assert_eq!(
            moves(&rows(8), &columns(8)).map(|moved| moved.sources),
            Ok(8)
        );
        assert_eq!(
            moves(&rows(16), &columns(16)),
            Err(RelayoutError::TooManySources { sources: 16 })
        );
        assert_eq!(
            moves(&rows(8), &columns(4)),
            Err(RelayoutError::NoMultiple { from: 8, to: 4 })
        );
        assert_eq!(
            moves(&owners(&[(None, 4), (Some(0), 2)]), &rows(8)),
            Err(RelayoutError::SharedSource)
        );
        // Halves to thirds: the middle third has two sources, the others one.
        let thirds = owners(&[(Some(0), 3), (None, 2)]);
        assert_eq!(
            moves(&rows(2), &thirds),
            Err(RelayoutError::Uneven {
                verb: "read from",
                least: 1,
                most: 2
            })
        );
    }

    #[test]
    fn a_relayout_beats_device_memory_where_few_cores_share() {
        let rates = Rates::CARD;
        let bytes = Bytes(1 << 20);
        let through_memory = |fan_out| {
            let mut time = rates.memory(bytes, 1);
            time += rates.memory(bytes, fan_out);
            time
        };
        let through_scratchpads = |to: &Owners, parts: u64| {
            let moved = moves(&owners(&[(Some(0), 32)]), to).expect("few sources");
            let mut time = rates.per_execution;
            time += rates.relayout(moved.busiest(bytes.get() / parts / 128));
            time
        };
        // 256 sticks for each of 32 cores.
        let turned = owners(&[(Some(0), 8), (Some(1), 4)]);
        let time = through_scratchpads(&turned, 32);
        assert_eq!(time, Picoseconds(20_000 + 256 * 6_400));
        assert!(time < through_memory(1));
        // Eight cores get the same eighth: 2,048 sticks each, which is 13 microseconds against 10.
        let shared = owners(&[(Some(0), 4), (None, 8)]);
        assert!(through_scratchpads(&shared, 4) > through_memory(8));
    }
}
