//! Names of the iteration symbols by their role (SDSC bundle specification, section 4.11).

use super::{Windowed, window_of};
use crate::codegen::dims::{Dim, DimNames};
use crate::error::Error;
use crate::expr::{Expr, Symbol};
use crate::model::TensorArg;
use crate::windows::WindowOp;

impl Windowed<'_> {
    /// Names every iteration symbol.
    pub(super) fn name_dims(&self) -> Result<DimNames, Error> {
        let names = match self.params.op {
            WindowOp::Pool => self.by_position(&self.pool_roles())?,
            WindowOp::Depthwise => self.depthwise_names()?,
            WindowOp::Conv => self.by_structure()?,
        };
        Ok(DimNames::new(names))
    }

    fn symbols(&self) -> impl Iterator<Item = &Symbol> {
        self.context
            .op
            .iteration_space
            .iter()
            .map(|dim| &dim.symbol)
    }

    /// The dimensions of a pool in the order of its iteration space: the dimensions longer than 1.
    fn pool_roles(&self) -> Vec<Dim> {
        let ranges = &self.ranges;
        let roles = [
            (Dim::Mb, ranges.batch),
            (Dim::I, ranges.height),
            (Dim::J, ranges.width),
            (Dim::Out, ranges.channels),
            (Dim::Ki, Some(self.params.height.kernel)),
            (Dim::Kj, Some(self.params.width.kernel)),
        ];
        let kept = roles.into_iter().filter(|(_, extent)| *extent != Some(1));
        kept.map(|(dim, _)| dim).collect()
    }

    fn by_position(&self, roles: &[Dim]) -> Result<Vec<(Symbol, Dim)>, Error> {
        let count = self.context.op.iteration_space.len();
        if roles.len() != count {
            let listed: Vec<_> = roles.iter().map(Dim::as_str).collect();
            return Err(self.context.inconsistent(format!(
                "iteration_space has {count} dimensions, and node_output_ranges with the kernel have [{}]",
                listed.join(", ")
            )));
        }
        Ok(self.symbols().cloned().zip(roles.iter().copied()).collect())
    }

    /// In the space of a depthwise convolution, trailing dimensions of extent 1 are left out; the remaining extents
    /// show which ones. If the image has one element, its height and width may come after the window.
    fn depthwise_names(&self) -> Result<Vec<(Symbol, Dim)>, Error> {
        let ranges = &self.ranges;
        let roles = [
            (Dim::Mb, ranges.batch),
            (Dim::Out, ranges.channels),
            (Dim::I, ranges.height),
            (Dim::J, ranges.width),
            (Dim::Ki, Some(self.params.height.kernel)),
            (Dim::Kj, Some(self.params.width.kernel)),
        ];
        // Sets of roles as bits, sets without the last roles first.
        for left_out in (0..1_u32 << roles.len()).rev() {
            let is_left_out = |place: usize| left_out >> place & 1 == 1;
            let mut kept = Vec::with_capacity(roles.len());
            let mut legal = true;
            for (place, role) in roles.iter().enumerate() {
                if !is_left_out(place) {
                    kept.push(*role);
                } else if role.1 != Some(1) {
                    legal = false;
                }
            }
            if !legal {
                continue;
            }
            if self.has_extents(&kept) {
                return self.by_position(&dims_of(&kept));
            }
            let is_image = |(dim, _): &(Dim, _)| matches!(dim, Dim::I | Dim::J);
            let unit_image = kept
                .iter()
                .filter(|role| is_image(role))
                .all(|(_, extent)| *extent == Some(1));
            // Stable: the rest keeps its order.
            kept.sort_by_key(is_image);
            if unit_image && self.has_extents(&kept) {
                return self.by_position(&dims_of(&kept));
            }
        }
        Err(self.context.inconsistent(
            "iteration_space does not have the extents of node_output_ranges and of the kernel",
        ))
    }

    /// True if the dimensions of the space may have these roles: windows have their extents, and other dimensions
    /// are longer than 1 exactly if the roles are. In loops their extents may be those of a tile.
    fn has_extents(&self, roles: &[(Dim, Option<u64>)]) -> bool {
        let space = &self.context.op.iteration_space;
        let fits = |(iteration, (dim, extent)): (&crate::IterationDim, &(Dim, Option<u64>))| {
            let extent_value = iteration
                .extent
                .as_int()
                .and_then(|value| u64::try_from(value).ok());
            match dim {
                Dim::Ki | Dim::Kj => extent_value == *extent,
                _ => (extent_value == Some(1)) == (*extent == Some(1)),
            }
        };
        space.len() == roles.len() && space.iter().zip(roles).all(fits)
    }

    /// The reductions of `conv2d` come in any order, so its symbols are identified by where they occur: the stick of
    /// the output is `out` and the stick of the input `in`; the other symbols of the output are height, width and
    /// batch, outermost first; the other symbols of the weight are the window, each in one coordinate with its
    /// height or width in the input.
    fn by_structure(&self) -> Result<Vec<(Symbol, Dim)>, Error> {
        let context = self.context;
        let [input, weight, output] = context.op.args.as_slice() else {
            return Err(context.inconsistent("must have an input, a weight and an output"));
        };
        let channel = self.stick_symbol(2, output)?;
        let contracted = self.stick_symbol(0, input)?;
        if self.stick_symbol(1, weight)? != channel || contracted == channel {
            return Err(context.inconsistent(format!(
                "args[1].device_coordinates must have the stick {channel} of the output, and args[0] another one"
            )));
        }
        let mut names = vec![(channel.clone(), Dim::Out), (contracted.clone(), Dim::In)];
        let ranges = &self.ranges;
        let image = [
            (Dim::I, ranges.height),
            (Dim::J, ranges.width),
            (Dim::Mb, ranges.batch),
        ];
        let mut image = image.iter().filter(|(_, extent)| *extent != Some(1));
        for symbol in outer_symbols(output, &[channel]) {
            let (dim, _) = image.next().ok_or_else(|| {
                context.inconsistent(format!(
                    "args[2].device_coordinates use {symbol}, and node_output_ranges have no dimension for it"
                ))
            })?;
            names.push((symbol.clone(), *dim));
        }
        for symbol in outer_symbols(weight, &[channel, contracted]) {
            let dim = self.window_dim(input, symbol, &names)?;
            names.push((symbol.clone(), dim));
        }
        // In the order of the space, each once.
        let mut ordered = Vec::with_capacity(names.len());
        for symbol in self.symbols() {
            let matches: Vec<_> = names.iter().filter(|(name, _)| name == symbol).collect();
            match matches.as_slice() {
                [(_, dim)] if ordered.iter().all(|(_, other)| other != dim) => {
                    ordered.push((symbol.clone(), *dim));
                }
                [_] => return Err(self.unclear(symbol, "another symbol has its part")),
                [] => return Err(self.unclear(symbol, "no operand uses it as a convolution would")),
                _ => return Err(self.unclear(symbol, "it has several parts")),
            }
        }
        Ok(ordered)
    }

    fn unclear(&self, symbol: &Symbol, reason: &str) -> Error {
        self.context.inconsistent(format!(
            "iteration_space[{symbol}] is no dimension of a convolution: {reason}"
        ))
    }

    /// The one symbol along the stick of an operand.
    fn stick_symbol<'t>(&self, position: usize, arg: &'t TensorArg) -> Result<&'t Symbol, Error> {
        let stick = arg.device_coordinates.last().map(Expr::symbols);
        match stick.as_deref() {
            Some([symbol]) => Ok(*symbol),
            _ => Err(self.context.inconsistent(format!(
                "args[{position}].device_coordinates must have one symbol along the stick"
            ))),
        }
    }

    /// The dimension of a symbol of the window: that of the height or width with which it shares a coordinate of the
    /// input. A height or width of 1 has no symbol, and its window has the dimension that no other symbol has.
    fn window_dim(
        &self,
        input: &TensorArg,
        symbol: &Symbol,
        names: &[(Symbol, Dim)],
    ) -> Result<Dim, Error> {
        let together = input
            .device_coordinates
            .iter()
            .filter(|coordinate| coordinate.mentions(symbol.as_str()))
            .flat_map(Expr::symbols)
            .filter_map(|other| names.iter().find(|(name, _)| name == other))
            .find(|(_, dim)| matches!(dim, Dim::I | Dim::J));
        if let Some((_, dim)) = together {
            return Ok(window_of(*dim));
        }
        let missing = |dim: &Dim| names.iter().all(|(_, named)| named != dim);
        let mut left = self
            .axes()
            .into_iter()
            .filter(|(dim, axis)| axis.is_window() && missing(dim) && missing(&window_of(*dim)));
        match left.next() {
            Some((dim, _)) => Ok(window_of(dim)),
            None => Err(self.unclear(
                symbol,
                "the input does not move along a height or width by it",
            )),
        }
    }
}

fn dims_of(roles: &[(Dim, Option<u64>)]) -> Vec<Dim> {
    roles.iter().map(|(dim, _)| *dim).collect()
}

/// The symbols of the coordinates outside the stick, outermost first, without the symbols in `except`.
fn outer_symbols<'t>(arg: &'t TensorArg, except: &[&Symbol]) -> Vec<&'t Symbol> {
    let mut symbols: Vec<&Symbol> = Vec::new();
    for symbol in arg.device_coordinates.iter().flat_map(Expr::symbols) {
        if !except.contains(&symbol) && !symbols.contains(&symbol) {
            symbols.push(symbol);
        }
    }
    symbols
}
