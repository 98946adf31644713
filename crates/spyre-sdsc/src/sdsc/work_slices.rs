//! The slices that each core works on, as one table: a file has one row per core, and every row names the same
//! dimensions.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{Named, PerCore, Text};

/// The slice of every core along every dimension. Written and read as an object per core, keyed by dimension.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkSlices {
    dims: Vec<Text>,
    /// The numbers of the cores that have a row.
    cores: Vec<u32>,
    /// A row per core, each with a slice per dimension.
    slices: Vec<u64>,
}

impl WorkSlices {
    /// The table with a row from `of_core` for each of `cores`; `None` if a row does not have one slice per
    /// dimension.
    pub fn new<R: IntoIterator<Item = u64>>(
        dims: Vec<Text>,
        cores: impl IntoIterator<Item = u32>,
        of_core: impl Fn(u32) -> Option<R>,
    ) -> Option<Self> {
        let rank = dims.len();
        let cores: Vec<u32> = cores.into_iter().collect();
        let mut slices = Vec::with_capacity(rank.checked_mul(cores.len())?);
        for core in cores.iter().copied() {
            let before = slices.len();
            slices.extend(of_core(core)?);
            if slices.len() - before != rank {
                return None;
            }
        }
        Some(Self {
            dims,
            cores,
            slices,
        })
    }

    /// The dimensions, in the order of the rows.
    pub fn dims(&self) -> &[Text] {
        &self.dims
    }

    /// The cores that have a row, in the order of the rows: all of them, except in a relayout of a value that only
    /// some cores have.
    pub fn cores(&self) -> &[u32] {
        &self.cores
    }

    /// The slice of a core along each of [`dims`](Self::dims); `None` for a core without work.
    pub fn of_core(&self, core: u32) -> Option<&[u64]> {
        let row = self.cores.iter().position(|other| *other == core)?;
        let rank = self.dims.len();
        let start = row * rank;
        Some(&self.slices[start..start + rank])
    }
}

/// One row, for serialisation.
struct Row<'a>(&'a [Text], &'a [u64]);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().zip(self.1))
    }
}

impl Serialize for WorkSlices {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.cores.len()))?;
        let rank = self.dims.len();
        for (row, core) in self.cores.iter().enumerate() {
            let slices = &self.slices[row * rank..(row + 1) * rank];
            map.serialize_entry(core, &Row(&self.dims, slices))?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for WorkSlices {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rows = PerCore::<Named<u64>>::deserialize(deserializer)?;
        let mut table = Self::default();
        for (core, row) in rows.iter() {
            if table.cores.contains(core) {
                return Err(D::Error::custom(format!(
                    "slices of core {core} are given twice"
                )));
            }
            if table.cores.is_empty() {
                table.dims = row.keys().cloned().collect();
            }
            if !row.keys().eq(&table.dims) {
                return Err(D::Error::custom(format!(
                    "core {core} has slices along other dimensions than the first core"
                )));
            }
            table.slices.extend(row.iter().map(|(_, slice)| *slice));
            table.cores.push(*core);
        }
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"0":{"mb":0,"out":0},"1":{"mb":1,"out":0}}"#;

    #[test]
    fn rows_are_read_back_as_they_are_written() -> Result<(), serde_json::Error> {
        let dims = vec!["mb".into(), "out".into()];
        let table = WorkSlices::new(dims, 0..2, |core| Some([u64::from(core), 0]));
        let table = table.expect("two slices per row");
        assert_eq!(serde_json::to_string(&table)?, TEXT);
        assert_eq!(serde_json::from_str::<WorkSlices>(TEXT)?, table);
        assert_eq!(table.of_core(1), Some(&[1, 0][..]));
        assert_eq!(table.of_core(2), None);
        Ok(())
    }

    #[test]
    fn some_cores_have_rows() -> Result<(), serde_json::Error> {
        let dims = vec!["mb".into()];
        let table = WorkSlices::new(dims, [3, 7], |core| Some([u64::from(core / 4)]));
        let table = table.expect("one slice per row");
        let text = r#"{"3":{"mb":0},"7":{"mb":1}}"#;
        assert_eq!(serde_json::to_string(&table)?, text);
        assert_eq!(serde_json::from_str::<WorkSlices>(text)?, table);
        assert_eq!(table.cores(), [3, 7]);
        assert_eq!((table.of_core(7), table.of_core(0)), (Some(&[1][..]), None));
        Ok(())
    }

    #[test]
    fn a_table_without_dimensions_still_has_cores() -> Result<(), serde_json::Error> {
        let table = WorkSlices::new(vec![], 0..2, |_| Some([])).expect("no slices per row");
        assert_eq!(serde_json::to_string(&table)?, r#"{"0":{},"1":{}}"#);
        assert_eq!(serde_json::to_string(&WorkSlices::default())?, "{}");
        Ok(())
    }

    #[test]
    fn rows_that_differ_in_form_are_refused() {
        assert_eq!(
            WorkSlices::new(vec!["mb".into()], 0..1, |_| Some([0, 0])),
            None
        );
        for (text, expected) in [
            (
                r#"{"0":{"mb":0},"0":{"mb":1}}"#,
                "slices of core 0 are given twice",
            ),
            (
                r#"{"0":{"mb":0},"1":{"out":1}}"#,
                "core 1 has slices along other dimensions",
            ),
            (
                r#"{"0":{"mb":0},"1":{}}"#,
                "core 1 has slices along other dimensions",
            ),
        ] {
            let message = serde_json::from_str::<WorkSlices>(text)
                .map(|_| ())
                .map_err(|error| error.to_string());
            assert!(
                message.as_ref().is_err_and(|m| m.contains(expected)),
                "{message:?}"
            );
        }
    }
}
