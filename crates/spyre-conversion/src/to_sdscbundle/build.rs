//! Builds the compiled bundle as IR: `@sdsc_bundle` and one `sdscbundle.op_spec` per operation.

use melior::Context;
use melior::dialect::func;
use melior::ir::attribute::{
    FlatSymbolRefAttribute, IntegerAttribute, StringAttribute, TypeAttribute,
};
use melior::ir::block::BlockLike;
use melior::ir::r#type::{FunctionType, IntegerType};
use melior::ir::{
    AffineExpr, AffineMap, Attribute, Block, Location, Operation, Region, RegionLike, Type,
};
use spyre_dialects::input_arg::{Bounds, input_arg_type};
use spyre_dialects::op_spec::{NamedOpSpec, SIZE, size_attribute};
use spyre_dialects::{attr, bundle};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, Val};
use spyre_ods::{OpBuilder, arith, sdscbundle};
use spyre_sdsc::bundle::{Function, InputArgType, Stmt, ValueId};
use spyre_sdsc::{Bundle, Node};

use super::form::{Form, named};

/// An OpSpec and the location that it comes from.
struct Origin<'s, 'p> {
    spec: NamedOpSpec<'s>,
    location: Location<'p>,
}

/// A tree of OpSpecs and loops from another front end or a planned function.
#[derive(Debug, Clone, Copy)]
pub struct Tree<'t, 'p> {
    /// The operations and the loops.
    pub nodes: &'t [Node],
    /// The location of each operation, in file order.
    pub locations: &'t [Location<'p>],
    /// The attributes of the bundle in addition to the tree.
    pub form: &'t Form,
}

/// Builds the OpSpecs of a tree, in file order.
///
/// # Errors
/// One has no form in a module, or a loop has none.
pub fn op_specs<'p>(
    context: &'p Context,
    at: At<'p>,
    location: Location<'p>,
    tree: Tree<'_, 'p>,
) -> Result<(), Diagnostic<'p>> {
    build_op_specs(context, at, location, tree).map(|_| ())
}

fn build_op_specs<'t, 'p>(
    context: &'p Context,
    at: At<'p>,
    location: Location<'p>,
    tree: Tree<'t, 'p>,
) -> Result<Vec<Origin<'t, 'p>>, Diagnostic<'p>> {
    let specs =
        named(tree.nodes, tree.form).map_err(|err| Diagnostic::error(location, err.to_string()))?;
    assert_eq!(
        specs.len(),
        tree.locations.len(),
        "every OpSpec has a location"
    );
    let origins = specs.into_iter().zip(tree.locations);
    let origins: Vec<Origin<'_, 'p>> = origins
        .map(|(spec, location)| Origin {
            spec,
            location: *location,
        })
        .collect();
    for Origin { spec, location } in &origins {
        let built = spec.build(context, *location).map_err(|err| {
            let message = format!("OpSpec of '{}': {err}", spec.spec.op);
            Diagnostic::error(*location, message)
        })?;
        insert_in_module(at, built, *location)?;
    }
    Ok(origins)
}

/// Builds the bundle that a tree compiles to at the level of a module: the OpSpecs, in file order, and the function.
///
/// # Errors
/// An OpSpec or a loop has no form in a module, or the bundle is not that of the tree.
pub fn build<'p>(
    context: &'p Context,
    at: At<'p>,
    location: Location<'p>,
    tree: Tree<'_, 'p>,
    bundle: &Bundle,
) -> Result<(), Diagnostic<'p>> {
    let origins = build_op_specs(context, at, location, tree)?;
    let function = bundle.function();
    let params: Vec<(Type<'p>, Location<'p>)> = function
        .params
        .iter()
        .map(|param| {
            (
                param_type(context, param.ty),
                Location::name(context, function.name(param.value), location),
            )
        })
        .collect();
    let types: Vec<Type<'p>> = params.iter().map(|(ty, _)| *ty).collect();
    let region = Region::new();
    region.append_block(Block::new(&params));
    let operation = func::func(
        context,
        StringAttribute::new(context, bundle::FUNCTION),
        TypeAttribute::new(FunctionType::new(context, &types, &[]).into()),
        region,
        &[],
        location,
    );
    let operation = insert_in_module(at, operation, location)?;
    for (index, param) in function.params.iter().enumerate() {
        if let Some(size) = param.binding.size() {
            let attribute = size_attribute(context, &size);
            ir::set_argument_attribute(operation, index, SIZE, attribute);
        }
    }
    let Some(entry) = ir::function_body(operation) else {
        return Err(Diagnostic::error(location, "bundle function has no body"));
    };
    let mut builder = Builder {
        context,
        function,
        location,
        origins: origins.iter(),
        values: vec![None; function.value_count()],
        maps: function
            .maps
            .iter()
            .map(|map| affine_map(context, map))
            .collect(),
    };
    for (index, param) in function.params.iter().enumerate() {
        if let Ok(argument) = entry.argument(index) {
            builder.define(param.value, argument.into());
        }
    }
    builder.statements(entry, &function.body)?;
    entry.append_operation(func::r#return(&[], location));
    Ok(())
}

fn insert_in_module<'p>(
    at: At<'p>,
    operation: Operation<'p>,
    location: Location<'p>,
) -> Result<Op<'p>, Diagnostic<'p>> {
    ir::insert(at, operation)
        .ok_or_else(|| Diagnostic::error(location, "operation is not in a module"))
}

fn param_type(context: &Context, ty: InputArgType) -> Type<'_> {
    input_arg_type(
        context,
        ty.bounds.map(|bounds| Bounds {
            granularity: bounds.granularity.cast_signed(),
            max_value: bounds.max.cast_signed(),
        }),
    )
}

/// Returns the map `(d0, d1)[s0] -> (s0 + strides[0]*d0 + strides[1]*d1)`, with one dimension for each stride.
fn affine_map<'p>(context: &'p Context, map: &spyre_sdsc::bundle::AffineMap) -> AffineMap<'p> {
    let mut address = AffineExpr::symbol(context, 0);
    for (dim, stride) in map.strides.iter().enumerate() {
        let stride = AffineExpr::constant(context, stride.get().cast_signed());
        address = address + AffineExpr::dim(context, dim) * stride;
    }
    AffineMap::new(context, map.strides.len(), 1, &[address])
}

struct Builder<'b, 'p> {
    context: &'p Context,
    function: &'b Function,
    location: Location<'p>,
    /// The operations, in the order in which the text executes them.
    origins: std::slice::Iter<'b, Origin<'b, 'p>>,
    values: Vec<Option<Val<'p>>>,
    maps: Vec<AffineMap<'p>>,
}

impl<'p> Builder<'_, 'p> {
    fn define(&mut self, id: ValueId, value: Val<'p>) {
        if let Some(slot) = self.values.get_mut(id.index()) {
            *slot = Some(value);
        }
    }

    fn value(&self, id: ValueId) -> Result<Val<'p>, Diagnostic<'p>> {
        self.values
            .get(id.index())
            .copied()
            .flatten()
            .ok_or_else(|| {
                let name = self.function.name(id);
                Diagnostic::error(
                    self.location,
                    format!("bundle uses %{name} before it is defined"),
                )
            })
    }

    fn all(&self, ids: &[ValueId]) -> Result<Vec<Val<'p>>, Diagnostic<'p>> {
        ids.iter().map(|id| self.value(*id)).collect()
    }

    /// Returns a location with the name that the bundle's text uses.
    fn named(&self, id: ValueId) -> Location<'p> {
        Location::name(self.context, self.function.name(id), self.location)
    }

    /// Returns the builder of the operation that defines a value.
    fn builder(&self, at: At<'p>, result: ValueId) -> OpBuilder<'p> {
        OpBuilder {
            context: self.context,
            at,
            location: self.named(result),
        }
    }

    fn statements(&mut self, block: Blk<'p>, statements: &[Stmt]) -> Result<(), Diagnostic<'p>> {
        for statement in statements {
            self.statement(block, statement)?;
        }
        Ok(())
    }

    fn statement(&mut self, block: Blk<'p>, statement: &Stmt) -> Result<(), Diagnostic<'p>> {
        let integer = IntegerType::new(self.context, 64).into();
        let index = Type::index(self.context);
        let at = At::End(block);
        match statement {
            Stmt::DeviceMemAllocate { result, size } => {
                let size = IntegerAttribute::new(integer, size.get().cast_signed());
                let parts = sdscbundle::device_mem_allocate(size.into());
                let value = self.builder(at, *result).op(parts, index);
                self.define(*result, value);
            }
            Stmt::InputArgExtract { result, param, .. } => {
                let field = StringAttribute::new(self.context, "value");
                let parts = sdscbundle::input_arg_extract(self.value(*param)?, field.into());
                let value = self.builder(at, *result).op(parts, index);
                self.define(*result, value);
            }
            Stmt::Constant { result, value } => {
                let value = ir::build_index_constant(at, self.named(*result), value.cast_signed());
                self.define(*result, value);
            }
            Stmt::AddI { result, lhs, rhs } => {
                let parts = arith::addi(self.value(*lhs)?, self.value(*rhs)?);
                let value = self.builder(at, *result).op(parts, index);
                self.define(*result, value);
            }
            Stmt::Apply {
                result,
                map,
                ivs,
                base,
            } => {
                let Some(map) = self.maps.get(*map).copied() else {
                    return Err(Diagnostic::error(
                        self.location,
                        format!("bundle has no map {map}"),
                    ));
                };
                let mut operands = self.all(ivs)?;
                operands.push(self.value(*base)?);
                let value = ir::build_affine_apply(at, self.named(*result), map, &operands);
                self.define(*result, value);
            }
            Stmt::Execute {
                operands,
                filename,
                symbol_ids,
            } => {
                let origin = self.origins.next();
                let ids: Vec<Attribute<'p>> = symbol_ids
                    .iter()
                    .map(|id| IntegerAttribute::new(integer, id.get()).into())
                    .collect();
                let operands = self.all(operands)?;
                self.execute(at, origin, filename, &operands, &ids);
            }
            Stmt::For {
                iv,
                lower,
                upper,
                step,
                body,
            } => {
                let (lower, upper, step) =
                    (self.value(*lower)?, self.value(*upper)?, self.value(*step)?);
                let built = ir::build_for(at, self.named(*iv), lower, upper, step, &[]);
                self.define(*iv, built.induction_variable());
                self.statements(built.body, body)?;
                ir::build_yield(built.body, self.location, &[]);
            }
        }
        Ok(())
    }

    /// Builds the execution of the file of the OpSpec of `origin`, which other OpSpecs may share.
    fn execute(
        &self,
        at: At<'p>,
        origin: Option<&Origin<'_, 'p>>,
        filename: &str,
        operands: &[Val<'p>],
        symbol_ids: &[Attribute<'p>],
    ) {
        let location = origin.map_or(self.location, |origin| origin.location);
        let filename_attribute = StringAttribute::new(self.context, filename);
        let parts = sdscbundle::sdsc_execute(operands, filename_attribute.into())
            .with("symbol_ids", attr::array(self.context, symbol_ids));
        let operation = parts.insert(at, &[], location, self.context);
        // A shared file is named after another OpSpec.
        let spec = origin.map_or("", |origin| origin.spec.name.as_str());
        if filename.strip_suffix(".json") != Some(spec) {
            let symbol = FlatSymbolRefAttribute::new(self.context, spec);
            ir::set_discardable_attribute(operation, bundle::USES, symbol.into());
        }
    }
}
