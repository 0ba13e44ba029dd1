//! A web page, as it is, as a JSON-LD script, or as the inside of an item of microdata: it ends with a
//! report. The costs of other vehicles on the page change nothing that is published.

#![no_main]

use forecourt_fuzz::{check, keeps_costs_to_itself};
use inventory::feed::{Format, RefusalCode};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for (before, after) in [
        ("<!doctype html>", ""),
        (
            "<!doctype html><script type='application/ld+json'>",
            "</script>",
        ),
        (
            "<!doctype html><div itemscope itemtype='https://schema.org/Car'><b itemprop=sku>A1</b>",
            "</div>",
        ),
    ] {
        let report = check(&[before.as_bytes(), bytes, after.as_bytes()].concat());
        let early = report.refused.map(|refusal| refusal.code);
        assert!(report.format == Format::Html || early == Some(RefusalCode::NotText));
    }
    keeps_costs_to_itself(bytes, |cost, amount| {
        [page(cost, amount).as_bytes(), bytes].concat()
    });
});

/// The beginning of a page with two vehicles and what they cost the dealer.
fn page(cost: &str, amount: &str) -> String {
    format!(
        r#"<!doctype html>
<div itemscope itemtype="https://schema.org/Car"><b itemprop="sku">P1</b>
<p itemprop="additionalProperty" itemscope itemtype="https://schema.org/PropertyValue">
<b itemprop="name">{cost}</b><b itemprop="value">{amount}</b></p></div>
<script type="application/ld+json">
{{"@type": "Car", "sku": "P2",
"additionalProperty": {{"name": "{cost}", "value": {amount}}},
"offers": {{"priceSpecification": [
{{"priceType": "https://schema.org/InvoicePrice", "price": {amount}, "priceCurrency": "USD"}},
{{"priceType": "https://schema.org/ListPrice", "price": 45678, "priceCurrency": "USD"}}]}}}}
</script>
"#
    )
}
