//! `--spyre-merge-batches`: gives products no more batch dimensions than the card has.
//!
//! The backend takes the role of a dimension of a product from the tensors that have it: at most two dimensions are in all three
//! tensors, and at most two, of which the rows are one, in the left operand and the result alone (contract, K23).
//! Dimensions of one role that lie next to each other are one dimension, by a reshape that moves no data. Where others
//! lie between them, a permutation comes first, and layouts decide the copies for it.

mod roles;

use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, ValueLike};
use roles::{Batch, Merging, Role};
use rustc_hash::FxHashSet;
use spyre_analysis::names::{DimNames, Followed, Follower, Visit, position};
use spyre_analysis::walk::{check_reachable, device_ops, tensors};
use spyre_construct::build::{Build, element_of, shape_of};
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::names::{DIMS, EXPECTED_DIMS, EXPECTED_REDUCTION_DIMS, REDUCTION_DIMS};
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::{OpParts, func, spyre};
use spyre_ops::OpClass;

const NAME: &str = "spyre-merge-batches";

/// `--spyre-merge-batches`
pub static MERGE_BATCHES: RustPass = RustPass {
    argument: NAME,
    summary: "Give matrix products at most as many batch dimensions as the card has",
    description: include_str!("merge_batches.md"),
    anchor: func::FUNC,
    options: &[],
    statistics: &[
        PassStatistic {
            name: "merged",
            description: "Matrix products of which batch dimensions were merged",
        },
        PassStatistic {
            name: "permuted",
            description: "Matrix products of which batch dimensions were brought together first",
        },
        PassStatistic {
            name: "repeated",
            description: "Left operands that are copied for each batch of the right one",
        },
    ],
    dialects: || {
        vec![
            spyre_dialects::spyre_dialect(),
            melior::dialect::DialectHandle::tensor(),
        ]
    },
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    check_reachable(function, NAME, |_| true)?;
    let Some(body) = ir::function_body(function) else {
        return Ok(());
    };
    let mut products = device_ops(body);
    products.retain(|device| Product::of(*device).is_some());
    let is_hinted = |device: &DeviceOp<'p>| Product::of(*device).is_some_and(|it| it.is_hinted());
    // The names are from the function before it changes.
    let hinted = match products.iter().any(is_hinted) {
        true => Hinted::of(function),
        false => Hinted::default(),
    };
    let mut is_changed = false;
    for device in products {
        // The operands are read here, since earlier iterations may have replaced operands that are products.
        let product =
            Product::of(device).expect("a product changes nothing but its readers' operands");
        let build = product.builder(run);
        let lacks = product.left_lacks_batches();
        if lacks {
            product.repeat_left(&build);
            run.count("repeated", 1);
        }
        let merging = product.merging(&hinted);
        is_changed |= lacks || merging.is_some();
        if let Some(merging) = merging {
            run.count("permuted", usize::from(!merging.keeps_order()));
            run.count("merged", 1);
            product.merge(&build, &merging);
        }
    }
    if !is_changed {
        run.preserve_analyses();
    }
    Ok(())
}

/// A matrix product of static extents, without layouts or a place.
struct Product<'p> {
    device: DeviceOp<'p>,
    left: Val<'p>,
    right: Val<'p>,
    result: Val<'p>,
}

impl<'p> Product<'p> {
    /// Returns an operation as a product; `None` for another operation, and for a product that this pass leaves alone.
    fn of(device: DeviceOp<'p>) -> Option<Self> {
        let is_free = |value: &Val<'p>| {
            let ty = melior::ir::r#type::RankedTensorType::try_from(value.r#type());
            ty.is_ok_and(|ty| ty.encoding().is_none()) && shape_of(*value).is_ok()
        };
        if device.facts().class != OpClass::Matmul || device.place().is_some() {
            return None;
        }
        // A product with one element of K becomes a multiplication, which has no roles.
        if device.iteration_space().last() == Some(&1) {
            return None;
        }
        let &[left, right, result] = tensors(device).as_slice() else {
            unreachable!("a product has two operands and a result");
        };
        [left, right, result].iter().all(is_free).then_some(Self {
            device,
            left,
            right,
            result,
        })
    }

    fn is_hinted(&self) -> bool {
        self.device.hints_attribute().is_some() || self.device.divisions_attribute().is_some()
    }

    fn builder(&self, run: &'p PassRun<'p>) -> Build<'p> {
        Build {
            context: run.context(),
            before: self.device.op(),
            hints: self.device.hints_attribute(),
            divisions: self.device.divisions_attribute(),
            extents: None,
        }
    }

    /// Returns the extents of a value's batch dimensions, with leading ones that it lacks.
    fn batch_shape(&self, value: Val<'p>) -> Vec<i64> {
        let shape = |value| shape_of(value).expect("a product was read with static extents");
        let (extents, all) = (shape(value), shape(self.result));
        let mut batch = vec![1; all.len() - extents.len()];
        batch.extend(&extents[..extents.len() - 2]);
        batch
    }

    /// Returns the extents of a value's rows and columns.
    fn matrix_shape(&self, value: Val<'p>) -> [i64; 2] {
        let shape = shape_of(value).expect("a product was read with static extents");
        let &[.., rows, columns] = shape.as_slice() else {
            unreachable!("tensors of a product have two dimensions (S7)");
        };
        [rows, columns]
    }

    /// Returns the rows of the result, which are preserved as a batch dimension may be.
    fn rows(&self, hinted: &Hinted) -> Batch {
        let dim = self.batch_shape(self.result).len();
        Batch {
            extent: self.matrix_shape(self.result)[0],
            role: Role::Preserved,
            is_fixed: hinted.has(self.device, dim),
        }
    }

    /// Returns whether the right operand has batches that the left one lacks. Such a batch would count as a second dimension of
    /// columns, and the card has one (contract, K23).
    fn left_lacks_batches(&self) -> bool {
        self.batch_shape(self.left) != self.batch_shape(self.result)
    }

    /// Copies the left operand for each batch of the right one.
    fn repeat_left(&self, build: &Build<'p>) {
        let mut shape = self.batch_shape(self.result);
        shape.extend(self.matrix_shape(self.left));
        let ty = build.tensor(&shape, element_of(self.left));
        let repeated = build.emit(spyre::copy(self.left), ty);
        ir::set_operand(self.device.op(), 0, repeated);
    }

    /// Returns how batch dimensions are merged, where the left operand has all of them; `None` for a product that stays as it is.
    fn merging(&self, hinted: &Hinted) -> Option<Merging> {
        // A division over cores is given for each dimension.
        if self.device.split().is_some() {
            return None;
        }
        roles::merging(&self.batches(hinted), self.rows(hinted))
    }

    /// Returns the batch dimensions, where the left operand has all of them.
    fn batches(&self, hinted: &Hinted) -> Vec<Batch> {
        let right = self.batch_shape(self.right).into_iter();
        let all = self.batch_shape(self.result).into_iter();
        all.zip(right)
            .enumerate()
            .map(|(dim, (extent, right))| Batch {
                extent,
                role: match right {
                    1 => Role::Preserved,
                    _ => Role::Shared,
                },
                is_fixed: hinted.has(self.device, dim),
            })
            .collect()
    }

    /// Replaces the product by one of merged batch dimensions, between views.
    fn merge(self, build: &Build<'p>, merging: &Merging) {
        let op = self.device.op();
        let left = ir::operand(op, 0).expect("a product has two operands");
        let [rows, k] = self.matrix_shape(left);
        let [right_k, columns] = self.matrix_shape(self.right);
        let batch = self.batch_shape(self.result);
        let merged = merging.extents(&batch);
        let all_rows = merging.rows(&batch) * rows;
        let with = |batch: &[i64], matrix: [i64; 2]| [batch, &matrix[..]].concat();

        let a = self.arranged(build, left, &merging.order, with(&merged, [all_rows, k]));
        let right = merging.extents(&self.batch_shape(self.right));
        let b = self.arranged(
            build,
            self.right,
            &merging.order,
            with(&right, [right_k, columns]),
        );
        let ty = build.tensor(&with(&merged, [all_rows, columns]), element_of(self.result));
        let product = build.emit(OpParts::named(ir::name(op).to_owned(), &[a, b]), ty);
        let permuted: Vec<i64> = merging.order.iter().map(|dim| batch[*dim]).collect();
        let apart = build.reshape_fixed(product, &with(&permuted, [rows, columns]));
        let whole = build.permute(apart, &merging.inverse());
        self.keep_names(product, whole);
        ir::replace_all_uses(self.result, whole);
        ir::erase(op);
    }

    /// Returns an operand with its batch dimensions in an order, and then of a shape.
    fn arranged(
        &self,
        build: &Build<'p>,
        value: Val<'p>,
        order: &[usize],
        shape: Vec<i64>,
    ) -> Val<'p> {
        let batch = self.batch_shape(value);
        let mut value = value;
        if !order.is_sorted() {
            let matrix = self.matrix_shape(value);
            value = build.reshape_fixed(value, &[&batch[..], &matrix].concat());
            value = build.permute(value, &roles::with_matrix(order));
        }
        build.reshape_fixed(value, &shape)
    }

    /// Transfers the names of dimensions that the product declares: `product` is the new one, and `whole` has its
    /// result.
    fn keep_names(&self, product: Val<'p>, whole: Val<'p>) {
        let reduced = [REDUCTION_DIMS, EXPECTED_REDUCTION_DIMS].map(|name| (name, product));
        let of_result = [DIMS, EXPECTED_DIMS].map(|name| (name, whole));
        for (name, value) in reduced.into_iter().chain(of_result) {
            let declared: Option<Attribute<'p>> = self.device.op().attribute(name).ok();
            if let Some(declared) = declared {
                let op = ir::defining_op(value).expect("a view and a product are operations");
                ir::set_discardable_attribute(op, name, declared);
            }
        }
    }
}

/// The dimensions of operations that hints cut or divide, by their names.
#[derive(Default)]
struct Hinted {
    dims: FxHashSet<(ir::OpKey, usize)>,
}

impl Hinted {
    fn has(&self, op: DeviceOp<'_>, dim: usize) -> bool {
        self.dims.contains(&(ir::op_key(op.op()), dim))
    }

    fn of(function: Op<'_>) -> Self {
        let mut finder = Finder {
            followed: Followed::of_function(function),
            hinted: Self::default(),
        };
        if let Some(body) = ir::function_body(function) {
            let Ok(()) = finder.follow(body);
        }
        finder.hinted
    }
}

/// Finds the dimensions that hints name.
struct Finder<'p> {
    followed: Followed<'p>,
    hinted: Hinted,
}

impl<'p> Finder<'p> {
    fn product(&mut self, op: DeviceOp<'p>, space: &[i64], names: &DimNames) {
        let tiles = op.hints().into_iter().map(|hint| hint.dim);
        let divisions = op.divisions().into_iter().map(|hint| hint.dim);
        for name in tiles.chain(divisions) {
            let name = self.followed.names.intern(&name);
            let dims = match position(names, space, name) {
                Ok(position) => [position.map(|position| position.dim), None],
                Err(twice) => [Some(twice.0), Some(twice.1)],
            };
            let key = ir::op_key(op.op());
            self.hinted
                .dims
                .extend(dims.into_iter().flatten().map(|dim| (key, dim)));
        }
    }
}

impl<'p> Follower<'p> for Finder<'p> {
    type Error = std::convert::Infallible;

    fn followed(&mut self) -> &mut Followed<'p> {
        &mut self.followed
    }

    fn visit(&mut self, visit: Visit<'p>) -> Result<(), Self::Error> {
        if let Visit::Device(op, indexing, names) = visit
            && op.facts().class == OpClass::Matmul
        {
            self.product(op, &indexing.space, &names);
        }
        Ok(())
    }
}
