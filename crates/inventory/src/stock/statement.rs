//! What the dealer stated about its prices, for each rooftop and condition, with who and when.
//!
//! A price is a promise by the dealer's word (see [`dealers::PricePolicy`]). The word is written
//! down when the first file is published under it and whenever it changes, so that it can be told
//! for every price of the past which word it rests on.

use aap::vehicle::{Condition, DealerFee};
use dealers::{DealerId, PricePolicy};
use jiff::Timestamp;
use store::Conn;

use super::{
    Error,
    guard::HeldCells,
    row,
    run::{Cell, Run},
};

/// Who states a price policy that names nobody.
const CONFIGURATION: &str = "configuration";

/// A dealer's word about the prices of a feed at one rooftop in one condition.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PriceStatement {
    /// Feed.
    pub feed: String,
    /// Rooftop; empty when the feed does not tell.
    pub rooftop: String,
    /// Condition; `None` for units of no stated condition.
    pub condition: Option<Condition>,
    /// From when on it is in force.
    pub stated_at: Timestamp,
    /// Who stated it.
    pub stated_by: String,
    /// The column that it names.
    pub column: Option<String>,
    /// The column is the advertised price, mandatory charges included.
    pub advertised: bool,
    /// Mandatory charges: in the column when `advertised`, else added to it.
    pub fees: Option<Vec<DealerFee>>,
}

impl PriceStatement {
    /// True when it makes a feed's price the advertised price.
    #[must_use]
    pub fn promises(&self) -> bool {
        self.advertised || self.fees.is_some()
    }

    fn says(&self, policy: &PricePolicy) -> bool {
        self.column == policy.column
            && self.advertised == policy.advertised
            && self.fees == policy.fees
            && match &policy.stated_by {
                Some(by) => self.stated_by == *by,
                // Whoever runs the program next states nothing new by that.
                None => self.stated_by.starts_with(CONFIGURATION),
            }
    }

    fn is_about(&self, feed: &str, cell: &Cell) -> bool {
        self.feed == feed && self.rooftop == cell.rooftop && self.condition == cell.condition
    }
}

fn by(policy: &PricePolicy) -> String {
    match (&policy.stated_by, &policy.read_by) {
        (Some(by), _) => by.clone(),
        (None, Some(user)) => format!("{CONFIGURATION}, read by {user}"),
        (None, None) => CONFIGURATION.to_owned(),
    }
}

/// Writes down what is stated for the run's feed where it is another word than before. Where the
/// file was not believed, the old prices stay and so does the word that they rest on.
pub(super) fn note(conn: &mut dyn Conn, run: &Run<'_>, held: &HeldCells) -> Result<(), Error> {
    let policy = &run.settings.price;
    let fees = policy
        .fees
        .as_ref()
        .and_then(|fees| serde_json::to_string(fees).ok());
    let known = all(conn, run.dealer)?;
    for cell in cells(run) {
        let before = known.iter().rfind(|it| it.is_about(run.feed, &cell));
        let same = match before {
            Some(statement) => statement.says(policy),
            None => !policy.advertised && policy.fees.is_none(),
        };
        if same || held.is_held(&cell) {
            continue;
        }
        conn.execute(
            "INSERT INTO price_statement (dealer, rooftop, condition, feed, stated_at, stated_by,
                                          price_column, advertised, fees)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
             ON CONFLICT (dealer, rooftop, condition, feed, stated_at) DO UPDATE SET
                 stated_by = excluded.stated_by, price_column = excluded.price_column,
                 advertised = excluded.advertised, fees = excluded.fees",
            &[
                run.dealer.into(),
                (&cell.rooftop).into(),
                cell.condition.map_or("", Condition::as_str).into(),
                run.feed.into(),
                run.now.into(),
                (&by(policy)).into(),
                policy.column.as_deref().into(),
                policy.advertised.into(),
                fees.as_deref().into(),
            ],
        )?;
    }
    Ok(())
}

/// Every rooftop and condition that the run's feed covers.
fn cells(run: &Run<'_>) -> Vec<Cell> {
    let mut rooftops: Vec<&str> = run.stated.rooftops.keys().map(String::as_str).collect();
    if rooftops.is_empty() {
        rooftops.push("");
    }
    let conditions = Condition::SALE.map(Some).into_iter().chain([None]);
    let pairs = rooftops.into_iter().flat_map(|rooftop| {
        let cell = move |condition| Cell {
            rooftop: rooftop.to_owned(),
            condition,
        };
        conditions.clone().map(cell)
    });
    pairs
        .filter(|cell| run.settings.covers(&cell.rooftop, cell.condition))
        .collect()
}

/// Every statement of a dealer, oldest first.
pub(super) fn all(
    conn: &mut dyn Conn,
    dealer: &DealerId,
) -> Result<Vec<PriceStatement>, store::Error> {
    conn.all(
        "SELECT feed, rooftop, condition, stated_at, stated_by, price_column, advertised, fees
         FROM price_statement WHERE dealer = $1 ORDER BY stated_at",
        &[dealer.into()],
        |row| {
            Ok(PriceStatement {
                feed: row.text(0)?.to_owned(),
                rooftop: row.text(1)?.to_owned(),
                condition: row::condition(row.optional_text(2)?),
                stated_at: row.time(3)?,
                stated_by: row.text(4)?.to_owned(),
                column: row.optional_text(5)?.map(str::to_owned),
                advertised: row.int(6)? != 0,
                fees: row::json(row, 7)?,
            })
        },
    )
}

/// The statement on which a price of `at` rests.
pub(super) fn in_force<'s>(
    statements: &'s [PriceStatement],
    feed: &str,
    cell: &Cell,
    at: Timestamp,
) -> Option<&'s PriceStatement> {
    statements
        .iter()
        .rfind(|it| it.is_about(feed, cell) && it.stated_at <= at)
}
