//! What a column means.

use serde::{Deserialize, Serialize};

/// The meaning of a column, whatever its header is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// What identifies a row to the seller: stock number, SKU, product id.
    Id,
    /// What the rows of one item share: Shopify's handle, WooCommerce's parent, Google's item group.
    Group,
    /// A vehicle identification number (ISO 3779).
    Vin,
    /// A global trade item number: EAN, UPC, ISBN.
    Gtin,
    /// The name of what is sold.
    Title,
    /// The long text.
    Description,
    /// The category, often a path such as `Outdoor > Seating`.
    Category,
    /// The kind of product, where it stands beside the category.
    ProductType,
    /// The brand or vendor.
    Brand,
    /// The make of a vehicle.
    Make,
    /// The model of a vehicle.
    Model,
    /// The trim of a vehicle.
    Trim,
    /// The model year.
    Year,
    /// The body style.
    Body,
    /// The fuel.
    Fuel,
    /// The transmission.
    Transmission,
    /// The colour; of a vehicle, the exterior's.
    Colour,
    /// The size.
    Size,
    /// The material.
    Material,
    /// `new`, `used`, `certified`.
    Condition,
    /// What the thing is offered for.
    Price,
    /// The reduced price, where it stands beside the regular one.
    SalePrice,
    /// The price that the offer is compared with: compare-at, strike-through.
    CompareAtPrice,
    /// The manufacturer's suggested price.
    Msrp,
    /// What the seller paid. Never published, asked of by the seller alone.
    Cost,
    /// The currency of the row's amounts.
    Currency,
    /// How many are there.
    Quantity,
    /// Whether it can be bought: `in stock`, `out of stock`.
    Availability,
    /// The state of a listing or unit: `active`, `draft`, `sold`, `pending`.
    Status,
    /// Addresses of images.
    Image,
    /// How many photos there are.
    PhotoCount,
    /// The address of the page.
    Link,
    /// The distance that a vehicle has run.
    Odometer,
    /// When the unit came into stock.
    DateInStock,
    /// When the row was created or published.
    DateAdded,
    /// When the row was last changed.
    DateUpdated,
    /// When the unit was sold.
    DateSold,
    /// The day that the whole row speaks of.
    SnapshotDate,
    /// Age in days as the source counts it.
    AgeDays,
    /// How many were sold.
    SoldQuantity,
    /// The rooftop, store or location.
    Rooftop,
    /// What happened, in a history: `came`, `went`, `price`.
    Event,
    /// When it happened.
    EventDate,
    /// The price before the event.
    OldPrice,
    /// The id of a lead.
    LeadId,
    /// The state of a lead's delivery.
    LeadState,
    /// The agent that sent a lead.
    LeadAgent,
    /// How many leads a unit had, where the source counts them.
    LeadCount,
}

/// True for what is stated in money.
pub(super) fn is_amount(role: Role) -> bool {
    matches!(
        role,
        Role::Price
            | Role::SalePrice
            | Role::CompareAtPrice
            | Role::Msrp
            | Role::Cost
            | Role::OldPrice
    )
}

/// True for what is counted in whole numbers.
pub(super) fn is_whole(role: Role) -> bool {
    matches!(
        role,
        Role::Year
            | Role::Quantity
            | Role::PhotoCount
            | Role::Odometer
            | Role::AgeDays
            | Role::SoldQuantity
            | Role::LeadCount
    )
}

impl Role {
    /// True for days.
    pub(crate) fn is_date(self) -> bool {
        matches!(
            self,
            Self::DateInStock
                | Self::DateAdded
                | Self::DateUpdated
                | Self::DateSold
                | Self::SnapshotDate
                | Self::EventDate
        )
    }
}
