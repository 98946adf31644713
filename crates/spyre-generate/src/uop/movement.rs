//! Draws operations that move elements.

use super::{Draw, MOST_ELEMENTS, elements};

impl Draw {
    /// Adds a movement of a node, if it has one of the kind that is drawn.
    pub(super) fn movement(&mut self) {
        let source = self.pick(|_| true).expect("there is an input");
        let shape = self.nodes[source].shape.clone();
        match self.numbers.below(9) {
            0 => self.permute(source, &shape),
            1 => self.flip(source, &shape),
            2 => self.reshape(source, &shape),
            3 => self.expand(source, &shape),
            4 => self.pad(source, &shape),
            5 => self.shrink(source, &shape),
            6 => self.index(source, &shape),
            7 => self.stack(source, &shape),
            _ => self.marker(source, &shape),
        }
    }

    fn permute(&mut self, source: usize, shape: &[u64]) {
        let mut perm: Vec<usize> = (0..shape.len()).collect();
        self.numbers.shuffle(&mut perm);
        let to: Vec<u64> = perm.iter().map(|axis| shape[*axis]).collect();
        self.moved("Permute", &to, source, &format!("\"perm\":{perm:?}"));
    }

    fn flip(&mut self, source: usize, shape: &[u64]) {
        let axes: Vec<bool> = shape.iter().map(|_| self.numbers.one_in(2)).collect();
        self.moved("Flip", shape, source, &format!("\"axes\":{axes:?}"));
    }

    /// Splits the number of elements into random factors.
    fn reshape(&mut self, source: usize, shape: &[u64]) {
        let mut rest = elements(shape);
        let mut to = Vec::new();
        if rest == 0 {
            to.push(0);
            rest = 1;
        }
        while rest > 1 && to.len() < 4 {
            let factors: Vec<u64> = (1..=rest)
                .filter(|factor| rest.is_multiple_of(*factor))
                .collect();
            let factor = self.numbers.pick(&factors);
            to.push(factor);
            rest /= factor;
        }
        if rest > 1 || self.numbers.one_in(3) {
            to.push(rest);
        }
        self.moved("Reshape", &to, source, &format!("\"shape\":{to:?}"));
    }

    fn expand(&mut self, source: usize, shape: &[u64]) {
        let mut to = shape.to_vec();
        for axis in 0..to.len() {
            let by = self.numbers.below(5);
            if to[axis] == 1 && elements(&to) * by <= MOST_ELEMENTS {
                to[axis] = by;
            }
        }
        self.moved("Expand", &to, source, &format!("\"shape\":{to:?}"));
    }

    fn pad(&mut self, source: usize, shape: &[u64]) {
        let mut offset = Vec::new();
        let mut to = Vec::new();
        for extent in shape {
            let (before, after) = (self.numbers.below(3), self.numbers.below(3));
            offset.push(before);
            to.push(before + extent + after);
        }
        if elements(&to) <= MOST_ELEMENTS {
            let id = self.moved(
                "Pad",
                &to,
                source,
                &format!("\"offset\":{offset:?},\"shape\":{to:?}"),
            );
            // Zeros are no values of the input.
            self.nodes[id].is_moderate = false;
        }
    }

    fn shrink(&mut self, source: usize, shape: &[u64]) {
        let mut offset = Vec::new();
        let mut to = Vec::new();
        for extent in shape {
            let count = self.numbers.between(u64::from(*extent > 0), *extent);
            offset.push(self.numbers.below(extent - count + 1));
            to.push(count);
        }
        self.moved(
            "Shrink",
            &to,
            source,
            &format!("\"offset\":{offset:?},\"shape\":{to:?}"),
        );
    }

    /// Adds an index by constant positions: scalars and vectors.
    fn index(&mut self, source: usize, shape: &[u64]) {
        if shape.contains(&0) {
            return; // There is no position in an axis of extent 0.
        }
        let mut sources = vec![source];
        let mut to = Vec::new();
        let count = self.numbers.below(shape.len() as u64 + 1) as usize;
        for extent in &shape[..count] {
            let dtype = self.numbers.pick(&["i8", "i32", "i64", "u16", "index"]);
            let many = self.numbers.below(4);
            let scalars: Vec<usize> = (0..many.max(1))
                .map(|_| {
                    let value = self.numbers.below(*extent);
                    self.add("Const", dtype, &[], &[], &format!("\"value\":{value}"))
                })
                .collect();
            if many == 0 {
                sources.push(scalars[0]);
            } else {
                to.push(many);
                sources.push(self.add("Stack", dtype, &[many], &scalars, ""));
            }
        }
        to.extend(&shape[count..]);
        if elements(&to) <= MOST_ELEMENTS {
            let is_moderate = self.nodes[source].is_moderate;
            let dtype = self.nodes[source].dtype;
            let id = self.add("Index", dtype, &to, &sources, "");
            self.nodes[id].is_moderate = is_moderate;
        }
    }

    fn stack(&mut self, source: usize, shape: &[u64]) {
        let dtype = self.nodes[source].dtype;
        let mut sources = vec![source];
        for _ in 0..self.numbers.below(3) {
            let other = self.pick(|node| node.dtype == dtype && node.shape == shape);
            sources.extend(other);
        }
        let count = sources.len() as u64;
        if elements(shape) * count <= MOST_ELEMENTS {
            let to: Vec<u64> = [count].into_iter().chain(shape.iter().copied()).collect();
            let is_moderate = sources.iter().all(|source| self.nodes[*source].is_moderate);
            let id = self.add("Stack", dtype, &to, &sources, "");
            self.nodes[id].is_moderate = is_moderate;
        }
    }

    fn marker(&mut self, source: usize, shape: &[u64]) {
        let op = self
            .numbers
            .pick(&["Detach", "Contiguous", "ContiguousBackward"]);
        self.moved(op, shape, source, "");
    }
}
