//! Blocks inside of a body: masked blocks, and the combiners of scans.

use melior::ir::attribute::FloatAttribute;
use melior::ir::block::BlockLike;
use melior::ir::{Type, ValueLike};
use spyre_inductor::schema::Inst;
use spyre_mlir_rt::ir::{self, At, Val};

use super::super::build::{region, result};
use super::super::{Import, Result, error, flatten};
use super::slots::Slots;
use super::{Site, State};

impl<'p> Import<'p> {
    /// Imports a masked block.
    pub(super) fn masked<'a>(
        &mut self,
        site: &mut Site<'_, 'a, 'p>,
        slots: Slots<'a, 'p>,
    ) -> Result<Val<'p>> {
        let (name, other) = slots.number.expect("the row has a slot for the number");
        // The result of a masked block has the type of the yielded value, so the block is built first.
        let f32 = Type::float32(self.context);
        let zero = FloatAttribute::new(self.context, f32, 0.0);
        let parts = slots.parts.with(name, zero).region(region(&[]));
        let built = self.insert_at(At::End(site.block), parts, &[f32]);
        let inner = ir::body(built).expect("the masked block is there");
        let mut inside = site.state.clone();
        let block = slots.name.expect("the row has a slot for the block");
        let at = site.path.before("blocks");
        self.block(at, site.nest, block, inner, &mut inside)?;
        let end = inner.terminator().expect("the block was checked");
        let Some(value) = ir::operand(end, 0) else {
            return error(site.path, "the block yields no value");
        };
        let ty = value.r#type();
        if let Some((name, exact)) = self.exact(other, ty) {
            ir::set_discardable_attribute(built, name, exact);
        }
        let other = self.number(&site.path.field(name), other, ty)?;
        ir::set_attribute(built, name, other);
        let output = result(built, 0);
        output.set_type(ty);
        if inside.unsigned.contains(&ir::value_key(value)) {
            site.state.unsigned.insert(ir::value_key(output));
        }
        Ok(output)
    }

    /// Imports the combiner of a scan.
    pub(super) fn combine<'a>(
        &mut self,
        site: &mut Site<'_, 'a, 'p>,
        name: &str,
        values: &[Val<'p>],
    ) -> Result<()> {
        let Some(block) = ir::blocks(site.nest.of).nth(1) else {
            return error(site.path, "a scan is in a loop nest of that kind");
        };
        for value in values.iter().chain(values) {
            block.add_argument(value.r#type(), self.here);
        }
        let mut state = State::default();
        let Some(instructions) = site.nest.body.blocks.get(name) else {
            return error(site.path, format!("there is no block '{name}'"));
        };
        let unsigned = &site.state.unsigned;
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
        let at = site.path.before("blocks");
        self.block(at, site.nest, name, block, &mut state)
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
