//! isl's functions of C, and its objects with their owners.
//!
//! The table at the end declares each function with the owner of each argument, as isl's headers mark them: `take` for
//! `__isl_take`, where the function frees the object, and `keep` for `__isl_keep`. A function that fails returns null,
//! or -1 for a number, has freed what it took, and leaves an error in the context.

use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_ulong, c_void};
use std::ptr::NonNull;

use crate::failure::Failure;

/// The kinds of columns and dimensions (`enum isl_dim_type`).
pub(crate) type Dim = c_uint;
/// The constant.
pub(crate) const CONSTANT: Dim = 0;
/// Parameters.
pub(crate) const PARAM: Dim = 1;
/// Inputs, and the dimensions of the space of an affine expression.
pub(crate) const IN: Dim = 2;
/// Outputs, and the dimensions of a set.
pub(crate) const OUT: Dim = 3;
/// Existentials.
pub(crate) const DIV: Dim = 4;

/// `isl_error_none`.
const ERROR_NONE: c_int = 0;
/// `isl_error_quota`: no operations are left.
const ERROR_QUOTA: c_int = 6;
/// `ISL_ON_ERROR_CONTINUE`: errors are results, without a message on standard error.
const ON_ERROR_CONTINUE: c_int = 1;

/// The type of a context in C.
#[repr(C)]
struct Ctx {
    _opaque: [u8; 0],
}

/// An object of isl that is freed by a function of its type.
pub(crate) trait Object {
    /// Frees the object.
    ///
    /// # Safety
    /// `object` is valid, and this reference to it is not used again.
    unsafe fn free(object: *mut Self);
}

/// A reference to an object of isl, freed at the end.
pub(crate) struct Handle<T: Object>(NonNull<T>);

impl<T: Object> Handle<T> {
    /// Returns the pointer for a function that keeps the object.
    fn keep(&self) -> *mut T {
        self.0.as_ptr()
    }

    /// Returns the pointer for a function that takes the object.
    fn take(self) -> *mut T {
        let object = self.0.as_ptr();
        std::mem::forget(self);
        object
    }
}

impl<T: Object> Drop for Handle<T> {
    fn drop(&mut self) {
        // SAFETY: the handle is the owner of its reference, and ends here.
        unsafe { T::free(self.0.as_ptr()) }
    }
}

macro_rules! objects {
    ($($(#[$doc:meta])* $name:ident: $free:ident;)*) => {
        $(
            $(#[$doc])*
            #[repr(C)]
            pub(crate) struct $name {
                _opaque: [u8; 0],
            }

            impl Object for $name {
                unsafe fn free(object: *mut Self) {
                    unsafe extern "C" {
                        fn $free(object: *mut $name) -> *mut c_void;
                    }
                    // SAFETY: the caller gives up a valid reference.
                    unsafe { $free(object) };
                }
            }
        )*
    };
}

objects! {
    /// An affine expression, `isl_aff`.
    Aff: isl_aff_free;
    /// A conjunction over a pair of points, `isl_basic_map`.
    BasicMap: isl_basic_map_free;
    /// A conjunction over a point, `isl_basic_set`.
    BasicSet: isl_basic_set_free;
    /// A list of conjunctions, `isl_basic_set_list`.
    BasicSetList: isl_basic_set_list_free;
    /// A space with the definitions of existentials, `isl_local_space`.
    LocalSpace: isl_local_space_free;
    /// A relation, `isl_map`.
    Map: isl_map_free;
    /// A matrix, `isl_mat`.
    Mat: isl_mat_free;
    /// A point, `isl_point`.
    Point: isl_point_free;
    /// A set, `isl_set`.
    Set: isl_set_free;
    /// The numbers of dimensions, `isl_space`.
    Space: isl_space_free;
    /// A number, `isl_val`.
    Val: isl_val_free;
}

unsafe extern "C" {
    fn isl_ctx_alloc() -> *mut Ctx;
    fn isl_ctx_free(ctx: *mut Ctx);
    fn isl_options_set_on_error(ctx: *mut Ctx, value: c_int) -> c_int;
    fn isl_ctx_set_max_operations(ctx: *mut Ctx, operations: c_ulong);
    fn isl_ctx_get_max_operations(ctx: *mut Ctx) -> c_ulong;
    fn isl_ctx_reset_operations(ctx: *mut Ctx);
    fn isl_ctx_last_error(ctx: *mut Ctx) -> c_int;
    fn isl_ctx_last_error_msg(ctx: *mut Ctx) -> *const c_char;
    fn isl_ctx_reset_error(ctx: *mut Ctx);
    fn isl_mat_alloc(ctx: *mut Ctx, rows: c_uint, columns: c_uint) -> *mut Mat;
    fn isl_space_alloc(ctx: *mut Ctx, params: c_uint, ins: c_uint, outs: c_uint) -> *mut Space;
    fn isl_space_set_alloc(ctx: *mut Ctx, params: c_uint, dims: c_uint) -> *mut Space;
    fn isl_val_int_from_si(ctx: *mut Ctx, value: c_long) -> *mut Val;
    fn isl_val_get_num_si(value: *mut Val) -> c_long;
    fn isl_map_to_str(map: *mut Map) -> *mut c_char;
    fn isl_map_get_hash(map: *mut Map) -> u32;
    /// The C library's, for the text of `isl_map_to_str`.
    fn free(memory: *mut c_void);
}

/// A context that is freed at the end, after its objects: each relation has a reference to its context.
pub(crate) struct RawContext(NonNull<Ctx>);

impl RawContext {
    /// Returns a new context. It panics without memory.
    pub(crate) fn new(budget: u64) -> Self {
        // SAFETY: no arguments; the results are checked.
        let ctx = NonNull::new(unsafe { isl_ctx_alloc() }).expect("memory for a context of isl");
        // SAFETY: the context is valid.
        unsafe {
            isl_options_set_on_error(ctx.as_ptr(), ON_ERROR_CONTINUE);
            isl_ctx_set_max_operations(ctx.as_ptr(), budget);
        }
        Self(ctx)
    }

    /// Sets the count of operations to 0.
    pub(crate) fn reset_operations(&self) {
        // SAFETY: the context is valid.
        unsafe { isl_ctx_reset_operations(self.0.as_ptr()) }
    }

    /// Calls a function that may take at most `limit` operations of isl, and no more than the budget. The count of
    /// operations starts again before and after the call.
    pub(crate) fn within<T>(
        &self,
        limit: u64,
        call: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let ctx = self.0.as_ptr();
        // SAFETY: the context is valid.
        let budget = unsafe { isl_ctx_get_max_operations(ctx) };
        let least = if budget == 0 {
            limit
        } else {
            limit.min(budget)
        };
        // SAFETY: the context is valid.
        unsafe { isl_ctx_set_max_operations(ctx, least) };
        self.reset_operations();
        let answer = call();
        // SAFETY: the context is valid.
        unsafe { isl_ctx_set_max_operations(ctx, budget) };
        self.reset_operations();
        answer
    }

    /// Returns the error that a call has left, and removes it.
    fn failure(&self) -> Failure {
        let ctx = self.0.as_ptr();
        // SAFETY: the context is valid. The message is a literal of isl or null, and is copied.
        unsafe {
            let failure = match isl_ctx_last_error(ctx) {
                ERROR_QUOTA => Failure::Budget,
                error => {
                    let message = isl_ctx_last_error_msg(ctx);
                    Failure::Internal(match message.is_null() {
                        true => format!("error {error}"),
                        false => CStr::from_ptr(message).to_string_lossy().into_owned(),
                    })
                }
            };
            isl_ctx_reset_error(ctx);
            failure
        }
    }

    /// Returns the handle of a result.
    fn handle<T: Object>(&self, object: *mut T) -> Result<Handle<T>, Failure> {
        NonNull::new(object)
            .map(Handle)
            .ok_or_else(|| self.failure())
    }

    /// Returns a matrix whose elements have to be set.
    pub(crate) fn mat(&self, rows: c_uint, columns: c_uint) -> Result<Handle<Mat>, Failure> {
        // SAFETY: the context is valid.
        self.handle(unsafe { isl_mat_alloc(self.0.as_ptr(), rows, columns) })
    }

    /// Returns the space of relations.
    pub(crate) fn space(&self, dims: [c_uint; 3]) -> Result<Handle<Space>, Failure> {
        let [params, ins, outs] = dims;
        // SAFETY: the context is valid.
        self.handle(unsafe { isl_space_alloc(self.0.as_ptr(), params, ins, outs) })
    }

    /// Returns the space of sets.
    pub(crate) fn set_space(&self, params: c_uint, dims: c_uint) -> Result<Handle<Space>, Failure> {
        // SAFETY: the context is valid.
        self.handle(unsafe { isl_space_set_alloc(self.0.as_ptr(), params, dims) })
    }

    /// Returns a number as an object.
    pub(crate) fn val(&self, value: i64) -> Result<Handle<Val>, Failure> {
        // SAFETY: the context is valid.
        self.handle(unsafe { isl_val_int_from_si(self.0.as_ptr(), value) })
    }

    /// Returns an integer as a number; an error beyond 64 bits.
    pub(crate) fn number(&self, value: &Handle<Val>) -> Result<i64, Failure> {
        // SAFETY: the value and the context are valid.
        let (number, error) = unsafe {
            let number = isl_val_get_num_si(value.keep());
            (number, isl_ctx_last_error(self.0.as_ptr()))
        };
        match error {
            ERROR_NONE => Ok(number),
            // The value is valid, so that isl reports nothing else than its size.
            _ => Err(match self.failure() {
                Failure::Internal(message) => Failure::TooLarge(message),
                failure => failure,
            }),
        }
    }

    /// Returns the same number for relations with the same rows, in any order.
    pub(crate) fn hash(&self, map: &Handle<Map>) -> u32 {
        // SAFETY: the map is valid, and is kept. isl returns 0 where it has no memory for its copy.
        unsafe { isl_map_get_hash(map.keep()) }
    }

    /// Returns the text of a relation. It takes nothing from the budget, so that a message can be written after its
    /// end.
    pub(crate) fn text(&self, map: &Handle<Map>) -> Result<String, Failure> {
        let ctx = self.0.as_ptr();
        // SAFETY: the context and the map are valid. The text is allocated by `malloc`, ends with 0, and is copied.
        unsafe {
            let budget = isl_ctx_get_max_operations(ctx);
            isl_ctx_set_max_operations(ctx, 0);
            let text = isl_map_to_str(map.keep());
            isl_ctx_set_max_operations(ctx, budget);
            if text.is_null() {
                return Err(self.failure());
            }
            let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
            free(text.cast());
            Ok(copy)
        }
    }
}

impl Drop for RawContext {
    fn drop(&mut self) {
        // SAFETY: all objects are freed, since relations have a reference to their context.
        unsafe { isl_ctx_free(self.0.as_ptr()) }
    }
}

macro_rules! raw {
    (take $type:ident) => { *mut $type };
    (keep $type:ident) => { *mut $type };
    (give $type:ident) => { *mut $type };
    (plain $type:ident) => { $type };
    (truth) => { c_int };
    (count) => { c_int };
}

macro_rules! safe {
    (take $type:ident) => { Handle<$type> };
    (keep $type:ident) => { &Handle<$type> };
    (give $type:ident) => { Handle<$type> };
    (plain $type:ident) => { $type };
    (truth) => { bool };
    (count) => { usize };
}

macro_rules! pass {
    ($value:ident: take) => {
        $value.take()
    };
    ($value:ident: keep) => {
        $value.keep()
    };
    ($value:ident: plain) => {
        $value
    };
}

macro_rules! outcome {
    ($context:ident, $result:ident: give) => {
        $context.handle($result)
    };
    ($context:ident, $result:ident: truth) => {
        match $result {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err($context.failure()),
        }
    };
    ($context:ident, $result:ident: count) => {
        usize::try_from($result).map_err(|_| $context.failure())
    };
}

/// Declares functions of isl, and a method of [`RawContext`] of the same name for each.
macro_rules! functions {
    ($($name:ident($($arg:ident: $owner:ident $type:ident),*) -> $result:ident $($object:ident)?;)*) => {
        mod ffi {
            use super::*;

            unsafe extern "C" {
                $(pub(super) fn $name($($arg: raw!($owner $type)),*) -> raw!($result $($object)?);)*
            }
        }

        impl RawContext {
            $(
                #[allow(clippy::too_many_arguments, reason = "the arguments are those of C")]
                pub(crate) fn $name(&self, $($arg: safe!($owner $type)),*) -> Result<safe!($result $($object)?), Failure> {
                    // SAFETY: handles are valid, and the function frees those that it takes, and no other.
                    let result = unsafe { ffi::$name($(pass!($arg: $owner)),*) };
                    outcome!(self, result: $result)
                }
            )*
        }
    };
}

functions! {
    isl_mat_set_element_si(mat: take Mat, row: plain c_int, column: plain c_int, value: plain c_int) -> give Mat;
    isl_mat_set_element_val(mat: take Mat, row: plain c_int, column: plain c_int, value: take Val) -> give Mat;
    isl_mat_get_element_val(mat: keep Mat, row: plain c_int, column: plain c_int) -> give Val;
    isl_mat_rows(mat: keep Mat) -> count;
    isl_mat_cols(mat: keep Mat) -> count;

    isl_basic_map_from_constraint_matrices(
        space: take Space, equalities: take Mat, inequalities: take Mat,
        first: plain Dim, second: plain Dim, third: plain Dim, fourth: plain Dim, fifth: plain Dim
    ) -> give BasicMap;
    isl_map_from_basic_map(basic: take BasicMap) -> give Map;
    isl_map_identity(space: take Space) -> give Map;
    isl_map_universe(space: take Space) -> give Map;
    isl_map_empty(space: take Space) -> give Map;
    isl_map_lex_lt(space: take Space) -> give Map;
    isl_map_lex_le(space: take Space) -> give Map;
    isl_map_copy(map: keep Map) -> give Map;

    isl_map_union(left: take Map, right: take Map) -> give Map;
    isl_map_intersect(left: take Map, right: take Map) -> give Map;
    isl_map_subtract(left: take Map, right: take Map) -> give Map;
    isl_map_apply_range(left: take Map, right: take Map) -> give Map;
    isl_map_flat_product(left: take Map, right: take Map) -> give Map;
    isl_map_coalesce(map: take Map) -> give Map;
    isl_map_compute_divs(map: take Map) -> give Map;
    isl_map_reverse(map: take Map) -> give Map;
    isl_map_lexmin(map: take Map) -> give Map;
    isl_map_lexmax(map: take Map) -> give Map;
    isl_map_fix_val(map: take Map, kind: plain Dim, position: plain c_uint, value: take Val) -> give Map;
    isl_map_project_out(map: take Map, kind: plain Dim, first: plain c_uint, count: plain c_uint) -> give Map;
    isl_map_insert_dims(map: take Map, kind: plain Dim, first: plain c_uint, count: plain c_uint) -> give Map;
    isl_map_move_dims(
        map: take Map, target: plain Dim, position: plain c_uint, source: plain Dim, first: plain c_uint,
        count: plain c_uint
    ) -> give Map;

    isl_map_domain(map: take Map) -> give Set;
    isl_map_range(map: take Map) -> give Set;
    isl_map_params(map: take Map) -> give Set;
    isl_map_wrap(map: take Map) -> give Set;
    isl_map_from_range(set: take Set) -> give Map;
    isl_map_intersect_domain(map: take Map, set: take Set) -> give Map;
    isl_map_intersect_range(map: take Map, set: take Set) -> give Map;
    isl_map_intersect_params(map: take Map, set: take Set) -> give Map;
    isl_map_subtract_domain(map: take Map, set: take Set) -> give Map;
    isl_map_subtract_range(map: take Map, set: take Set) -> give Map;

    isl_map_is_empty(map: keep Map) -> truth;
    isl_map_is_equal(left: keep Map, right: keep Map) -> truth;
    isl_map_is_subset(left: keep Map, right: keep Map) -> truth;
    isl_map_is_disjoint(left: keep Map, right: keep Map) -> truth;
    isl_map_is_single_valued(map: keep Map) -> truth;
    isl_map_is_injective(map: keep Map) -> truth;
    isl_map_plain_is_equal(left: keep Map, right: keep Map) -> truth;
    isl_map_n_basic_map(map: keep Map) -> count;

    isl_set_copy(set: keep Set) -> give Set;
    isl_set_lexmin(set: take Set) -> give Set;
    isl_set_sample_point(set: take Set) -> give Point;
    isl_point_is_void(point: keep Point) -> truth;
    isl_point_get_coordinate_val(point: keep Point, kind: plain Dim, position: plain c_int) -> give Val;

    isl_set_get_basic_set_list(set: keep Set) -> give BasicSetList;
    isl_basic_set_list_n_basic_set(list: keep BasicSetList) -> count;
    isl_basic_set_list_get_at(list: keep BasicSetList, position: plain c_int) -> give BasicSet;
    isl_basic_set_dim(set: keep BasicSet, kind: plain Dim) -> count;
    isl_basic_set_equalities_matrix(
        set: keep BasicSet, first: plain Dim, second: plain Dim, third: plain Dim, fourth: plain Dim
    ) -> give Mat;
    isl_basic_set_inequalities_matrix(
        set: keep BasicSet, first: plain Dim, second: plain Dim, third: plain Dim, fourth: plain Dim
    ) -> give Mat;
    isl_basic_set_get_local_space(set: keep BasicSet) -> give LocalSpace;
    isl_local_space_get_div(space: keep LocalSpace, position: plain c_int) -> give Aff;
    isl_aff_dim(aff: keep Aff, kind: plain Dim) -> count;
    isl_aff_get_div(aff: keep Aff, position: plain c_int) -> give Aff;
    isl_aff_get_denominator_val(aff: keep Aff) -> give Val;
    isl_val_copy(value: keep Val) -> give Val;
    isl_val_mul(left: take Val, right: take Val) -> give Val;
    isl_aff_get_constant_val(aff: keep Aff) -> give Val;
    isl_aff_get_coefficient_val(aff: keep Aff, kind: plain Dim, position: plain c_int) -> give Val;
}
