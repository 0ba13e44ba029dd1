//! From the number in the price column to what may be published of it.

use aap::vehicle::{DealerFee, Vehicle};
use dealers::PricePolicy;

use super::field::Field;
use super::report::{Refusal, RefusalCode};

/// What the dealer's statement makes of the price column.
#[derive(Debug)]
pub(super) enum PriceMeaning<'a> {
    /// Nothing is stated: the number is published as `list_price`.
    ListPrice,
    /// The number is the advertised price.
    Advertised(Option<&'a [DealerFee]>),
    /// The number plus these charges is the advertised price.
    BeforeFees(&'a [DealerFee], u64),
}

impl<'a> PriceMeaning<'a> {
    /// Reads the dealer's statement.
    ///
    /// # Errors
    /// Fees that AAP does not allow (dealer-fee schema): a name that is blank, longer than 120
    /// characters, or there twice; a sum that is no amount of money.
    pub(super) fn of(policy: &'a PricePolicy) -> Result<Self, Refusal> {
        let fees = policy.fees.as_deref();
        let sum = check(fees.unwrap_or_default())?;
        Ok(match fees {
            _ if policy.advertised => Self::Advertised(fees),
            Some(fees) => Self::BeforeFees(fees, sum),
            None => Self::ListPrice,
        })
    }

    /// The field that the price column feeds.
    pub(super) fn field(&self) -> Field {
        match self {
            Self::ListPrice => Field::ListPrice,
            Self::Advertised(_) | Self::BeforeFees(..) => Field::Price,
        }
    }

    /// Publishes the number of a price column. `settled` unless several columns that may be the
    /// price differ: a statement that names none of them does not say which one it is about.
    pub(super) fn apply(&self, dollars: u64, settled: bool, vehicle: &mut Vehicle) {
        match self {
            Self::Advertised(fees) if settled => {
                vehicle.price = Some(dollars);
                vehicle.fees = fees.map(<[DealerFee]>::to_vec);
            }
            Self::BeforeFees(fees, sum) if settled => {
                vehicle.price = Some(dollars.saturating_add(*sum));
                vehicle.fees = Some(fees.to_vec());
            }
            _ => {
                vehicle.list_price.get_or_insert(dollars);
            }
        }
    }
}

/// Checks stated fees and adds them up.
fn check(fees: &[DealerFee]) -> Result<u64, Refusal> {
    const LONGEST_NAME: usize = 120;
    let mut faults = Vec::new();
    for (at, fee) in fees.iter().enumerate() {
        let same = |other: &DealerFee| other.name.trim().eq_ignore_ascii_case(fee.name.trim());
        if fee.name.trim().is_empty() {
            faults.push(format!("fee {} has no name", at + 1));
        } else if fee.name.chars().count() > LONGEST_NAME {
            faults.push(format!(
                "the name of fee {} is longer than {LONGEST_NAME} characters",
                at + 1
            ));
        } else if fees[..at].iter().any(same) {
            faults.push(format!("the fee `{}` is stated twice", fee.name));
        }
    }
    let sum = fees
        .iter()
        .try_fold(0_u64, |sum, fee| sum.checked_add(fee.amount));
    if sum.is_none_or(|sum| sum > HIGHEST_SUM) {
        faults.push(format!(
            "the fees add up to more than {HIGHEST_SUM} dollars"
        ));
    }
    match sum {
        Some(sum) if faults.is_empty() => Ok(sum),
        _ => Err(Refusal {
            code: RefusalCode::BadFees,
            message: format!(
                "the price statement cannot be published: {}",
                faults.join("; ")
            ),
        }),
    }
}

const HIGHEST_SUM: u64 = 100_000_000;
