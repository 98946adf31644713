//! The advances of tensors of an OpSpec: the model names levels, and an operation has them in the order of the loops.

use spyre_sdsc::codegen::dimension_names;
use spyre_sdsc::{Expr, OpSpec, Symbol};
use thiserror::Error;

/// A level at which tensors advance, in a loop around the operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// The loop around the operation; 0 is the outermost.
    pub number: usize,
    /// The iteration symbol that the level is a tile of.
    pub dim: Option<Symbol>,
    /// The number of tiles, where it is not the trip count of the loop.
    pub trips: Option<u64>,
}

/// The steps of tensors along levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advances {
    /// The levels, outermost loop first; `None` if they are the loops.
    pub levels: Option<Vec<Level>>,
    /// The steps of each tensor along each level, in elements of the device. A tensor that does not advance has none.
    pub steps: Vec<Vec<i64>>,
}

/// The reason why tensors do not advance along loops.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AdvanceError {
    /// A tensor with more or fewer steps than there are levels.
    #[error("runs in {loops} loops, but tensor #{tensor} of its OpSpec advances along {steps}")]
    OtherSteps {
        /// The loops around the operation.
        loops: usize,
        /// The number of the tensor.
        tensor: usize,
        /// The steps.
        steps: usize,
    },
    /// A level of a loop that is not there.
    #[error("runs in {loops} loops, but its OpSpec has a level of loop {number}")]
    NoLoop {
        /// The loops around the operation.
        loops: usize,
        /// The number of the loop.
        number: usize,
    },
    /// Levels for more or fewer loops than there are.
    #[error("runs in {loops} loops, but its OpSpec has levels of {levels} loops")]
    OtherLevels {
        /// The loops around the operation.
        loops: usize,
        /// The loops that have levels.
        levels: usize,
    },
    /// A step along a dimension that has no name, or that is no whole number of elements.
    #[error("{reason}")]
    NoStep {
        /// The reason.
        reason: String,
    },
}

impl Advances {
    /// Returns the advances of the tensors of an OpSpec in loops with the trip counts `loops`, outermost first.
    ///
    /// # Errors
    /// The levels are of other loops, or a step is not an integer.
    pub fn from_spec(spec: &OpSpec, loops: &[u64]) -> Result<Self, AdvanceError> {
        let tiled = tiled(spec, loops)?;
        let by_loop = by_loop(&tiled, loops.len());
        let along: Vec<&[i64]> = match &by_loop {
            Some(by_loop) => by_loop.iter().map(Vec::as_slice).collect(),
            None => tiled.iter().map(|(_, steps)| steps.as_slice()).collect(),
        };
        let of_tensor = |tensor: usize| {
            // No tensor advances along a loop without a level.
            let steps = along.iter();
            let steps = steps.map(|of_level| of_level.get(tensor).copied().unwrap_or(0));
            let steps: Vec<i64> = steps.collect();
            if steps.iter().all(|step| *step == 0) {
                return Vec::new();
            }
            steps
        };
        Ok(Self {
            steps: (0..spec.args.len()).map(of_tensor).collect(),
            levels: match by_loop {
                Some(_) => None,
                None => Some(tiled.into_iter().map(|(level, _)| level).collect()),
            },
        })
    }

    /// Sets the advances of the tensors of an OpSpec in loops with the trip counts `loops`, outermost first. The names
    /// of levels that are no tiles of a dimension begin with the name of the OpSpec.
    ///
    /// # Errors
    /// The levels are of other loops, or of a dimension that has no name in files.
    ///
    /// # Panics
    /// There are not as many lists of steps as tensors.
    pub fn set(&self, spec: &mut OpSpec, name: &str, loops: &[u64]) -> Result<(), AdvanceError> {
        assert_eq!(
            self.steps.len(),
            spec.args.len(),
            "every tensor has its steps"
        );
        let by_loop: Vec<Level>;
        let levels = match &self.levels {
            Some(levels) => levels,
            None => {
                let of_loop = |number| Level {
                    number,
                    dim: None,
                    trips: None,
                };
                by_loop = (0..loops.len()).map(of_loop).collect();
                &by_loop
            }
        };
        self.check(levels, loops)?;
        // Advances name dimensions by their role in the operation.
        let names = if levels.iter().any(|level| level.dim.is_some()) {
            dimension_names(spec).map_err(|err| AdvanceError::NoStep {
                reason: err.to_string(),
            })?
        } else {
            Vec::new()
        };
        let mut named = Vec::new();
        for (entry, level) in levels.iter().enumerate() {
            let step = |steps: &Vec<i64>| steps.get(entry).copied().filter(|step| *step != 0);
            if level.dim.is_none() && self.steps.iter().all(|steps| step(steps).is_none()) {
                continue;
            }
            let (symbol, in_advances) = match &level.dim {
                Some(dim) => {
                    let position = spec
                        .iteration_space
                        .iter()
                        .position(|iteration| iteration.symbol == *dim);
                    let position = position.expect("the verifier wants an iteration symbol");
                    (dim.clone(), Symbol::from(names[position].as_str()))
                }
                None => {
                    let minted = Symbol::from(format!("_tile_adv_{name}_lvl{entry}"));
                    (minted.clone(), minted)
                }
            };
            for (arg, steps) in spec.args.iter_mut().zip(&self.steps) {
                if let Some(step) = step(steps) {
                    let term = Expr::int(step) * Expr::from(in_advances.clone());
                    arg.advance = Some(match arg.advance.take() {
                        Some(sum) => sum + term,
                        None => term,
                    });
                }
            }
            named.push((level, symbol));
        }
        // Innermost loop first, and one entry for each.
        for (number, trips) in loops.iter().enumerate().rev() {
            let mut symbols = Vec::new();
            for (level, symbol) in named.iter().filter(|(level, _)| level.number == number) {
                symbols.push(symbol.clone());
                let trips = level.trips.unwrap_or(*trips);
                spec.tiled_symbol_trip_counts.insert(symbol.clone(), trips);
            }
            spec.tiled_levels.push(symbols);
        }
        Ok(())
    }

    fn check(&self, levels: &[Level], loops: &[u64]) -> Result<(), AdvanceError> {
        for level in levels {
            if level.number >= loops.len() {
                return Err(AdvanceError::NoLoop {
                    loops: loops.len(),
                    number: level.number,
                });
            }
        }
        for (tensor, steps) in self.steps.iter().enumerate() {
            if !steps.is_empty() && steps.len() != levels.len() {
                return Err(AdvanceError::OtherSteps {
                    loops: loops.len(),
                    tensor,
                    steps: steps.len(),
                });
            }
        }
        Ok(())
    }
}

/// Returns the levels that move a tensor or are tiles of a dimension, outermost loop first, with the step of each tensor.
fn tiled(spec: &OpSpec, loops: &[u64]) -> Result<Vec<(Level, Vec<i64>)>, AdvanceError> {
    let mut tiled = Vec::new();
    if spec.tiled_levels.len() != loops.len() {
        // In an OpSpec without levels, no tensor advances.
        if spec.args.iter().any(|arg| arg.advance.is_some()) {
            return Err(AdvanceError::OtherLevels {
                loops: loops.len(),
                levels: spec.tiled_levels.len(),
            });
        }
        return Ok(tiled);
    }
    let no_step = |reason: String| AdvanceError::NoStep { reason };
    let position = |symbol: &Symbol| {
        let mut space = spec.iteration_space.iter();
        space.position(|dim| dim.symbol == *symbol)
    };
    let mut symbols = spec.tiled_levels.iter().flatten();
    let names = if symbols.any(|symbol| position(symbol).is_some()) {
        dimension_names(spec).map_err(|err| no_step(err.to_string()))?
    } else {
        Vec::new()
    };
    for (number, symbols) in spec.tiled_levels.iter().rev().enumerate() {
        for symbol in symbols {
            let position = position(symbol);
            let in_advances = match position {
                Some(position) => Symbol::from(names[position].as_str()),
                None => symbol.clone(),
            };
            let steps = spec.args.iter().map(|arg| {
                let Some(advance) = &arg.advance else {
                    return Ok(0);
                };
                let coefficient = advance.coefficient_of(in_advances.as_str());
                let coefficient = coefficient.map_err(|err| no_step(err.to_string()))?;
                coefficient.to_integer().ok_or_else(|| {
                    no_step(format!(
                        "`{advance}` advances by {coefficient} elements along {in_advances}, which is not a whole number"
                    ))
                })
            });
            let steps = steps.collect::<Result<Vec<i64>, _>>()?;
            if position.is_none() && steps.iter().all(|step| *step == 0) {
                continue;
            }
            let trips = spec.tiled_symbol_trip_counts.get(symbol.as_str()).copied();
            let level = Level {
                number,
                dim: position.map(|_| symbol.clone()),
                trips: trips.filter(|trips| *trips != loops[number]),
            };
            tiled.push((level, steps));
        }
    }
    Ok(tiled)
}

/// Returns the steps along each loop, in elements; `None` if a loop has more than one level, or a level that is more than the loop.
fn by_loop(tiled: &[(Level, Vec<i64>)], loops: usize) -> Option<Vec<Vec<i64>>> {
    let mut by_loop = vec![Vec::new(); loops];
    for (level, steps) in tiled {
        let of_loop: &mut Vec<i64> = &mut by_loop[level.number];
        if level.dim.is_some() || level.trips.is_some() || !of_loop.is_empty() {
            return None;
        }
        of_loop.clone_from(steps);
    }
    Some(by_loop)
}

#[cfg(test)]
mod tests {
    use spyre_sdsc::{Allocation, DeviceFormat, TensorArg};

    use super::{AdvanceError, Advances, Level};
    use super::{OpSpec, Symbol};

    fn spec(tensors: usize) -> OpSpec {
        let tensor = TensorArg::new(
            DeviceFormat::Sen169Fp16,
            vec![64],
            vec!["c0".parse().expect("an expression")],
            Allocation::argument(0),
        );
        let mut spec = OpSpec::pointwise("neg").with_dim("c0", 64.into(), 1);
        spec.args = vec![tensor; tensors];
        spec
    }

    #[test]
    fn steps_along_loops_come_back() {
        let advances = Advances {
            levels: None,
            steps: vec![vec![2048, 0, -64], Vec::new(), vec![0, 0, 64]],
        };
        let mut set = spec(3);
        advances.set(&mut set, "sdsc_0", &[2, 5, 3]).expect("fits");
        let advance = |tensor: usize| set.args[tensor].advance.as_ref().map(ToString::to_string);
        assert_eq!(
            advance(0).as_deref(),
            Some("2048*_tile_adv_sdsc_0_lvl0 - 64*_tile_adv_sdsc_0_lvl2")
        );
        assert_eq!(advance(1), None);
        let levels: Vec<usize> = set.tiled_levels.iter().map(Vec::len).collect();
        assert_eq!(levels, [1, 0, 1]);
        assert_eq!(Advances::from_spec(&set, &[2, 5, 3]), Ok(advances));
    }

    #[test]
    fn levels_that_are_more_than_a_loop_come_back() {
        let level = |number, dim: Option<&str>, trips| Level {
            number,
            dim: dim.map(Symbol::from),
            trips,
        };
        let advances = Advances {
            levels: Some(vec![level(0, Some("c0"), Some(4)), level(0, None, None)]),
            steps: vec![vec![2048, 64]],
        };
        let mut set = spec(1);
        advances.set(&mut set, "sdsc_0", &[2]).expect("fits");
        assert_eq!(Advances::from_spec(&set, &[2]), Ok(advances));
    }

    #[test]
    fn steps_and_levels_of_other_loops_are_refused() {
        let mut steps = Advances {
            levels: None,
            steps: vec![vec![64]],
        };
        let result = steps.set(&mut spec(1), "sdsc_0", &[2, 2]);
        let other = AdvanceError::OtherSteps {
            loops: 2,
            tensor: 0,
            steps: 1,
        };
        assert_eq!(result, Err(other));
        steps.levels = Some(vec![Level {
            number: 1,
            dim: None,
            trips: None,
        }]);
        let result = steps.set(&mut spec(1), "sdsc_0", &[2]);
        assert_eq!(
            result,
            Err(AdvanceError::NoLoop {
                loops: 1,
                number: 1
            })
        );
        let mut set = spec(1);
        steps.set(&mut set, "sdsc_0", &[2, 2]).expect("fits");
        let result = Advances::from_spec(&set, &[2]);
        assert_eq!(
            result,
            Err(AdvanceError::OtherLevels {
                loops: 1,
                levels: 2
            })
        );
    }
}
