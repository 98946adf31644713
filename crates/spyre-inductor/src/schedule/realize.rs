//! The rules by which an expression is materialized as a buffer.
//!
//! PyTorch Inductor lowers an operator element by element to an expression: each reader recomputes it. It becomes a
//! buffer where a use needs its elements in memory, where recomputing it costs more than reading it, and where it is
//! too long. The rules are from PyTorch 2.12 (`GraphLowering.run_node`, `StorageBox.should_realize_on_reuse` and
//! `has_exceeded_max_reads` of `torch/_inductor`).

use std::fmt;

/// The most loads of an expression that several readers compute again (`config.realize_reads_threshold`).
const LOADS_TO_REPEAT: usize = 4;

/// The most loads of an expression (`config.realize_acc_reads_threshold`).
const LOADS: usize = 8;

/// The most values of an expression that several readers compute again, or that loads at several places
/// (`config.realize_opcount_threshold`).
const VALUES: usize = 30;

/// The most values of any expression: PyTorch computes expressions by recursion.
const VALUES_AT_ALL: usize = 100;

/// The amount of work of an expression. Work that it does twice counts once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// The loads.
    pub loads: usize,
    /// The loads at a place that is no number.
    pub moving: usize,
    /// The values: results of functions, loads and constants.
    pub values: usize,
    /// Whether one of its functions is `exp` or `sigmoid`, which are slow on a CPU.
    pub is_slow: bool,
}

/// The readers of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Readers {
    /// The number of operations that read it; the outputs of the graph count as one.
    pub count: usize,
    /// Whether it is an output of the graph.
    pub is_output: bool,
    /// Whether an external kernel is among the readers: it reads memory.
    pub has_kernel: bool,
}

/// Why an expression becomes a buffer when it is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It is an output, and others read it as well.
    Output,
    /// An external kernel and other operations read it.
    Kernel {
        /// The number of loads at indices that are not constant.
        moving: usize,
    },
    /// It is slow to compute, and has several readers.
    Slow {
        /// The number of readers.
        readers: usize,
    },
    /// It has several readers, and many loads.
    LoadsOfReaders {
        /// The number of loads.
        loads: usize,
        /// The number of readers.
        readers: usize,
    },
    /// It has several readers, and many values.
    ValuesOfReaders {
        /// The number of values.
        values: usize,
        /// The number of readers.
        readers: usize,
    },
    /// It has many loads.
    Loads {
        /// The number of loads.
        loads: usize,
    },
    /// It has many values, of several loads.
    Values {
        /// The number of values.
        values: usize,
    },
    /// It has more values than any expression.
    ValuesAtAll {
        /// The number of values.
        values: usize,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Output => write!(f, "it is an output, and others read it"),
            Self::Kernel { moving } => write!(
                f,
                "a kernel from outside and others read it, and it has {moving} loads at places that are no numbers, more than 1"
            ),
            Self::Slow { readers } => write!(
                f,
                "{readers} operations read it, and it has 'exp' or 'sigmoid'"
            ),
            Self::LoadsOfReaders { loads, readers } => write!(
                f,
                "{readers} operations read it, and it has {loads} loads, more than {LOADS_TO_REPEAT}"
            ),
            Self::ValuesOfReaders { values, readers } => write!(
                f,
                "{readers} operations read it, and it has {values} values, more than {VALUES}"
            ),
            Self::Loads { loads } => write!(f, "it has {loads} loads, more than {LOADS}"),
            Self::Values { values } => write!(
                f,
                "it has {values} values of several loads, more than {VALUES}"
            ),
            Self::ValuesAtAll { values } => {
                write!(f, "it has {values} values, more than {VALUES_AT_ALL}")
            }
        }
    }
}

/// Returns why an expression becomes a buffer when it is built; `None` if its readers compute it. `is_cpu` adds a rule
/// that PyTorch has for the CPU alone. Later kernels, views and outputs may still require a buffer.
#[must_use]
pub fn when_made(cost: Cost, readers: Readers, is_cpu: bool) -> Option<Reason> {
    // `StorageBox.realize_hint`: an expression with one load is as cheap as reading a buffer.
    let loads_several = cost.moving > 1;
    let Cost { loads, values, .. } = cost;
    let count = readers.count;
    if count > 1 {
        if readers.has_kernel && loads_several {
            let moving = cost.moving;
            return Some(Reason::Kernel { moving });
        }
        // A short expression without loads is computed for the output alone, at the end.
        if readers.is_output && (loads > 0 || values > VALUES) {
            return Some(Reason::Output);
        }
        if is_cpu && cost.is_slow {
            return Some(Reason::Slow { readers: count });
        }
        if loads > LOADS_TO_REPEAT {
            let readers = count;
            return Some(Reason::LoadsOfReaders { loads, readers });
        }
        if values > VALUES {
            let readers = count;
            return Some(Reason::ValuesOfReaders { values, readers });
        }
    }
    if loads > LOADS && loads_several {
        return Some(Reason::Loads { loads });
    }
    if values > VALUES_AT_ALL {
        return Some(Reason::ValuesAtAll { values });
    }
    (values > VALUES && loads_several).then_some(Reason::Values { values })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(loads: usize, values: usize) -> Cost {
        Cost {
            loads,
            moving: loads,
            values,
            is_slow: false,
        }
    }

    fn readers(count: usize) -> Readers {
        Readers {
            count,
            ..Readers::default()
        }
    }

    #[test]
    fn several_readers_repeat_four_loads() {
        assert_eq!(when_made(cost(4, 7), readers(2), false), None);
        let reason = when_made(cost(5, 9), readers(2), false);
        let (loads, readers_) = (5, 2);
        assert_eq!(
            reason,
            Some(Reason::LoadsOfReaders {
                loads,
                readers: readers_
            })
        );
        assert_eq!(when_made(cost(5, 9), readers(1), false), None);
    }

    #[test]
    fn several_readers_repeat_thirty_values() {
        assert_eq!(when_made(cost(1, 30), readers(2), false), None);
        let reason = when_made(cost(1, 31), readers(2), false);
        assert!(matches!(
            reason,
            Some(Reason::ValuesOfReaders { values: 31, .. })
        ));
    }

    #[test]
    fn slow_functions_are_not_repeated_on_a_cpu() {
        let slow = Cost {
            is_slow: true,
            ..cost(1, 2)
        };
        assert_eq!(
            when_made(slow, readers(2), true),
            Some(Reason::Slow { readers: 2 })
        );
        assert_eq!(when_made(slow, readers(1), true), None);
        assert_eq!(when_made(slow, readers(2), false), None);
    }

    #[test]
    fn one_reader_computes_eight_loads() {
        assert_eq!(when_made(cost(8, 15), readers(1), false), None);
        assert_eq!(
            when_made(cost(9, 17), readers(1), false),
            Some(Reason::Loads { loads: 9 })
        );
    }

    #[test]
    fn a_chain_of_one_load_is_long() {
        // 18 sines of one load remain an expression, as do 99, and nine loads at constant indices.
        assert_eq!(when_made(cost(1, 31), readers(1), false), None);
        assert_eq!(when_made(cost(1, 100), readers(1), false), None);
        assert_eq!(
            when_made(cost(1, 101), readers(1), false),
            Some(Reason::ValuesAtAll { values: 101 })
        );
        let still = Cost {
            moving: 1,
            ..cost(9, 31)
        };
        assert_eq!(when_made(still, readers(1), false), None);
        assert_eq!(when_made(cost(2, 30), readers(1), false), None);
        assert_eq!(
            when_made(cost(2, 31), readers(1), false),
            Some(Reason::Values { values: 31 })
        );
    }

    #[test]
    fn outputs_and_kernels_that_share_are_buffers() {
        let output = Readers {
            count: 2,
            is_output: true,
            has_kernel: false,
        };
        assert_eq!(when_made(cost(1, 2), output, false), Some(Reason::Output));
        // An output without loads and with at most 30 values stays an expression when it is built.
        assert_eq!(when_made(cost(0, 30), output, false), None);
        assert_eq!(when_made(cost(0, 31), output, false), Some(Reason::Output));
        let kernel = Readers {
            count: 2,
            is_output: false,
            has_kernel: true,
        };
        assert_eq!(when_made(cost(1, 2), kernel, false), None);
        assert_eq!(
            when_made(cost(2, 3), kernel, false),
            Some(Reason::Kernel { moving: 2 })
        );
    }
}
