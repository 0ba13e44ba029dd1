//! What a write may not share with others while it runs.

/// What of the database a write has to itself until it is committed.
///
/// SQLite has one writer, so there each has all of it. On PostgreSQL writers work side by side, on
/// this node and on others, and a closure that reads before it writes is right only as long as nobody
/// else changes meanwhile what it has read. So [`Store::write`](crate::Store::write) has the whole
/// database to itself there too, and what is written often says by
/// [`Store::write_claiming`](crate::Store::write_claiming) how much less will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Claim(Extent);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Extent {
    Whole,
    Rows,
    Part(i64),
}

impl Claim {
    /// The whole database: no other write runs at the same time.
    pub const WHOLE: Self = Self(Extent::Whole);

    /// Nothing but the rows that each statement changes. For a closure whose statements each decide by
    /// themselves, as `UPDATE … WHERE holder = $1` and `INSERT … ON CONFLICT` do, and are right
    /// whatever others commit between them.
    pub const ROWS: Self = Self(Extent::Rows);

    /// One kind of work of one dealer, for example `leads`. For a closure that decides by what it has
    /// read, where whoever else writes such rows makes the same claim or a larger one.
    #[must_use]
    pub fn part(work: &str, dealer: &str) -> Self {
        let bytes = work.bytes().chain([0]).chain(dealer.bytes());
        Self(Extent::Part(digest(bytes)))
    }

    pub(crate) fn is_whole(self) -> bool {
        self == Self::WHOLE
    }

    /// Whether two writes with this claim have to run one after the other.
    pub(crate) fn is_exclusive(self) -> bool {
        self != Self::ROWS
    }

    /// A number for the part, the same on every node. Two parts that share one wait for each other,
    /// which is needless and harmless.
    pub(crate) fn part_key(self) -> Option<i64> {
        match self.0 {
            Extent::Part(key) => Some(key),
            Extent::Whole | Extent::Rows => None,
        }
    }
}

/// FNV-1a over 64 bits: the standard library's hash may differ between versions of the program.
fn digest(bytes: impl Iterator<Item = u8>) -> i64 {
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash.cast_signed()
}

#[cfg(test)]
mod tests {
    use super::Claim;

    #[test]
    fn a_part_is_the_same_on_every_node_and_no_other() {
        let part = Claim::part("leads", "demo-motors");
        assert_eq!(part.part_key(), Some(8_223_734_492_183_420_640));
        for other in [
            ("leads", "demo"),
            ("lead", "sdemo-motors"),
            ("stock", "demo-motors"),
        ] {
            assert_ne!(Claim::part(other.0, other.1), part);
        }
    }
}
