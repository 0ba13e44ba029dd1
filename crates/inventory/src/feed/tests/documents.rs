//! Documents as vendors export them, each with the exact report on it beside it.

use super::super::{ReadOptions, read};
use super::fixtures::expect;
use super::options;

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../../../tests/fixtures/feeds/", $name))
    };
}

macro_rules! expected {
    ($name:literal) => {
        include_str!(concat!(
            "../../../tests/fixtures/feeds/",
            $name,
            ".report.json"
        ))
    };
}

fn two_rooftops() -> ReadOptions {
    let mut options = options();
    options.rooftops = [("DCID1", "North"), ("DCID2", "South")]
        .map(|(id, name)| (id.to_owned(), name.to_owned()))
        .to_vec();
    options
}

#[test]
fn google_merchant_rss() {
    expect(
        &read(fixture!("merchant.xml"), &options()),
        expected!("merchant"),
    );
}

#[test]
fn google_merchant_atom_in_latin_1() {
    expect(&read(fixture!("atom.xml"), &options()), expected!("atom"));
}

#[test]
fn cws_trucks() {
    expect(&read(fixture!("cws.xml"), &options()), expected!("cws"));
}

#[test]
fn vehicles_in_groups_below_their_dealers() {
    expect(
        &read(fixture!("grouped.xml"), &two_rooftops()),
        expected!("grouped"),
    );
}

#[test]
fn a_page_with_json_ld() {
    expect(&read(fixture!("page.html"), &options()), expected!("page"));
}

#[test]
fn a_page_with_microdata() {
    expect(
        &read(fixture!("microdata.html"), &options()),
        expected!("microdata"),
    );
}

#[test]
fn a_list_of_json_objects() {
    expect(
        &read(fixture!("vehicles.json"), &options()),
        expected!("vehicles"),
    );
}
