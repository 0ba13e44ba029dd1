//! What the made-up units are called.

/// Makes with their models.
pub(super) const MODELS: [(&str, &[&str]); 16] = [
    (
        "Honda",
        &[
            "CR-V",
            "Civic",
            "Accord",
            "Pilot",
            "HR-V",
            "Odyssey",
            "Ridgeline",
        ],
    ),
    (
        "Toyota",
        &[
            "RAV4",
            "Camry",
            "Corolla",
            "Highlander",
            "Tacoma",
            "Tundra",
            "4Runner",
            "Sienna",
        ],
    ),
    (
        "Ford",
        &[
            "F-150", "Escape", "Explorer", "Bronco", "Maverick", "Mustang", "Edge",
        ],
    ),
    (
        "Chevrolet",
        &[
            "Silverado 1500",
            "Equinox",
            "Traverse",
            "Tahoe",
            "Malibu",
            "Colorado",
            "Trax",
        ],
    ),
    (
        "Nissan",
        &[
            "Rogue",
            "Altima",
            "Sentra",
            "Pathfinder",
            "Frontier",
            "Murano",
        ],
    ),
    (
        "Hyundai",
        &[
            "Tucson", "Elantra", "Santa Fe", "Sonata", "Palisade", "Kona",
        ],
    ),
    (
        "Kia",
        &["Sportage", "Telluride", "Forte", "Sorento", "K5", "Soul"],
    ),
    (
        "Jeep",
        &[
            "Grand Cherokee",
            "Wrangler",
            "Compass",
            "Gladiator",
            "Renegade",
        ],
    ),
    (
        "Subaru",
        &["Outback", "Forester", "Crosstrek", "Impreza", "Ascent"],
    ),
    ("Ram", &["1500", "2500", "3500", "ProMaster"]),
    ("Mazda", &["CX-5", "CX-50", "Mazda3", "CX-90", "MX-5 Miata"]),
    (
        "Volkswagen",
        &["Tiguan", "Jetta", "Atlas", "Taos", "Golf GTI"],
    ),
    ("BMW", &["X3", "X5", "330i", "430i", "530i", "X1"]),
    ("Lexus", &["RX 350", "NX 250", "ES 350", "GX 460", "IS 300"]),
    (
        "Mercedes-Benz",
        &["C 300", "GLC 300", "E 350", "GLE 350", "GLA 250"],
    ),
    ("Volvo", &["XC60", "XC90", "XC40", "S60", "V60"]),
];

/// Body, fuel and driveline, which go together.
pub(super) const BODY_FUEL_DRIVELINE: [(&str, &str, &str); 18] = [
    ("SUV", "gas", "AWD"),
    ("SUV", "gas", "FWD"),
    ("Sedan", "gas", "FWD"),
    ("SUV", "hybrid", "AWD"),
    ("Crew Cab Pickup", "gas", "4WD"),
    ("Sedan", "hybrid", "FWD"),
    ("SUV", "gas", "4WD"),
    ("Extended Cab Pickup", "gas", "RWD"),
    ("Hatchback", "gas", "FWD"),
    ("SUV", "bev", "AWD"),
    ("Minivan", "hybrid", "FWD"),
    ("Crew Cab Pickup", "diesel", "4WD"),
    ("Sedan", "bev", "RWD"),
    ("Wagon", "gas", "AWD"),
    ("Coupe", "gas", "RWD"),
    ("SUV", "phev", "AWD"),
    ("Convertible", "gas", "RWD"),
    ("Cargo Van", "diesel", "RWD"),
];

pub(super) const TRIMS: [&str; 24] = [
    "LX", "EX", "EX-L", "Touring", "SE", "XLE", "Limited", "Sport", "XLT", "Lariat", "LT", "LTZ",
    "SV", "SL", "SEL", "Premium", "Platinum", "Laredo", "Overland", "Big Horn", "Base", "R-Line",
    "M Sport", "Ultimate",
];

pub(super) const EXTERIOR: [&str; 26] = [
    "Black",
    "White",
    "Silver",
    "Gray",
    "Blue",
    "Red",
    "Crystal Black Pearl",
    "Platinum White Pearl",
    "Magnetic Gray Metallic",
    "Celestial Silver Metallic",
    "Blueprint",
    "Ruby Red Metallic",
    "Midnight Black Metallic",
    "Lunar Rock",
    "Oxford White",
    "Summit White",
    "Soul Red Crystal",
    "Velvet Red Pearl",
    "Granite Crystal",
    "Forest Green Metallic",
    "Cavalry Blue",
    "Solar Octane",
    "Sonic Gray Pearl",
    "Atlantic Blue Pearl",
    "Desert Sand",
    "Burnt Orange",
];

pub(super) const INTERIOR: [&str; 10] = [
    "Black Cloth",
    "Black Leather",
    "Gray Cloth",
    "Ash",
    "Ebony",
    "Tan Leather",
    "Ivory Leather",
    "Graphite",
    "Red Leather",
    "Saddle Brown",
];

pub(super) const FEATURES: [&str; 20] = [
    "Heated Seats",
    "Apple CarPlay",
    "Android Auto",
    "Blind Spot Monitor",
    "Lane Keeping Assist",
    "Adaptive Cruise Control",
    "Power Liftgate",
    "Panoramic Sunroof",
    "Remote Start",
    "Third Row Seating",
    "Towing Package",
    "Wireless Charging",
    "Navigation",
    "360 Camera",
    "Leather Seats",
    "Ventilated Seats",
    "Keyless Entry",
    "LED Headlights",
    "Alloy Wheels",
    "Parking Sensors",
];

pub(super) const SENTENCES: [&str; 9] = [
    "One owner, no accidents reported, and every service on time.",
    "New tires, fresh brakes and a full tank come with it.",
    "Our technicians inspected it from bumper to bumper.",
    "Call, write or stop by for a test drive; we are open late on weekdays.",
    "Financing is available for most buyers, and trade-ins are welcome.",
    "The cabin is quiet, roomy and smells of nothing at all.",
    "It tows more than you think and parks itself where you cannot.",
    "Ask us for the report, the keys and an honest answer.",
    "Two keys, floor mats and the manual are in the glove box.",
];
