//! Elements in disjoint sets.

/// Elements `0`, `1`, ... in disjoint sets. The smallest element of a set represents it, so names of sets do not depend
/// on the order in which they were united.
#[derive(Clone, Debug, Default)]
pub struct DisjointSets {
    /// For each element one of its set that is no larger; itself for the smallest.
    parents: Vec<usize>,
}

impl DisjointSets {
    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// Adds an element in a new set. Returns the element.
    pub fn push(&mut self) -> usize {
        self.parents.push(self.parents.len());
        self.parents.len() - 1
    }

    /// Returns the smallest element of the set of an element.
    #[must_use]
    pub fn first(&self, mut element: usize) -> usize {
        while self.parents[element] != element {
            element = self.parents[element];
        }
        element
    }

    /// Unites the sets of two elements.
    pub fn unite(&mut self, one: usize, other: usize) {
        let (one, other) = (self.shorten(one), self.shorten(other));
        self.parents[one.max(other)] = one.min(other);
    }

    /// Returns the smallest element of a set, and makes all elements on the path point to it, so that paths stay short.
    fn shorten(&mut self, element: usize) -> usize {
        let first = self.first(element);
        let mut at = element;
        while self.parents[at] != first {
            at = std::mem::replace(&mut self.parents[at], first);
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_element_stands_for_its_set() {
        let mut sets = DisjointSets::default();
        let elements: Vec<usize> = (0..6).map(|_| sets.push()).collect();
        sets.unite(4, 5);
        sets.unite(2, 4);
        sets.unite(5, 1);
        let firsts: Vec<usize> = elements
            .iter()
            .map(|element| sets.first(*element))
            .collect();
        assert_eq!(firsts, [0, 1, 1, 3, 1, 1]);
        sets.unite(1, 5);
        assert_eq!(sets.first(2), 1);
        assert_eq!(sets.len(), 6);
    }
}
