//! What a column can mean.

/// A meaning that a column can have. Most are fields of the AAP vehicle; some only help to fill
/// one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Field {
    // Identity and place.
    DealerId,
    DealerName,
    Vin,
    Stock,
    VehicleId,
    // What it is.
    VehicleType,
    /// A column that may say what kind of unit it is among other things, such as a market class.
    Category,
    Year,
    Make,
    Model,
    Trim,
    Body,
    // How it is sold.
    Condition,
    /// Yes or no to "is it new"; `N` means used here and new in a condition column.
    IsNew,
    Certified,
    Status,
    Price,
    ListPrice,
    Msrp,
    /// The currency of the row's amounts.
    Currency,
    Mileage,
    MileageUnit,
    /// An odometer column that says in its header that it counts kilometers.
    Kilometers,
    InventoryDate,
    // Powertrain.
    Transmission,
    Driveline,
    Engine,
    EngineDescription,
    Displacement,
    /// A displacement column that says in its header that it counts cubic centimetres.
    DisplacementCc,
    Fuel,
    CityMpg,
    HighwayMpg,
    ElectricRange,
    BatteryKwh,
    MotorPower,
    DcFastCharge,
    ChargePort,
    // Looks and words.
    ExteriorColor,
    InteriorColor,
    Features,
    /// HomeNet's `Category@Option~Category@Option`.
    CategorizedFeatures,
    Photos,
    VdpUrl,
    Description,
    Notes,
    // Into `other_attributes`.
    Doors,
    Cylinders,
    PassengerCapacity,
    ModelCode,
    FinalDrive,
    EngineStroke,
    WheelCount,
    Abs,
    Sleeps,
    TitleStatus,
    /// What damaged the unit, or that it is repaired.
    Damage,
}

/// How many meanings there are.
pub(super) const FIELDS: usize = Field::Damage as usize + 1;

impl Field {
    /// The name in reports and in the configuration: AAP's name where it has one.
    pub(super) const fn name(self) -> &'static str {
        NAMES[self as usize].1
    }

    /// The field of a name.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        NAMES
            .iter()
            .find(|(_, known)| *known == name)
            .map(|(field, _)| *field)
    }

    /// Every name, in the order of the fields.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(_, name)| *name)
    }
}

/// Fields with their names, in the order of the enum.
const NAMES: [(Field, &str); FIELDS] = [
    (Field::DealerId, "dealer_id"),
    (Field::DealerName, "rooftop"),
    (Field::Vin, "vin"),
    (Field::Stock, "stock"),
    (Field::VehicleId, "vehicle_id"),
    (Field::VehicleType, "vehicle_type"),
    (Field::Category, "category"),
    (Field::Year, "year"),
    (Field::Make, "make"),
    (Field::Model, "model"),
    (Field::Trim, "trim"),
    (Field::Body, "body"),
    (Field::Condition, "condition"),
    (Field::IsNew, "is_new"),
    (Field::Certified, "certified"),
    (Field::Status, "status"),
    (Field::Price, "price"),
    (Field::ListPrice, "list_price"),
    (Field::Msrp, "msrp"),
    (Field::Currency, "currency"),
    (Field::Mileage, "mileage"),
    (Field::MileageUnit, "mileage_unit"),
    (Field::Kilometers, "kilometers"),
    (Field::InventoryDate, "inventory_date"),
    (Field::Transmission, "transmission"),
    (Field::Driveline, "driveline"),
    (Field::Engine, "engine"),
    (Field::EngineDescription, "engine_description"),
    (Field::Displacement, "displacement"),
    (Field::DisplacementCc, "displacement_cc"),
    (Field::Fuel, "fuel"),
    (Field::CityMpg, "city_mpg"),
    (Field::HighwayMpg, "highway_mpg"),
    (Field::ElectricRange, "electric_range_mi"),
    (Field::BatteryKwh, "battery_kwh"),
    (Field::MotorPower, "motor_power_hp"),
    (Field::DcFastCharge, "dc_fast_charge"),
    (Field::ChargePort, "charge_port"),
    (Field::ExteriorColor, "exterior_color"),
    (Field::InteriorColor, "interior_color"),
    (Field::Features, "features"),
    (Field::CategorizedFeatures, "categorized_features"),
    (Field::Photos, "photos"),
    (Field::VdpUrl, "vdp_url"),
    (Field::Description, "description"),
    (Field::Notes, "notes"),
    (Field::Doors, "doors"),
    (Field::Cylinders, "cylinders"),
    (Field::PassengerCapacity, "passenger_capacity"),
    (Field::ModelCode, "model_code"),
    (Field::FinalDrive, "final_drive"),
    (Field::EngineStroke, "engine_stroke"),
    (Field::WheelCount, "wheel_count"),
    (Field::Abs, "abs"),
    (Field::Sleeps, "sleeps"),
    (Field::TitleStatus, "title_status"),
    (Field::Damage, "damage"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_its_own_name() {
        for (place, (field, name)) in NAMES.into_iter().enumerate() {
            assert_eq!(field as usize, place, "{name}");
            assert_eq!(Field::from_name(name), Some(field));
        }
    }
}
