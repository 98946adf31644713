//! Changes of files at random.

use proptest::prelude::Rng;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

/// Changes values of JSON, the same ones in every run.
pub(crate) struct Mutations {
    runner: TestRunner,
    /// The values that stand in place of a number.
    numbers: Vec<Value>,
    /// The texts that stand in place of a text.
    texts: &'static [&'static str],
}

impl Mutations {
    /// Makes changes to these numbers and texts.
    pub(crate) fn of_json(numbers: Vec<Value>, texts: &'static [&'static str]) -> Self {
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
        Self {
            runner: TestRunner::new_with_rng(Config::default(), rng),
            numbers,
            texts,
        }
    }

    /// Returns a number below another one.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.runner.rng().next_u32()).expect("it has 32 bits") % count
    }

    /// Changes one or two values, anywhere in a value.
    pub(crate) fn edit(&mut self, value: &mut Value) {
        let edits = 1 + self.below(2);
        for _ in 0..edits {
            let target = self.below(size(value));
            self.change(value, target, &mut 0);
        }
    }

    /// Changes the value of a number, counted from the outermost one.
    fn change(&mut self, value: &mut Value, target: usize, seen: &mut usize) {
        if *seen == target {
            *value = self.wrong(value);
            *seen += 1;
            return;
        }
        *seen += 1;
        match value {
            Value::Array(list) => {
                for element in list {
                    self.change(element, target, seen);
                }
            }
            Value::Object(fields) => {
                for (_, element) in fields.iter_mut() {
                    self.change(element, target, seen);
                }
            }
            _ => {}
        }
    }

    /// Returns something else than a value.
    fn wrong(&mut self, value: &Value) -> Value {
        match (value, self.below(4)) {
            (Value::Number(_), 0..3) => {
                let at = self.below(self.numbers.len());
                self.numbers[at].clone()
            }
            (Value::String(text), 0..3) => match self.below(self.texts.len() + 1) {
                number if number < self.texts.len() => json!(self.texts[number]),
                _ => json!(format!("{text}x")),
            },
            (Value::Array(list), 0..3) => {
                let mut list = list.clone();
                if list.is_empty() {
                    return json!([1]);
                }
                let at = self.below(list.len());
                match self.below(3) {
                    0 => {
                        list.remove(at);
                    }
                    1 => list.push(list[at].clone()),
                    _ => list.reverse(),
                }
                list.into()
            }
            (Value::Object(fields), 0..3) => {
                let mut fields = fields.clone();
                let keys: Vec<String> = fields.keys().cloned().collect();
                if !keys.is_empty() {
                    let key = &keys[self.below(keys.len())];
                    fields.remove(key);
                }
                fields.into()
            }
            _ => [
                json!(null),
                json!({}),
                json!([]),
                json!("x"),
                json!(true),
                json!(7),
            ][self.below(6)]
            .clone(),
        }
    }
}

/// Returns the number of values in a value, itself included.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(size).sum(),
        Value::Object(fields) => fields.values().map(size).sum::<usize>(),
        _ => 0,
    }
}
