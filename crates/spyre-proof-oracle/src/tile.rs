//! Rewrites a graph into tiles, by rules that share nothing with the passes.
//!
//! Each operation is emitted whole, in one or two counted loops, or again in the loops of those that read it. A loop
//! over a dimension of the result inserts windows into a tensor that it carries; a loop over a reduced dimension adds
//! up parts, in a carried tensor or in windows of one. What is left of a dimension comes after the loop.

use spyre_proof::expr::{Expr, Var};
use spyre_proof::program::{Def, Program, ValueId};

use crate::build::{Builder, key, points};
use crate::graph::{Compute, Graph, Kind, View};
use crate::law::{Law, law};
use crate::random::Random;

/// The first position and the number of positions along a dimension.
type Range = (Expr, i64);

/// A loop of a nest: the dimension of the space, and the positions of one iteration.
#[derive(Clone, Copy, Debug)]
struct Level {
    dim: usize,
    tile: i64,
}

/// A tile: the tensor, and the dimension that it has for each dimension of the node.
#[derive(Clone, Debug)]
struct Tile {
    value: ValueId,
    dims: Vec<Option<usize>>,
}

/// Returns a program that computes the same as the graph. `is_planned` makes programs whose tensors can have places:
/// nothing is inserted but what was computed for it, and accumulators start with a copy.
#[must_use]
pub fn rewrite(graph: &Graph, random: &mut Random, is_planned: bool) -> Program {
    let mut rewriter = Rewriter {
        graph,
        random,
        is_planned,
        builder: Builder::new(graph.width),
        whole: vec![None; graph.nodes.len()],
        tiles: Vec::new(),
    };
    for (at, node) in graph.nodes.iter().enumerate() {
        // Arguments keep their order.
        rewriter.whole[at] = match node.kind {
            Kind::Argument => Some(rewriter.builder.argument(&node.shape)),
            Kind::Constant(name) => Some(rewriter.builder.constant(name, &node.shape)),
            Kind::Compute(_) | Kind::View(..) => None,
        };
    }
    let mut results = Vec::new();
    for at in &graph.results {
        let mut result = rewriter.whole(*at);
        let is_tensor = matches!(
            rewriter.builder.def(result),
            Def::Result(_) | Def::LoopResult(..)
        );
        if is_planned && (!is_tensor || results.contains(&result)) {
            result = rewriter.builder.copy(result);
        }
        results.push(result);
    }
    rewriter.builder.finish(results)
}

struct Rewriter<'a> {
    graph: &'a Graph,
    random: &'a mut Random,
    is_planned: bool,
    builder: Builder,
    whole: Vec<Option<ValueId>>,
    /// What the open loops have computed: node, region, number of open loops.
    tiles: Vec<(usize, Vec<Range>, usize, Tile)>,
}

impl Rewriter<'_> {
    /// Returns all elements of a node; it is computed outside of all loops.
    fn whole(&mut self, at: usize) -> ValueId {
        if let Some(value) = self.whole[at] {
            return value;
        }
        let value = match &self.graph.nodes[at].kind {
            Kind::View(from, view) => {
                let source = self.whole(*from);
                let shape = &self.graph.nodes[at].shape;
                self.builder.view(source, view.index(shape.len()), shape)
            }
            Kind::Compute(compute) => {
                self.prepare(compute);
                let levels = self.levels(compute);
                let space = compute.space.iter();
                let region: Vec<_> = space.map(|extent| (Expr::zero(), *extent)).collect();
                if levels.len() == 2 && self.random.once_in(2) {
                    self.carried_through(compute, &levels, &region)
                } else {
                    self.nested(compute, &levels, &region)
                }
            }
            Kind::Argument | Kind::Constant(_) => unreachable!("they are there from the start"),
        };
        self.whole[at] = Some(value);
        value
    }

    /// Computes those operands whole that will not be computed again in the loops.
    fn prepare(&mut self, compute: &Compute) {
        for (from, _) in &compute.operands {
            if self.whole[*from].is_some() {
                continue;
            }
            match &self.graph.nodes[*from].kind {
                Kind::Compute(producer) if self.random.once_in(2) => self.prepare(producer),
                Kind::View(source, View::Permute(_) | View::Expand(..))
                    if self.random.once_in(3) =>
                {
                    self.whole(*source);
                }
                _ => {
                    self.whole(*from);
                }
            }
        }
    }

    fn levels(&mut self, compute: &Compute) -> Vec<Level> {
        if self.random.once_in(5) {
            return Vec::new();
        }
        let kept = compute.space.len() - compute.reduced;
        let has_law = law(&compute.key.name).is_some();
        let dims = 0..if has_law { compute.space.len() } else { kept };
        let mut dims: Vec<_> = dims.filter(|dim| compute.space[*dim] > 1).collect();
        self.random.shuffle(&mut dims);
        dims.truncate(1 + self.random.below(2));
        let mut levels = Vec::new();
        for dim in dims {
            let extent = compute.space[dim];
            let divisors = (1..extent).filter(|tile| extent % tile == 0);
            let divisors: Vec<_> = divisors.collect();
            let tile = if self.random.once_in(4) {
                self.random.from_to(1, extent - 1)
            } else {
                self.random.pick(&divisors)
            };
            // Many iterations cost time and show nothing new.
            let tile = if extent / tile > 4 {
                (extent / 2).max(tile)
            } else {
                tile
            };
            levels.push(Level { dim, tile });
        }
        levels
    }

    /// Returns the bounds of a loop of this count: zero to count, steps of a tile, or another start.
    fn bounds(&mut self, trips: i64, tile: i64) -> (i64, i64, i64) {
        match self.random.below(4) {
            0 => (0, trips, 1),
            1 => (3, 3 + trips * 2, 2),
            _ => (0, trips * tile, tile),
        }
    }

    /// Returns the elements of an operation in a region of its space: each loop makes a tensor of its own.
    fn nested(&mut self, compute: &Compute, levels: &[Level], region: &[Range]) -> ValueId {
        let [level, rest @ ..] = levels else {
            return self.compute(compute, region);
        };
        let kept = compute.space.len() - compute.reduced;
        let shape: Vec<_> = region[..kept].iter().map(|(_, extent)| *extent).collect();
        let law = law(&compute.key.name).filter(|_| level.dim >= kept);
        let extent = region[level.dim].1;
        let (trips, left) = (extent / level.tile, extent % level.tile);
        let init = self.init(law, &shape);
        let bounds = self.bounds(trips, level.tile);
        let (id, carried) = self.builder.open_loop(bounds, &[init]);
        let first = Expr::from(Var::Counter(id)).times(level.tile);
        let next = self.piece(
            compute,
            (level, rest),
            region,
            (&first, level.tile),
            carried[0],
        );
        self.close();
        let result = self.builder.close_loop(&[next])[0];
        if left == 0 {
            return result;
        }
        let first = Expr::from(trips * level.tile);
        self.piece(compute, (level, rest), region, (&first, left), result)
    }

    /// Adds the positions from `first` on along the dimension of a level to a tensor.
    fn piece(
        &mut self,
        compute: &Compute,
        (level, rest): (&Level, &[Level]),
        region: &[Range],
        (first, size): (&Expr, i64),
        tensor: ValueId,
    ) -> ValueId {
        let kept = compute.space.len() - compute.reduced;
        let mut inner = region.to_vec();
        inner[level.dim] = (region[level.dim].0.plus(first), size);
        let part = self.nested(compute, rest, &inner);
        if level.dim >= kept {
            return self.combined(compute, tensor, part);
        }
        let mut offsets = vec![Expr::zero(); kept];
        offsets[level.dim] = first.clone();
        let part = self.insertable(part);
        self.builder.insert(part, tensor, offsets)
    }

    /// Returns the tensor that a loop starts with.
    fn init(&mut self, law: Option<Law>, shape: &[i64]) -> ValueId {
        let Some(law) = law else {
            return self.builder.empty(shape);
        };
        let name = self.random.pick(law.identities);
        let constant = self.builder.constant(name, shape);
        if self.is_planned || self.random.once_in(3) {
            return self.builder.copy(constant);
        }
        constant
    }

    fn combined(&mut self, compute: &Compute, tensor: ValueId, part: ValueId) -> ValueId {
        let law = law(&compute.key.name).expect("only reductions with a law are cut");
        let shape = self.builder.shape(part);
        let mut operands = vec![(tensor, points(shape.len())), (part, points(shape.len()))];
        if self.random.once_in(3) {
            operands.swap(0, 1);
        }
        self.builder
            .statement(key(law.combiner, 2), &shape, 0, operands)
    }

    /// Returns a tile that can have the place of a window: with places, a tensor that was computed for it alone.
    fn insertable(&mut self, tile: ValueId) -> ValueId {
        let is_fresh = matches!(self.builder.def(tile), Def::Result(_));
        let is_shared = self.tiles.iter().any(|(.., known)| known.value == tile);
        if self.is_planned && (!is_fresh || is_shared) || self.random.once_in(8) {
            return self.builder.copy(tile);
        }
        tile
    }

    fn close(&mut self) {
        let open = self.builder.open().len();
        self.tiles.retain(|(_, _, depth, _)| *depth < open);
    }

    /// Returns all elements, from two loops that carry one tensor: windows are read, added to and inserted again.
    fn carried_through(
        &mut self,
        compute: &Compute,
        levels: &[Level],
        region: &[Range],
    ) -> ValueId {
        let kept = compute.space.len() - compute.reduced;
        let shape: Vec<_> = region[..kept].iter().map(|(_, extent)| *extent).collect();
        let law = law(&compute.key.name).filter(|_| levels.iter().any(|level| level.dim >= kept));
        let mut tensor = self.init(law, &shape);
        let mut inner = region.to_vec();
        // Loops that go through have no rests.
        for level in levels {
            let extent = region[level.dim].1;
            let tile = if extent % level.tile == 0 {
                level.tile
            } else {
                1
            };
            let bounds = self.bounds(extent / tile, tile);
            let (id, carried) = self.builder.open_loop(bounds, &[tensor]);
            tensor = carried[0];
            inner[level.dim] = (Expr::from(Var::Counter(id)).times(tile), tile);
        }
        let offsets: Vec<_> = inner[..kept]
            .iter()
            .map(|(first, _)| first.clone())
            .collect();
        let is_whole = levels.iter().all(|level| level.dim >= kept);
        let mut part = self.compute(compute, &inner);
        if law.is_some() {
            let window = if is_whole {
                tensor
            } else {
                let dims = (0..kept).map(Some).collect();
                let size: Vec<_> = inner[..kept].iter().map(|(_, extent)| *extent).collect();
                self.builder.slice(tensor, offsets.clone(), dims, &size)
            };
            part = self.combined(compute, window, part);
        }
        let mut result = if is_whole {
            part
        } else {
            let part = self.insertable(part);
            self.builder.insert(part, tensor, offsets)
        };
        for _ in levels {
            self.close();
            result = self.builder.close_loop(&[result])[0];
        }
        result
    }

    /// Emits an operation in a region of its space.
    fn compute(&mut self, compute: &Compute, region: &[Range]) -> ValueId {
        let mut operands = Vec::new();
        for (at, (from, dims)) in compute.operands.iter().enumerate() {
            let mut ranges = Vec::new();
            for (dim, of_space) in dims.iter().enumerate() {
                ranges.push(match of_space {
                    Some(of_space) => region[*of_space].clone(),
                    // Any row may be gathered.
                    None if compute.is_gathered(at, dim) => {
                        (Expr::zero(), self.graph.nodes[*from].shape[dim])
                    }
                    None => (Expr::zero(), 1),
                });
            }
            let tile = self.tile(*from, &ranges);
            let mut index = vec![Expr::zero(); tile.dims.iter().flatten().count()];
            for (dim, (of_space, of_tile)) in dims.iter().zip(&tile.dims).enumerate() {
                match (of_space, of_tile) {
                    (Some(of_space), Some(of_tile)) => {
                        index[*of_tile] = crate::build::point(*of_space);
                    }
                    (None, Some(of_tile)) if compute.is_gathered(at, dim) => {
                        index[*of_tile] = Var::Gathered(0).into();
                    }
                    _ => {}
                }
            }
            operands.push((tile.value, index));
        }
        let space: Vec<_> = region.iter().map(|(_, extent)| *extent).collect();
        self.builder
            .statement(compute.key.clone(), &space, compute.reduced, operands)
    }

    /// Returns the elements of a node in a region.
    fn tile(&mut self, at: usize, region: &[Range]) -> Tile {
        let known = self
            .tiles
            .iter()
            .find(|(node, of, ..)| *node == at && of == region);
        if let Some((.., tile)) = known.cloned()
            && !self.random.once_in(4)
        {
            return tile;
        }
        let rank = region.len();
        let mut dims: Vec<_> = (0..rank).map(Some).collect();
        let value = match (self.whole[at], &self.graph.nodes[at].kind) {
            (Some(whole), _) => {
                let shape = &self.graph.nodes[at].shape;
                let is_whole = region
                    .iter()
                    .zip(shape)
                    .all(|(range, extent)| range.1 == *extent);
                if is_whole && !self.random.once_in(8) {
                    return Tile { value: whole, dims };
                }
                if rank > 1 && self.random.once_in(4) {
                    drop_units(&mut dims, region);
                }
                let of_tile = region.iter().zip(&dims).filter(|(_, dim)| dim.is_some());
                let size: Vec<_> = of_tile.map(|(range, _)| range.1).collect();
                let offsets = region.iter().map(|(first, _)| first.clone()).collect();
                let window = self.builder.slice(whole, offsets, dims.clone(), &size);
                if !self.random.once_in(4) {
                    return Tile {
                        value: window,
                        dims,
                    };
                }
                self.builder.copy(window)
            }
            (None, Kind::Compute(compute)) => {
                let space = compute.space.iter().enumerate();
                let of_space = space.map(|(dim, extent)| match region.get(dim) {
                    Some(range) if dim < rank => range.clone(),
                    _ => (Expr::zero(), *extent),
                });
                let of_space: Vec<_> = of_space.collect();
                self.compute(compute, &of_space)
            }
            (None, Kind::View(from, view)) => self.tile_of_view(at, *from, view, region),
            (None, Kind::Argument | Kind::Constant(_)) => {
                unreachable!("they are there from the start")
            }
        };
        let tile = Tile { value, dims };
        let open = self.builder.open().len();
        self.tiles.push((at, region.to_vec(), open, tile.clone()));
        tile
    }

    /// Returns the elements of a view in a region: a view of a window where it is one, a window of the view elsewhere.
    fn tile_of_view(&mut self, at: usize, from: usize, view: &View, region: &[Range]) -> ValueId {
        let of_source: Option<Vec<Range>> = match view {
            View::Permute(of) => Some(of.iter().map(|dim| region[*dim].clone()).collect()),
            View::Expand(dim, inner) if region[dim + 1].1 == *inner => {
                let mut of_source = region.to_vec();
                of_source.remove(dim + 1);
                let (first, extent) = &region[*dim];
                of_source[*dim] = (first.times(*inner), extent * inner);
                Some(of_source)
            }
            View::Expand(..) | View::Collapse(..) => None,
        };
        let size: Vec<_> = region.iter().map(|(_, extent)| *extent).collect();
        let source = self.whole[from].expect("sources of views are computed before");
        let rank = region.len();
        if let Some(ranges) = of_source {
            let offsets = ranges.iter().map(|(first, _)| first.clone()).collect();
            let dims = (0..ranges.len()).map(Some).collect();
            let of_window: Vec<_> = ranges.iter().map(|(_, extent)| *extent).collect();
            let window = self.builder.slice(source, offsets, dims, &of_window);
            return self.builder.view(window, view.index(rank), &size);
        }
        let shape = self.graph.nodes[at].shape.clone();
        let whole = self.builder.view(source, view.index(rank), &shape);
        let offsets = region.iter().map(|(first, _)| first.clone()).collect();
        let dims = (0..rank).map(Some).collect();
        self.builder.slice(whole, offsets, dims, &size)
    }
}

/// Drops the dimensions of extent 1 from a window.
fn drop_units(dims: &mut [Option<usize>], region: &[Range]) {
    let mut next = 0;
    for (dim, (_, extent)) in dims.iter_mut().zip(region) {
        *dim = (*extent > 1).then_some(next);
        next += usize::from(*extent > 1);
    }
}
