//! Blocks inside of a body: masked blocks, and the combiners of scans.

use std::collections::BTreeMap;

use melior::ir::attribute::FloatAttribute;
use melior::ir::block::BlockLike;
use melior::ir::{Block, Region, RegionLike, Type, ValueLike};
use rustc_hash::FxHashSet;
use spyre_inductor::schema::{Inst, Value};
use spyre_mlir_rt::ir::{self, At, Blk, Op, Val};

use super::super::path::Path;
use super::super::{Import, ImportError, Parts, Scope, error, flatten, result};
use super::{Nest, State};

impl<'p> Import<'p> {
    /// Imports a masked block.
    #[expect(clippy::too_many_arguments, reason = "the parts of an instruction")]
    pub(super) fn masked<'a>(
        &mut self,
        path: &Path<'_>,
        nest: &mut Nest<'a, 'p>,
        inst: &'a Inst,
        name: &str,
        mask: Val<'p>,
        block: Blk<'p>,
        state: &mut State<'a, 'p>,
        of: Op<'p>,
    ) -> Result<Val<'p>, ImportError> {
        // Its result has the type of the yielded value, so the block is built first, in a detached
        // region.
        let region = Region::new();
        region.append_block(Block::new(&[]));
        let zero = FloatAttribute::new(self.context, Type::float32(self.context), 0.0);
        let built = self.insert_at(
            At::End(block),
            Parts {
                name: "inductor.masked",
                operands: &[mask],
                results: &[Type::float32(self.context)],
                attributes: vec![("other", zero.into())],
                regions: vec![region],
            },
        );
        let inner = ir::body(built).expect("the masked block is there");
        let mut inside = state.clone();
        let at = path.before("blocks");
        self.block(at, nest, name, inner, &mut inside, of)?;
        let end = inner.terminator().expect("the block was checked");
        let Some(value) = ir::operand(end, 0) else {
            return error(path, "the block yields nothing");
        };
        let ty = value.r#type();
        let other = inst.fields.get("other").unwrap_or(&Value::Null);
        if let Some((name, exact)) = self.exact(Some(other), ty) {
            ir::set_discardable_attribute(built, name, exact);
        }
        let other = self.number(&path.field("other"), other, ty)?;
        ir::set_attribute(built, "other", other);
        let output = result(built, 0);
        output.set_type(ty);
        if inside.unsigned.contains(&ir::value_key(value)) {
            state.unsigned.insert(ir::value_key(output));
        }
        Ok(output)
    }

    /// Imports the combiner of a scan.
    pub(super) fn combine<'a>(
        &mut self,
        path: &Path<'_>,
        nest: &mut Nest<'a, 'p>,
        name: &str,
        (values, unsigned): (&[Val<'p>], &FxHashSet<ir::ValueKey>),
        of: Op<'p>,
    ) -> Result<(), ImportError> {
        let block = ir::blocks(of).nth(1).expect("a scan has a second block");
        for value in values.iter().chain(values) {
            block.add_argument(value.r#type(), self.here);
        }
        let mut state = State {
            values: Scope::new(),
            unsigned: FxHashSet::default(),
            indirect: BTreeMap::new(),
            groups: BTreeMap::new(),
            pairs: BTreeMap::new(),
        };
        let Some(instructions) = nest.body.blocks.get(name) else {
            return error(path, format!("there is no block '{name}'"));
        };
        let names = names_of_operands(instructions);
        for name in names {
            let number = |text: &str| text.parse::<usize>().ok();
            let at = match (
                name.strip_prefix('a').and_then(number),
                name.strip_prefix('b').and_then(number),
            ) {
                (Some(at), _) if at < values.len() => at,
                (_, Some(at)) if at < values.len() => values.len() + at,
                _ => continue,
            };
            let argument = block
                .argument(at)
                .expect("the block has two for each value");
            let argument: Val<'p> = argument.into();
            if unsigned.contains(&ir::value_key(values[at % values.len()])) {
                state.unsigned.insert(ir::value_key(argument));
            }
            state.values.insert(name, argument);
        }
        let at = path.before("blocks");
        self.block(at, nest, name, block, &mut state, of)
    }
}

/// Returns the names that some instructions read.
fn names_of_operands(instructions: &[Inst]) -> Vec<&str> {
    let mut names = Vec::new();
    for inst in instructions {
        for field in inst.fields.values() {
            let mut flat = Vec::new();
            flatten(field, &mut flat);
            names.extend(
                flat.into_iter()
                    .filter_map(|it| it.as_str()?.strip_prefix('%')),
            );
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}
