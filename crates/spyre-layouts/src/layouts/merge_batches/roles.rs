//! Decides which batch dimensions of a product are merged. This module does not use the IR.

use super::super::MOST_OF_A_ROLE;

/// The tensors of a product that have a batch dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// All tensors of the product.
    Shared,
    /// The left operand and the result, which have the rows.
    Preserved,
}

/// A batch dimension of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Batch {
    /// The extent in the result, in elements.
    pub extent: i64,
    /// The tensors that have it.
    pub role: Role,
    /// Whether it has to stay a separate dimension.
    pub is_fixed: bool,
}

/// The batch dimensions of a product as fewer ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Merging {
    /// The order of the batch dimensions in which merged ones are next to each other.
    pub order: Vec<usize>,
    /// The batch dimensions that become each one, in that order. Dimensions of one element are in none.
    groups: Vec<Vec<usize>>,
    /// The batch dimensions that become rows.
    in_rows: Vec<usize>,
}

impl Merging {
    /// Returns whether the batch dimensions stay in their order.
    pub(super) fn keeps_order(&self) -> bool {
        self.order.is_sorted()
    }

    /// Returns the extents of the merged batch dimensions of a tensor with these batch dimensions.
    pub(super) fn extents(&self, batch: &[i64]) -> Vec<i64> {
        let product = |dims: &Vec<usize>| dims.iter().map(|dim| batch[*dim]).product();
        self.groups.iter().map(product).collect()
    }

    /// Returns how many rows each row becomes, for the result's batch dimensions.
    pub(super) fn rows(&self, batch: &[i64]) -> i64 {
        self.in_rows.iter().map(|dim| batch[*dim]).product()
    }

    /// Returns the permutation of the result from the order of the merging back to the original one.
    pub(super) fn inverse(&self) -> Vec<usize> {
        let order = with_matrix(&self.order);
        let mut inverse = vec![0; order.len()];
        for (to, from) in order.into_iter().enumerate() {
            inverse[from] = to;
        }
        inverse
    }
}

/// Returns the order of all dimensions, of which the last two stay, from that of the batch dimensions.
pub(super) fn with_matrix(order: &[usize]) -> Vec<usize> {
    let rank = order.len();
    order.iter().copied().chain([rank, rank + 1]).collect()
}

/// Returns the fewest merges that leave at most [`MOST_OF_A_ROLE`] dimensions of each role; `None` where none is needed, or where
/// dimensions that have to stay leave no way. `rows` are the rows of the result, a preserved dimension as well.
pub(super) fn merging(batches: &[Batch], rows: Batch) -> Option<Merging> {
    let in_order: Vec<usize> = (0..batches.len()).collect();
    // Shared ones first: preserved ones are then next to the rows. The order within a role stays.
    let mut by_role = in_order.clone();
    by_role.sort_by_key(|dim| batches[*dim].role);
    Chain::of(batches, &in_order, rows).excess()?;
    [in_order, by_role].into_iter().find_map(|order| {
        let chain = Chain::of(batches, &order, rows).merged()?;
        Some(chain.into_merging(order))
    })
}

/// The dimensions of the result of a product without the columns: the batch dimensions of several elements in some order, and
/// the rows as the last link.
struct Chain {
    links: Vec<Link>,
}

struct Link {
    role: Role,
    /// The batch dimensions that were merged, without the rows.
    dims: Vec<usize>,
    extent: i64,
    is_fixed: bool,
}

impl Chain {
    fn of(batches: &[Batch], order: &[usize], rows: Batch) -> Self {
        let link = |batch: Batch, dims: Vec<usize>| Link {
            role: batch.role,
            dims,
            extent: batch.extent,
            is_fixed: batch.is_fixed,
        };
        let several = order.iter().filter(|dim| batches[**dim].extent != 1);
        let mut links: Vec<Link> = several.map(|dim| link(batches[*dim], vec![*dim])).collect();
        links.push(link(rows, Vec::new()));
        Self { links }
    }

    /// Returns a role of which there are more dimensions than the card has; `None` if there is none.
    fn excess(&self) -> Option<Role> {
        let count = |role| {
            let links = self.links.iter();
            links
                .filter(|link| link.role == role && link.extent != 1)
                .count()
        };
        let mut roles = [Role::Shared, Role::Preserved].into_iter();
        roles.find(|role| count(*role) > MOST_OF_A_ROLE)
    }

    /// Merges neighbors until no role has too many dimensions; `None` if there are no neighbors of such a role.
    fn merged(mut self) -> Option<Self> {
        while let Some(role) = self.excess() {
            let is_pair = |pair: &[Link]| {
                let is_free = |link: &Link| link.role == role && !link.is_fixed;
                pair.iter().all(is_free)
            };
            // The last neighbors: the default layout has the first dimension apart from the others, inside of the sticks' tiles.
            let pairs = self.links.windows(2);
            let at = pairs.enumerate().rfind(|(_, pair)| is_pair(pair));
            let (at, _) = at?;
            let behind = self.links.remove(at + 1);
            let link = &mut self.links[at];
            link.extent = link.extent.checked_mul(behind.extent)?;
            link.dims.extend(behind.dims);
        }
        Some(self)
    }

    fn into_merging(mut self, order: Vec<usize>) -> Merging {
        let rows = self.links.pop().expect("the rows are the last link");
        Merging {
            order,
            groups: self.links.into_iter().map(|link| link.dims).collect(),
            in_rows: rows.dims,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns batches of a text: `s` for a shared dimension, `p` for a preserved one, upper case for one that stays, `1` for one of one
    /// element.
    fn batches(text: &str) -> Vec<Batch> {
        let batch = |letter: char| Batch {
            extent: if letter == '1' { 1 } else { 2 },
            role: match letter.to_ascii_lowercase() {
                's' => Role::Shared,
                _ => Role::Preserved,
            },
            is_fixed: letter.is_ascii_uppercase(),
        };
        text.chars().map(batch).collect()
    }

    /// The order, the groups, and the batch dimensions among the rows.
    type Merged = (Vec<usize>, Vec<Vec<usize>>, Vec<usize>);

    /// Returns how the batches of a product with 8 rows are merged.
    fn merged(text: &str) -> Option<Merged> {
        let rows = Batch {
            extent: 8,
            role: Role::Preserved,
            is_fixed: false,
        };
        let merging = merging(&batches(text), rows)?;
        Some((merging.order, merging.groups, merging.in_rows))
    }

    #[test]
    fn batches_that_the_card_has_stay() {
        for text in ["", "s", "ss", "p", "ssp", "sps", "1s1s1p"] {
            assert_eq!(merged(text), None, "{text}");
        }
    }

    #[test]
    fn the_last_neighbors_of_a_role_are_merged_first() {
        let order = |rank: usize| (0..rank).collect::<Vec<_>>();
        assert_eq!(
            merged("sss"),
            Some((order(3), vec![vec![0], vec![1, 2]], vec![]))
        );
        assert_eq!(
            merged("ssss"),
            Some((order(4), vec![vec![0], vec![1, 2, 3]], vec![]))
        );
        assert_eq!(
            merged("ppp"),
            Some((order(3), vec![vec![0]], vec![1, 2])),
            "two of them are rows"
        );
        assert_eq!(
            merged("s1sps"),
            Some((order(5), vec![vec![0, 2], vec![3], vec![4]], vec![])),
            "a dimension of one element is no neighbor"
        );
    }

    #[test]
    fn others_between_them_are_moved_away() {
        assert_eq!(
            merged("spsps"),
            Some((
                vec![0, 2, 4, 1, 3],
                vec![vec![0], vec![2, 4], vec![1]],
                vec![3]
            ))
        );
    }

    #[test]
    fn dimensions_that_stay_are_merged_with_none() {
        assert_eq!(
            merged("sSs").map(|(_, groups, _)| groups),
            None,
            "the other two are no neighbors"
        );
        assert_eq!(
            merged("Sss"),
            Some((vec![0, 1, 2], vec![vec![0], vec![1, 2]], vec![]))
        );
        assert_eq!(merged("SSS"), None);
    }
}
