//! The order of loops, and the sort of Python that decides it.

use std::cmp::Ordering;

/// Returns the loops in the order in which memory is filled, the innermost one first.
///
/// `strides` has for each access the stride of each loop, in elements; `is_one` marks loops of one iteration. Of two
/// loops, the one with the smaller stride in more accesses is the inner one. An access to which a loop does not matter
/// votes for both.
#[must_use]
pub fn pick(strides: &[Vec<i64>], is_one: &[bool]) -> Vec<usize> {
    let votes = |a: usize, b: usize| {
        let is_first = |candidate_strides: &&Vec<i64>| {
            let (a, b) = (
                candidate_strides[a].unsigned_abs(),
                candidate_strides[b].unsigned_abs(),
            );
            b == 0 || a < b
        };
        strides.iter().filter(is_first).count()
    };
    let compare = |a: &usize, b: &usize| {
        let (a, b) = (*a, *b);
        if is_one[a] || is_one[b] {
            return is_one[a].cmp(&is_one[b]);
        }
        votes(b, a).cmp(&votes(a, b)).then(b.cmp(&a))
    };
    let mut order: Vec<usize> = (0..is_one.len()).rev().collect();
    sort(&mut order, |a, b| compare(a, b) == Ordering::Less);
    order
}

/// The longest list that is sorted by insertion alone.
const SHORT: usize = 64;

/// Sorts as Python's `list.sort` does, with the same comparisons: `less` need not be a total order, and then the result
/// depends on the comparisons.
///
/// Lists of 64 elements and more are sorted by runs that are merged, without the galloping of Python.
pub fn sort<T: Clone>(list: &mut [T], mut less: impl FnMut(&T, &T) -> bool) {
    if list.len() < SHORT {
        insert(list, &mut less);
        return;
    }
    let middle = list.len() / 2;
    let (left, right) = list.split_at_mut(middle);
    sort(left, &mut less as &mut dyn FnMut(&T, &T) -> bool);
    sort(right, &mut less as &mut dyn FnMut(&T, &T) -> bool);
    let (left, right) = (left.to_vec(), right.to_vec());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    for place in list {
        let is_right = match (left.peek(), right.peek()) {
            (Some(left), Some(right)) => less(right, left),
            (left, _) => left.is_none(),
        };
        let next = if is_right { right.next() } else { left.next() };
        *place = next.expect("there are as many elements as places");
    }
}

/// Sorts by binary insertion after the ascending or descending run at the start.
fn insert<T: Clone>(list: &mut [T], less: &mut impl FnMut(&T, &T) -> bool) {
    if list.len() < 2 {
        return;
    }
    let is_descending = less(&list[1], &list[0]);
    let mut run = 2;
    while run < list.len() && less(&list[run], &list[run - 1]) == is_descending {
        run += 1;
    }
    if is_descending {
        list[..run].reverse();
    }
    for next in run..list.len() {
        let (mut low, mut high) = (0, next);
        while low < high {
            let middle = low + (high - low) / 2;
            if less(&list[next], &list[middle]) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        list[low..=next].rotate_right(1);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn channels_last_is_found() {
        // A read of NCHW with strides of NHWC.
        let order = pick(&[vec![210, 1, 42, 6]], &[false; 4]);
        assert_eq!(order, [1, 3, 2, 0]);
    }

    #[test]
    fn loops_of_one_iteration_are_last() {
        let order = pick(&[vec![3840, 0]], &[false, true]);
        assert_eq!(order, [0, 1]);
    }

    #[test]
    fn an_order_that_is_none_is_sorted_as_python_does() {
        // Scissors, paper, stone: sorted([3, 1, 4, 0, 5, 2, 6, 8, 7], key=cmp_to_key(lambda a, b: -1 if (a - b) % 3 == 1 else int((a - b) % 3 == 2))).
        let mut list = [3, 1, 4, 0, 5, 2, 6, 8, 7];
        sort(&mut list, |a: &i32, b: &i32| (a - b).rem_euclid(3) == 1);
        assert_eq!(list, SCISSORS);
    }

    const SCISSORS: [i32; 9] = [1, 4, 7, 3, 0, 6, 5, 2, 8];

    proptest! {
        #[test]
        fn equal_elements_stay_in_order(list in proptest::collection::vec((0_u8..9, 0_u32..1000), 0..300)) {
            let mut order = list.clone();
            let mut expected = list;
            sort(&mut order, |a, b| a.0 < b.0);
            expected.sort_by_key(|element| element.0);
            prop_assert_eq!(order, expected);
        }
    }
}
