//! What many dealers answered.

use std::fmt::Write as _;

use aap::PriceBasis;
use comfy_table::{Cell, CellAlignment, Table};
use serde_json::{Value, json};

use super::{
    NOT_STATED, clean, dollars, grouped, price_label,
    stock::{sold_as, title},
    wrapped_table,
};
use crate::{
    buyer::{
        Answer, Dealer, Error,
        market::{Asked, Car, Market, MarketSearch, Offer, Page},
    },
    cli::outcome,
    explain,
};

/// `{answered, failed, dealers: [{name, url, outcome, agent, …}]}`; `answer` gives the members that an
/// answered dealer has besides.
pub(crate) fn asked_document<T>(
    market: &Market,
    asked: &[Asked<T>],
    answer: impl Fn(&T) -> Value,
) -> Value {
    let failed = asked.iter().filter(|it| it.outcome.is_err()).count();
    let dealers: Vec<Value> = asked
        .iter()
        .zip(market.entries())
        .map(|(asked, entry)| {
            let mut dealer = json!({
                "name": market.name(asked),
                "url": entry.url,
                "outcome": if asked.outcome.is_ok() { "answered" } else { "failed" },
                "agent": asked.dealer.as_deref().map(agent),
            });
            let besides = match &asked.outcome {
                Ok(answered) => answer(answered),
                Err(error) => json!({ "error": error_document(error) }),
            };
            if let (Value::Object(dealer), Value::Object(besides)) = (&mut dealer, besides) {
                dealer.extend(besides);
            }
            dealer
        })
        .collect();
    json!({ "answered": asked.len() - failed, "failed": failed, "dealers": dealers })
}

fn agent(dealer: &Dealer) -> Value {
    json!({
        "name": dealer.name(),
        "interface_url": dealer.interface_url(),
        "aap_version": dealer.version().label(),
        "price_basis": dealer.price_basis(),
    })
}

/// `{code, message, retryable}`, and of a refusal the `aap_error` as it was sent.
fn error_document(error: &Error) -> Value {
    let mut document = json!({
        "code": error.kind().as_str(),
        "message": explain(error),
        "retryable": error.is_retryable(),
    });
    if let Error::Refused { payload, .. } = error {
        document["aap_error"] = payload.clone();
    }
    document
}

/// The dealers as in [`asked_document`], the `cars` with their offers, and the `notes`.
pub(crate) fn market_search_document(market: &Market, found: &MarketSearch) -> Value {
    let mut document = asked_document(market, &found.asked, |page: &Page| {
        json!({
            "total": page.total,
            "skip": page.skip,
            "sent": page.sent,
            "ignored": page.ignored,
            "message": page.message,
        })
    });
    let names: Vec<&str> = found.asked.iter().map(|it| market.name(it)).collect();
    let urls: Vec<&str> = market.entries().map(|entry| entry.url.as_str()).collect();
    let offer = |offer: &Offer| {
        let vehicle = &offer.vehicle;
        json!({
            "dealer": names[offer.dealer],
            "dealer_url": urls[offer.dealer],
            "rooftop": vehicle.rooftop,
            "status": vehicle.status,
            "price": offer.price,
            "list_price": vehicle.list_price,
            "vdp_url": vehicle.vdp_url,
            "updated_at": vehicle.updated_at,
            "vehicle": vehicle,
        })
    };
    let cars: Vec<Value> = found
        .cars
        .iter()
        .map(|car| {
            let offers: Vec<Value> = car.offers().iter().map(offer).collect();
            json!({ "vin": car.vin(), "offers": offers })
        })
        .collect();
    document["cars"] = cars.into();
    document["notes"] = json!(found.notes);
    document
}

/// Each dealer's answer below its name, then who did not answer.
pub(crate) fn answers<D>(
    market: &Market,
    asked: &[Asked<Answer<D>>],
    text: impl Fn(&Dealer, &Answer<D>) -> String,
) -> String {
    let mut page = String::new();
    for asked in asked {
        if let (Ok(answer), Some(dealer)) = (&asked.outcome, &asked.dealer) {
            let name = clean(market.name(asked));
            let _ = write!(page, "== {name}\n{}\n\n", text(dealer, answer));
        }
    }
    page + &who_answered(market, asked, |_| "answered".to_owned())
}

/// The cars with their offers, then what came of each dealer.
pub(crate) fn market_search(market: &Market, found: &MarketSearch) -> String {
    let mut text = String::new();
    if !found.cars.is_empty() {
        let _ = write!(text, "{}\n\n", car_table(market, found));
    }
    for note in &found.notes {
        let _ = writeln!(text, "{}", clean(&note.message));
    }
    if !found.notes.is_empty() {
        text.push('\n');
    }
    text + &who_answered(market, &found.asked, page_in_words)
}

fn page_in_words(page: &Page) -> String {
    let mut text = format!(
        "{} match, {} sent",
        grouped(page.total),
        grouped(page.sent as u64)
    );
    if !page.ignored.is_empty() {
        let _ = write!(text, ", {} left out", grouped(page.ignored.len() as u64));
    }
    if let Some(message) = page
        .message
        .as_deref()
        .map(clean)
        .filter(|it| !it.is_empty())
    {
        let _ = write!(text, "; {message}");
    }
    text
}

fn who_answered<T>(market: &Market, asked: &[Asked<T>], answer: impl Fn(&T) -> String) -> String {
    let mut table = wrapped_table();
    for asked in asked {
        let came = match &asked.outcome {
            Ok(answered) => answer(answered),
            Err(error) => format!("failed: {}", clean(&explain(error))),
        };
        table.add_row([clean(market.name(asked)), came]);
    }
    let failed = asked.iter().filter(|it| it.outcome.is_err()).count();
    let answered = asked.len() - failed;
    format!("{answered} of {} dealers answered\n{table}", asked.len())
}

fn car_table(market: &Market, found: &MarketSearch) -> Table {
    let bases = found.asked.iter().filter(|it| it.outcome.is_ok());
    let bases: Vec<PriceBasis> = bases
        .filter_map(|it| Some(it.dealer.as_ref()?.price_basis()))
        .collect();
    // One kind of price stands over the column, two stand in each cell.
    let only = bases
        .first()
        .filter(|first| bases.iter().all(|it| it == *first));
    let price = only.map_or("price".to_owned(), |basis| {
        price_label(*basis)
            .replace(", ", ",\n")
            .replace("fees ", "fees\n")
    });
    let names: Vec<String> = found
        .asked
        .iter()
        .map(|it| clean(market.name(it)))
        .collect();
    let mut table = outcome::table([
        "vehicle",
        &price,
        "miles",
        "sold as",
        "dealer, rooftop",
        "stock",
        "VIN",
    ]);
    for car in &found.cars {
        let rows = car.offers().iter().enumerate();
        table.add_rows(rows.map(|(place, offer)| {
            offer_row(car, place == 0, offer, &names[offer.dealer], only.is_none())
        }));
    }
    outcome::keep_whole(&mut table, &[1, 2, 3, 6]);
    for column in [1, 2] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// What the offers of a car share stands in its first row.
fn offer_row(car: &Car, first: bool, offer: &Offer, dealer: &str, with_basis: bool) -> Vec<Cell> {
    let vehicle = &offer.vehicle;
    let price = match offer.price {
        None => NOT_STATED.to_owned(),
        Some(price) if with_basis => {
            format!("{}\n{}", dollars(price.dollars), price.basis.as_str())
        }
        Some(price) => dollars(price.dollars),
    };
    let rooftop = vehicle.rooftop.as_deref().map(clean);
    let place = match rooftop.filter(|rooftop| !rooftop.is_empty() && rooftop != dealer) {
        Some(rooftop) => format!("{dealer}, {rooftop}"),
        None => dealer.to_owned(),
    };
    let or_empty = |text: Option<&str>| text.map(clean).unwrap_or_default();
    [
        if first {
            title(vehicle)
        } else {
            "  also at".to_owned()
        },
        price,
        vehicle.mileage.map(grouped).unwrap_or_default(),
        sold_as(vehicle),
        place,
        or_empty(vehicle.stock.as_deref()),
        or_empty(car.vin().filter(|_| first)),
    ]
    .into_iter()
    .map(Cell::new)
    .collect()
}
