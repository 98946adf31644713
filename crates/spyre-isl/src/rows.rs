//! Relations as rows of numbers: the form in which they come in and go out.

use std::ffi::{c_int, c_uint};
use std::fmt;

use crate::failure::Failure;
use crate::handle::{
    Aff, BasicMap, BasicSet, CONSTANT, DIV, Dim, Handle, IN, Map, Mat, OUT, PARAM, RawContext, Val,
};

/// The numbers of dimensions of a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Shape {
    /// Numbers that are the same for both points, such as a dynamic size.
    pub params: usize,
    /// Coordinates of the first point; 0 for a set.
    pub ins: usize,
    /// Coordinates of the second point.
    pub outs: usize,
}

impl Shape {
    /// Returns the number of parameters and coordinates.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.params + self.ins + self.outs
    }

    /// Returns the numbers as isl takes them.
    pub(crate) fn counts(self) -> Result<[c_uint; 3], Failure> {
        Ok([count(self.params)?, count(self.ins)?, count(self.outs)?])
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { params, ins, outs } = self;
        write!(
            formatter,
            "{params} parameters, {ins} inputs and {outs} outputs"
        )
    }
}

/// A quotient, rounded down: the integer `floor(numerator . columns / denominator)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Div {
    /// The coefficients of the columns. The columns of this quotient and of those after it are zero, and may be left
    /// out.
    pub numerator: Vec<i64>,
    /// The divisor, at least 1.
    pub denominator: i64,
}

/// A conjunction of equalities and inequalities.
///
/// The columns of a row are the constant, parameters, inputs, outputs, quotients and further existentials, in this
/// order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Basic {
    /// The numbers of parameters, inputs and outputs.
    pub shape: Shape,
    /// Quotients, each of the columns before it.
    pub divs: Vec<Div>,
    /// The number of existentials that are no quotients.
    pub locals: usize,
    /// Rows with `row . columns = 0`.
    pub equalities: Vec<Vec<i64>>,
    /// Rows with `row . columns >= 0`.
    pub inequalities: Vec<Vec<i64>>,
}

impl Basic {
    /// Returns the conjunction without rows, which all pairs of points fulfil.
    #[must_use]
    pub fn universe(shape: Shape) -> Self {
        Self {
            shape,
            ..Self::default()
        }
    }

    /// Returns the length of a row.
    #[must_use]
    pub fn columns(&self) -> usize {
        1 + self.shape.dims() + self.divs.len() + self.locals
    }

    /// Returns the two inequalities that define a quotient: `0 <= numerator - denominator * div < denominator`.
    fn definition(&self, position: usize) -> Result<[Vec<i64>; 2], Failure> {
        let Div {
            numerator,
            denominator,
        } = &self.divs[position];
        let column = 1 + self.shape.dims() + position;
        if *denominator < 1 {
            return Err(Failure::Internal(format!(
                "the denominator of quotient {position} is {denominator}, and has to be at least 1"
            )));
        }
        if let Some(later) = (column..numerator.len()).find(|&later| numerator[later] != 0) {
            return Err(Failure::Internal(format!(
                "quotient {position} is column {column}, and its numerator has column {later}"
            )));
        }
        let mut numerator = numerator.clone();
        numerator.resize(self.columns(), 0);
        bounds(&numerator, *denominator, column)
    }

    /// Returns the relation in isl.
    pub(crate) fn import(&self, raw: &RawContext) -> Result<Handle<BasicMap>, Failure> {
        let mut inequalities = self.inequalities.clone();
        for position in 0..self.divs.len() {
            inequalities.extend(self.definition(position)?);
        }
        // isl reads all columns after the outputs as existentials, and finds the quotients among them by their
        // inequalities: it has no entry for rows with quotients.
        raw.isl_basic_map_from_constraint_matrices(
            raw.space(self.shape.counts()?)?,
            self.matrix(raw, &self.equalities)?,
            self.matrix(raw, &inequalities)?,
            CONSTANT,
            PARAM,
            IN,
            OUT,
            DIV,
        )
    }

    fn matrix(&self, raw: &RawContext, rows: &[Vec<i64>]) -> Result<Handle<Mat>, Failure> {
        let columns = self.columns();
        let mut matrix = raw.mat(count(rows.len())?, count(columns)?)?;
        for (i, row) in rows.iter().enumerate() {
            if row.len() != columns {
                return Err(Failure::Internal(format!(
                    "row {i} has {} columns, and its relation has {columns}",
                    row.len()
                )));
            }
            for (j, &number) in row.iter().enumerate() {
                let (i, j) = (index(i)?, index(j)?);
                // Addresses do not fit into the `int` of the faster call.
                matrix = match c_int::try_from(number) {
                    Ok(number) => raw.isl_mat_set_element_si(matrix, i, j, number)?,
                    Err(_) => raw.isl_mat_set_element_val(matrix, i, j, raw.val(number)?)?,
                };
            }
        }
        Ok(matrix)
    }
}

/// A pair of points, and parameters for which a relation has it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Point {
    /// The parameters.
    pub params: Vec<i64>,
    /// The coordinates of the first point; none for a set.
    pub ins: Vec<i64>,
    /// The coordinates of the second point.
    pub outs: Vec<i64>,
}

/// Returns the conjunctions of a relation.
pub(crate) fn export(
    raw: &RawContext,
    map: Handle<Map>,
    shape: Shape,
) -> Result<Vec<Basic>, Failure> {
    // Rows alone do not define an existential, since isl leaves out the inequalities of those with a definition. With
    // definitions for all, none is lost; it may take more conjunctions.
    let map = raw.isl_map_compute_divs(map)?;
    // isl gives the definitions for sets alone. The set of pairs has the columns of the relation.
    let list = raw.isl_set_get_basic_set_list(&raw.isl_map_wrap(map)?)?;
    (0..raw.isl_basic_set_list_n_basic_set(&list)?)
        .map(|position| {
            let set = raw.isl_basic_set_list_get_at(&list, index(position)?)?;
            export_basic(raw, &set, shape)
        })
        .collect()
}

fn export_basic(raw: &RawContext, set: &Handle<BasicSet>, shape: Shape) -> Result<Basic, Failure> {
    let space = raw.isl_basic_set_get_local_space(set)?;
    let mut quotients = Quotients {
        raw,
        shape,
        divs: Vec::new(),
    };
    let columns: Vec<usize> = (0..raw.isl_basic_set_dim(set, DIV)?)
        .map(|position| quotients.column(&raw.isl_local_space_get_div(&space, index(position)?)?))
        .collect::<Result<_, Failure>>()?;
    let width = quotients.fixed() + quotients.divs.len();
    let arranged = |row: Vec<i64>| {
        let mut result = vec![0; width];
        let (fixed, existentials) = row.split_at(quotients.fixed());
        result[..fixed.len()].copy_from_slice(fixed);
        for (&column, &coefficient) in columns.iter().zip(existentials) {
            result[column] = coefficient.checked_add(result[column])?;
        }
        Some(result)
    };
    let rows = |matrix: Handle<Mat>| -> Result<Vec<Vec<i64>>, Failure> {
        let rows = numbers(raw, &matrix)?.into_iter().map(arranged);
        rows.map(|row| row.ok_or_else(too_large)).collect()
    };
    let mut basic = Basic {
        shape,
        divs: Vec::new(),
        locals: 0,
        equalities: rows(raw.isl_basic_set_equalities_matrix(set, CONSTANT, PARAM, OUT, DIV)?)?,
        inequalities: rows(raw.isl_basic_set_inequalities_matrix(set, CONSTANT, PARAM, OUT, DIV)?)?,
    };
    basic.divs = quotients.divs;
    for div in &mut basic.divs {
        div.numerator.resize(width, 0);
    }
    Ok(basic)
}

/// The quotients of a conjunction, each once.
///
/// isl writes each quotient as an expression with quotients of its own, at other positions and simplified in another
/// way than those of the conjunction. So quotients are compared by their rows, and equal rows are one column.
struct Quotients<'a> {
    raw: &'a RawContext,
    shape: Shape,
    /// Without zeros at the end of numerators, so that equal rows are equal.
    divs: Vec<Div>,
}

impl Quotients<'_> {
    /// Returns the first column of quotients.
    fn fixed(&self) -> usize {
        1 + self.shape.dims()
    }

    /// Returns the column of a quotient, after those of the quotients that occur in it.
    fn column(&mut self, quotient: &Handle<Aff>) -> Result<usize, Failure> {
        let raw = self.raw;
        let denominator = raw.isl_aff_get_denominator_val(quotient)?;
        // isl's coefficients are fractions, with the denominator in each.
        let whole = |coefficient: Handle<Val>| {
            raw.number(&raw.isl_val_mul(coefficient, raw.isl_val_copy(&denominator)?)?)
        };
        let coefficient = |kind: Dim, column: usize| {
            whole(raw.isl_aff_get_coefficient_val(quotient, kind, index(column)?)?)
        };
        let mut numerator = vec![whole(raw.isl_aff_get_constant_val(quotient)?)?];
        let kinds = [
            (PARAM, self.shape.params),
            (IN, self.shape.ins + self.shape.outs),
        ];
        for (kind, length) in kinds {
            for column in 0..length {
                numerator.push(coefficient(kind, column)?);
            }
        }
        for position in 0..raw.isl_aff_dim(quotient, DIV)? {
            let factor = coefficient(DIV, position)?;
            if factor != 0 {
                let column = self.column(&raw.isl_aff_get_div(quotient, index(position)?)?)?;
                numerator.resize(numerator.len().max(column + 1), 0);
                let sum = numerator[column].checked_add(factor);
                numerator[column] = sum.ok_or_else(too_large)?;
            }
        }
        while numerator.last() == Some(&0) {
            numerator.pop();
        }
        let div = Div {
            numerator,
            denominator: raw.number(&denominator)?,
        };
        let existing = self.divs.iter().position(|other| *other == div);
        let position = existing.unwrap_or_else(|| {
            self.divs.push(div);
            self.divs.len() - 1
        });
        Ok(self.fixed() + position)
    }
}

fn too_large() -> Failure {
    Failure::TooLarge("a coefficient does not fit into 64 bits".to_owned())
}

fn numbers(raw: &RawContext, matrix: &Handle<Mat>) -> Result<Vec<Vec<i64>>, Failure> {
    let columns = raw.isl_mat_cols(matrix)?;
    let row = |i: usize| -> Result<Vec<i64>, Failure> {
        (0..columns)
            .map(|j| raw.number(&raw.isl_mat_get_element_val(matrix, index(i)?, index(j)?)?))
            .collect()
    };
    (0..raw.isl_mat_rows(matrix)?).map(row).collect()
}

/// Returns the two inequalities that define the quotient in `column`.
fn bounds(numerator: &[i64], denominator: i64, column: usize) -> Result<[Vec<i64>; 2], Failure> {
    let overflow = || {
        Failure::TooLarge(format!(
            "the numerator of the quotient in column {column} does not fit into 64 bits"
        ))
    };
    let mut lower = numerator.to_vec();
    let upper: Option<Vec<i64>> = lower.iter().map(|number| number.checked_neg()).collect();
    let mut upper = upper.ok_or_else(overflow)?;
    lower[column] = -denominator;
    upper[column] = denominator;
    upper[0] = upper[0].checked_add(denominator - 1).ok_or_else(overflow)?;
    Ok([lower, upper])
}

/// Returns a number of dimensions or rows as isl takes it.
pub(crate) fn count(number: usize) -> Result<c_uint, Failure> {
    c_uint::try_from(number).map_err(|_| too_many(number))
}

/// Returns a position as isl takes it.
pub(crate) fn index(number: usize) -> Result<c_int, Failure> {
    c_int::try_from(number).map_err(|_| too_many(number))
}

fn too_many(number: usize) -> Failure {
    Failure::TooLarge(format!("{number} dimensions or rows are too many for isl"))
}
