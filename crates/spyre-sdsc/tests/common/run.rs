//! Executes the function of a bundle, as the device would.

use rustc_hash::FxHashMap;

use spyre_sdsc::Bundle;
use spyre_sdsc::bundle::{ParamBinding, Stmt, ValueId};
use spyre_sdsc::sdsc::StartAddress;

/// Where every core starts in every tensor, in one execution of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Execution {
    /// The file.
    pub file: String,
    /// Per tensor and core, in bytes.
    pub starts: Vec<Vec<u64>>,
}

/// Returns the executions of a bundle, in order, if each parameter has the given value.
pub(crate) fn run(bundle: &Bundle, value_of: impl Fn(&ParamBinding) -> u64) -> Vec<Execution> {
    let function = bundle.function();
    let mut machine = Machine {
        bundle,
        files: FxHashMap::default(),
        values: FxHashMap::default(),
        executed: Vec::new(),
    };
    for param in &function.params {
        machine.values.insert(param.value, value_of(&param.binding));
    }
    machine.block(&function.body);
    machine.executed
}

struct Machine<'a> {
    bundle: &'a Bundle,
    /// The start addresses in files that were executed, per tensor and core.
    files: FxHashMap<String, Vec<Vec<StartAddress>>>,
    values: FxHashMap<ValueId, u64>,
    executed: Vec<Execution>,
}

impl Machine<'_> {
    fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            let (result, value) = match stmt {
                Stmt::DeviceMemAllocate { result, .. } => (result, 1 << 40),
                Stmt::InputArgExtract { result, param, .. } => (result, self.values[param]),
                Stmt::Constant { result, value } => (result, *value),
                Stmt::AddI { result, lhs, rhs } => (result, self.values[lhs] + self.values[rhs]),
                Stmt::Apply {
                    result,
                    map,
                    ivs,
                    base,
                } => {
                    let strides = &self.bundle.function().maps[*map].strides;
                    assert_eq!(strides.len(), ivs.len());
                    let moved = strides
                        .iter()
                        .zip(ivs.iter())
                        .map(|(s, iv)| s.get() * self.values[iv]);
                    (result, self.values[base] + moved.sum::<u64>())
                }
                Stmt::For {
                    iv,
                    lower,
                    upper,
                    step,
                    body,
                } => {
                    let (mut now, end) = (self.values[lower], self.values[upper]);
                    while now < end {
                        self.values.insert(*iv, now);
                        self.block(body);
                        now += self.values[step];
                    }
                    continue;
                }
                Stmt::Execute {
                    operands,
                    filename,
                    symbol_ids,
                } => {
                    let bound = symbol_ids.iter().map(|id| id.get());
                    let bound: FxHashMap<i64, u64> =
                        bound.zip(operands.iter().map(|v| self.values[v])).collect();
                    let starts = self.starts(filename, &bound);
                    self.executed.push(Execution {
                        file: filename.clone(),
                        starts,
                    });
                    continue;
                }
            };
            self.values.insert(*result, value);
        }
    }

    /// The start addresses that a file holds, with symbols bound.
    fn starts(&mut self, name: &str, bound: &FxHashMap<i64, u64>) -> Vec<Vec<u64>> {
        if !self.files.contains_key(name) {
            let starts = read_starts(self.bundle, name);
            self.files.insert(name.to_owned(), starts);
        }
        let resolve = |start: &StartAddress| match start {
            StartAddress::Number(address) => address.get(),
            StartAddress::Symbol(symbol) => bound[&symbol.get()],
        };
        let tensors = self.files[name].iter();
        tensors
            .map(|cores| cores.iter().map(resolve).collect())
            .collect()
    }
}

fn read_starts(bundle: &Bundle, name: &str) -> Vec<Vec<StartAddress>> {
    let mut files = bundle.sdsc_files().iter();
    let file = files.find(|file| file.name() == name).expect("the file");
    let sdsc = file.sdsc();
    let (_, body) = sdsc.root.iter().next().expect("one entry");
    let (_, dsc) = body.dscs[0].iter().next().expect("one computation");
    let starts = dsc.schedule_tree.iter().map(|node| {
        let starts = node.start_address.data.iter();
        starts.map(|(_, start)| *start).collect()
    });
    starts.collect()
}
