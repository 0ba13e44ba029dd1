//! What columns mean, and what their cells are worth.

use super::*;

#[track_caller]
fn role(table: &Table, header: &str, expected: impl Into<Option<Role>>) {
    assert_eq!(column(table, header).role(), expected.into(), "{header}");
}

fn dates(table: &Table, header: &str) -> Vec<Option<jiff::civil::Date>> {
    let column = column(table, header);
    (0..table.rows()).map(|row| column.date(row)).collect()
}

#[test]
fn amounts_have_the_currency_of_the_cell_else_the_header_else_the_row() {
    let table = read(
        "sku;Price (EUR);Cost;Currency\nA1;\"$1,299.00\";100 GBP;SEK\nA2;1.299,00 €;90 kr;NOK\nA3;11995 GBP;80;DKK\n\
         A4;CHF 1'299.50;70;\nA5;10;$60;CAD\n",
    );
    // A dollar in a column of euros is no currency that can be told.
    assert_eq!(
        money(&table, "Price (EUR)"),
        [
            "1299.00 ?",
            "1299.00 EUR",
            "11995 GBP",
            "1299.50 CHF",
            "10 EUR"
        ]
    );
    assert_eq!(
        money(&table, "Cost"),
        ["100 GBP", "90 NOK", "80 DKK", "70 ?", "60 CAD"]
    );
}

#[test]
fn a_dollar_alone_is_american_unless_other_dollars_stand_beside_it() {
    let table = read("sku,price,msrp,Price (CAD)\nA,$10,$12,$9\nB,$20,C$25,8\n");
    assert_eq!(money(&table, "price"), ["10 USD", "20 USD"]);
    assert_eq!(money(&table, "msrp"), ["12 ?", "25 CAD"]);
    assert_eq!(money(&table, "Price (CAD)"), ["9 CAD", "8 CAD"]);
}

#[test]
fn a_column_of_mixed_spellings_is_read_value_by_value() {
    let table = read("sku;price\nA;12.00 USD\nB;€ 11,50\nC;1.299 €\nD;2,499\nE;call us\n");
    assert_eq!(
        money(&table, "price"),
        ["12.00 USD", "11.50 EUR", "1299 EUR", "2499 ?", "∅"]
    );
}

#[test]
fn three_digits_behind_a_sign_are_decimals_where_the_column_shows_more_of_them() {
    let table =
        read("sku;weight;price;km\nA;2.976;1.299;93.000\nB;0.068357;2.499;5.500\nC;0.5;300;12\n");
    let number = |header: &str, row| column(&table, header).number(row).unwrap().to_string();
    assert_eq!(number("weight", 0), "2.976");
    assert_eq!(number("price", 0), "1299");
    assert_eq!(number("km", 0), "93000");
    let table = read("sku;fuel price;price\nA;1.659;0.129\nB;1.700;1.299\n");
    assert_eq!(money(&table, "price"), ["0.129 ?", "1.299 ?"]);
}

#[test]
fn units_are_numbers_and_no_amounts() {
    let table = read("id\tprice\tmileage\n1\t15.00 USD\t93000 miles\n2\t16.00 USD\t1,200 mi\n");
    let mileage = table.column(Role::Odometer).unwrap();
    assert_eq!(mileage.number(1), Some(1_200.into()));
    assert_eq!(mileage.money(1), None);
}

#[test]
fn the_order_of_day_and_month_is_decided_by_the_column() {
    let table = read(
        "sku,created,updated,sold date,export date,received date\nA,30/04/2026,04/30/2026,04/05/2026,2026-05-01,45292\n\
         B,04/05/2026,04/05/2026 10:00,05/05/2026,2026-05-01T10:00:00Z,45293\n",
    );
    assert_eq!(
        dates(&table, "created"),
        [Some(date(2026, 4, 30)), Some(date(2026, 5, 4))]
    );
    assert_eq!(column(&table, "created").date_order(), DateOrder::DayFirst);
    assert_eq!(
        dates(&table, "updated"),
        [Some(date(2026, 4, 30)), Some(date(2026, 4, 5))]
    );
    assert_eq!(
        column(&table, "updated").date_order(),
        DateOrder::MonthFirst
    );
    assert_eq!(dates(&table, "sold date"), [None, Some(date(2026, 5, 5))]);
    assert_eq!(
        column(&table, "sold date").date_order(),
        DateOrder::Ambiguous
    );
    assert_eq!(dates(&table, "export date"), [Some(date(2026, 5, 1)); 2]);
    // What a spreadsheet program counts is no day.
    assert_eq!(dates(&table, "received date"), [None; 2]);
    role(&table, "received date", None);
    let remarks = table.reading().remarks.join(" ");
    assert!(
        remarks.contains("“received date” is not read as its name says"),
        "{remarks}"
    );
}

#[test]
fn a_column_that_contradicts_itself_has_no_days() {
    let table = read("sku,created\nA,30/04/2026\nB,04/30/2026\nC,2026-05-01\n");
    assert_eq!(column(&table, "created").date_order(), DateOrder::Ambiguous);
    assert_eq!(
        dates(&table, "created"),
        [None, None, Some(date(2026, 5, 1))]
    );
}

#[test]
fn a_role_needs_values_that_fit() {
    let table = read(
        "Stock #,VIN,EAN,Price,Year,Type,Manufacturer,Model,Fuel,Stock\n\
         A1,1HGCV1F35KA000001,4006381333931,9000,2019,Used,Honda,Accord,Petrol,1\n\
         A2,WVWZZZ1JZXW000001,x,call,NV,New,VW,Golf,Diesel,2\n\
         A3,none,y,,2020,Used,VW,Polo,Diesel,1\n",
    );
    role(&table, "Stock #", Role::Id);
    role(&table, "VIN", Role::Vin);
    role(&table, "EAN", None);
    role(&table, "Price", Role::Price);
    role(&table, "Year", Role::Year);
    role(&table, "Type", Role::Condition);
    role(&table, "Manufacturer", Role::Make);
    role(&table, "Stock", Role::Quantity);

    let table = read("sku,VIN,Manufacturer,Type\nA,12,Sony,TV\nB,13,LG,Radio\n");
    role(&table, "VIN", None);
    role(&table, "Manufacturer", Role::Brand);
    role(&table, "Type", Role::ProductType);
}

#[test]
fn headers_of_six_languages_mean_the_same() {
    for (header, currency) in [
        ("SKU,Name,Price,Brand,Category,Colour,Currency", "EUR"),
        (
            "Artikelnummer,Bezeichnung,Preis,Hersteller,Kategorie,Farbe,Währung",
            "EUR",
        ),
        (
            "Référence,Désignation,Prix de vente,Marque,Catégorie,Couleur,Devise",
            "EUR",
        ),
        (
            "Referencia,Nombre,Precio,Marca,Categoría,Color,Moneda",
            "EUR",
        ),
        (
            "Codice articolo,Nome,Prezzo,Marca,Categoria,Colore,Valuta",
            "EUR",
        ),
        (
            "Artikelnummer,Naam,Prijs,Merk,Categorie,Kleur,Valuta",
            "EUR",
        ),
    ] {
        let table = read(format!(
            "{header}\nA1,Chair,10,Acme,Seating,red,{currency}\n"
        ));
        let roles: Vec<Role> = table.columns().iter().filter_map(Column::role).collect();
        assert_eq!(
            roles,
            [
                Role::Id,
                Role::Title,
                Role::Price,
                Role::Brand,
                Role::Category,
                Role::Colour,
                Role::Currency
            ],
            "{header}"
        );
        assert_eq!(
            table
                .column(Role::Price)
                .unwrap()
                .money(0)
                .unwrap()
                .currency,
            Currency::from_code(currency)
        );
    }
}

#[test]
fn rows_of_one_handle_are_one_item() {
    for header in [
        "Handle,Title,Vendor,Variant SKU,Variant Price,Variant Compare At Price,Image Src",
        "URL handle,Title,Vendor,SKU,Price,Compare-at price,Product image URL",
    ] {
        let table = read(format!(
            "{header}\nmug,Mug,Acme,M1,10,12,https://a.example/1.jpg\nmug,,,M2,11,,\npot,Pot,Acme,P1,30,,\n\
             mug,,,,,,https://a.example/2.jpg\n"
        ));
        assert_eq!(
            table.items(),
            Some([vec![0, 1, 3], vec![2]].as_slice()),
            "{header}"
        );
        let roles = [
            Role::Group,
            Role::Title,
            Role::Brand,
            Role::Id,
            Role::Price,
            Role::CompareAtPrice,
            Role::Image,
        ];
        for (column, role) in table.columns().iter().zip(roles) {
            assert_eq!(column.role(), Some(role), "{header}");
        }
    }
}

#[test]
fn options_are_what_their_names_say() {
    let table = read(
        "Handle,Title,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant Price\n\
         shirt,Shirt,Size,S,Color,Blue,10\nshirt,,,M,,Blue,10\npot,Pot,Size,L,Lid,yes,9\n",
    );
    role(&table, "Option1 Value", Role::Size);
    role(&table, "Option2 Value", None);
    let table =
        read("SKU,Name,Regular price,Attribute 1 name,Attribute 1 value(s)\nA,Cap,5,Farbe,rot\n");
    role(&table, "Attribute 1 value(s)", Role::Colour);
}

#[test]
fn variations_belong_to_their_parent() {
    let table = read(
        "ID,Type,SKU,Name,Regular price,Parent\n10,variation,S-1,Shirt red,20,S\n9,variable,S,Shirt,,\n\
         11,variation,S-2,Shirt blue,21,S\n12,simple,D,Dish,5,\n13,simple,D,Dish,5,\n14,variable,,Cap,,\n\
         15,variation,C-1,Cap red,9,id:14\n",
    );
    assert_eq!(
        table.items(),
        Some([vec![1, 0, 2], vec![3], vec![4], vec![5, 6]].as_slice())
    );
    role(&table, "SKU", Role::Id);
    role(&table, "Type", None);
    role(&table, "Regular price", Role::Price);
}

#[test]
fn items_of_a_google_feed_share_their_group() {
    let table = read(
        "id\ttitle\titem_group_id\tprice\n1\tA red\tA\t10.00 USD\n2\tB\t\t5.00 USD\n3\tA blue\tA\t11.00 USD\n",
    );
    assert_eq!(table.items(), Some([vec![0, 2], vec![1]].as_slice()));
    let table =
        read("id\ttitle\titem_group_id\tprice\n1\tA red\tA\t10.00 USD\n2\tB\tB\t5.00 USD\n");
    assert_eq!(table.items(), None);
}
