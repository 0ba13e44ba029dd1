//! Files of real merchants: rows, filled cells and sums as Python's `csv` and `decimal` count them.

use std::path::{Path, PathBuf};
use std::process::Command;

use analyst::table::Limits;
use analyst::{Role, Table};
use serde_json::Value;

/// A file, how `count_rows.py` is told to read it, and what both must find.
struct Known {
    file: &'static str,
    /// Encoding, delimiter, whether there is a header, and the escape of quotes if any.
    dialect: [&'static str; 4],
    rows: usize,
    columns: usize,
    /// The sum of a column by its place, exact.
    sum: Option<(usize, &'static str)>,
    roles: &'static [(&'static str, Option<Role>)],
}

const KNOWN: &[Known] = &[
    Known {
        file: "bagisto_products.csv",
        dialect: ["utf-8", ",", "header", ""],
        rows: 26,
        columns: 39,
        sum: Some((20, "2081")),
        roles: &[
            ("sku", Some(Role::Id)),
            ("parent_sku", Some(Role::Group)),
            ("price", Some(Role::Price)),
            ("cost", Some(Role::Cost)),
            ("special_price", Some(Role::SalePrice)),
            ("type", None),
        ],
    },
    Known {
        file: "bagisto_products_with_errors.csv",
        dialect: ["utf-8", ",", "header", ""],
        rows: 2,
        columns: 38,
        sum: Some((20, "28")),
        roles: &[("sku", Some(Role::Id)), ("name", Some(Role::Title))],
    },
    Known {
        file: "magento_gear_bags.csv",
        dialect: ["utf-8", ",", "header", ""],
        rows: 14,
        columns: 19,
        sum: Some((3, "582")),
        roles: &[
            ("category", Some(Role::Category)),
            ("qty", Some(Role::Quantity)),
            ("material", Some(Role::Material)),
        ],
    },
    Known {
        file: "oscar_books_hacking_headerless.csv",
        dialect: ["utf-8", ",", "", ""],
        rows: 33,
        columns: 9,
        sum: Some((7, "487.67")),
        roles: &[
            ("column 3", Some(Role::Gtin)),
            ("column 4", None),
            ("column 8", None),
        ],
    },
    Known {
        file: "oscar_books_small_semicolon_broken.csv",
        dialect: ["utf-8", ";", "", "\\"],
        rows: 10,
        columns: 7,
        sum: Some((5, "85.88")),
        roles: &[("column 6", None)],
    },
    Known {
        file: "sylius_products_attr.csv",
        dialect: ["utf-8", ",", "header", ""],
        rows: 2,
        columns: 15,
        sum: Some((11, "51")),
        roles: &[("Code", Some(Role::Id)), ("Price", Some(Role::Price))],
    },
    Known {
        file: "thirtybees_products_import.csv",
        dialect: ["utf-8", ",", "header", ""],
        rows: 7,
        columns: 55,
        sum: Some((4, "3200")),
        roles: &[
            ("Name *", Some(Role::Title)),
            ("Categories (x;y;z...)", Some(Role::Category)),
            (
                "Price tax excluded or Price tax included",
                Some(Role::Price),
            ),
            ("Wholesale price", Some(Role::Cost)),
            ("Manufacturer", Some(Role::Brand)),
            ("EAN13", Some(Role::Gtin)),
            ("Quantity", Some(Role::Quantity)),
            ("Product creation date", Some(Role::DateAdded)),
            ("Image URLs (x;y;z...)", Some(Role::Image)),
        ],
    },
    Known {
        file: "uk_gov_wine_cellar_2014-15.csv",
        dialect: ["utf-8", ",", "header", ""],
        rows: 223,
        columns: 4,
        sum: Some((3, "5778.75")),
        roles: &[
            ("Vintage", Some(Role::Year)),
            ("Product name", Some(Role::Title)),
        ],
    },
    Known {
        file: "uk_vca_euro6_excerpt_cp1252.csv",
        dialect: ["cp1252", ",", "header", ""],
        rows: 460,
        columns: 18,
        sum: Some((13, "72367")),
        roles: &[
            ("manufacturer", Some(Role::Make)),
            ("model", Some(Role::Model)),
            ("fuel_type", Some(Role::Fuel)),
            ("transmission", Some(Role::Transmission)),
        ],
    },
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/catalogs/real")
}

#[test]
fn real_catalogs_have_the_rows_that_an_independent_count_confirms() {
    let folder = folder();
    if !folder.is_dir() {
        println!("skipped: there is no {}", folder.display());
        return;
    }
    for known in KNOWN {
        let file = known.file;
        let bytes = std::fs::read(folder.join(file)).unwrap();
        let table = Table::read(file, &bytes, &Limits::default()).unwrap();
        assert_eq!(table.rows(), known.rows, "{file}: {:?}", table.reading());
        assert_eq!(table.reading().skipped, [], "{file}");
        assert_eq!(table.columns().len(), known.columns, "{file}");
        for (header, role) in known.roles {
            let column = table.columns().iter().find(|it| it.header() == *header);
            let column = column.unwrap_or_else(|| panic!("{file} has no {header}"));
            assert_eq!(column.role(), *role, "{file}: {header}");
        }
        if let Some((column, sum)) = known.sum {
            assert_eq!(sum_of(&table, column), sum, "{file}");
        }
        compare_with_python(known, &folder.join(file), &table);
    }
    let listed = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(listed, KNOWN.len(), "a file is not in the list");
}

fn sum_of(table: &Table, column: usize) -> String {
    let column = &table.columns()[column];
    let sum: rust_decimal::Decimal = (0..table.rows()).filter_map(|row| column.number(row)).sum();
    sum.to_string()
}

/// Rows, filled cells of each column, and the sum, as `count_rows.py` has them.
fn compare_with_python(known: &Known, path: &Path, table: &Table) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/count_rows.py");
    let (column, _) = known.sum.unwrap_or_default();
    let output = Command::new("python3")
        .arg(script)
        .arg(path)
        .args(known.dialect)
        .arg(column.to_string())
        .output();
    let Ok(output) = output else {
        println!("not compared: there is no python3");
        return;
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let counted: Value = serde_json::from_slice(&output.stdout).unwrap();
    let filled: Vec<usize> = (table.columns().iter())
        .map(|column| {
            (0..table.rows())
                .filter(|row| column.text(*row).is_some())
                .count()
        })
        .collect();
    let expected = serde_json::json!({
        "rows": table.rows(),
        "filled": filled,
        "sum": sum_of(table, column),
    });
    assert_eq!(counted, expected, "{}", known.file);
}

#[test]
fn rows_of_real_catalogs_form_items_and_keep_their_cells() {
    let folder = folder();
    if !folder.is_dir() {
        println!("skipped: there is no {}", folder.display());
        return;
    }
    let read = |file: &str| {
        let bytes = std::fs::read(folder.join(file)).unwrap();
        Table::read(file, &bytes, &Limits::default()).unwrap()
    };
    let products = read("bagisto_products.csv");
    let ids = products.column(Role::Id).unwrap();
    let parents = products.column(Role::Group).unwrap();
    let children = (0..products.rows())
        .filter(|row| parents.text(*row).is_some())
        .count();
    let items = products.items().unwrap();
    assert_eq!(items.len() + children, products.rows());
    for item in items.iter().filter(|item| item.len() > 1) {
        let parent = ids.text(item[0] as usize);
        assert!(
            item[1..]
                .iter()
                .all(|row| parents.text(*row as usize) == parent)
        );
    }

    let broken = read("oscar_books_small_semicolon_broken.csv");
    assert_eq!(
        broken.columns()[1].text(7),
        Some("Readings from\" Voices of a People's History of the United States\"")
    );
    assert_eq!(broken.columns()[2].text(0), None);
    let remarks = broken.reading().remarks.join(" ");
    assert!(
        remarks.contains("1 row is shorter than the header (line 2)"),
        "{remarks}"
    );

    let cars = read("uk_vca_euro6_excerpt_cp1252.csv");
    assert_eq!(cars.reading().encoding, Some("windows-1252"));
    let wines = read("uk_gov_wine_cellar_2014-15.csv");
    assert_eq!(wines.column(Role::Price).map(|it| it.header()), None);
}
