//! What of a catalog's settings cannot work.

use catalogs::Catalog;
use dealers::DealerId;

use super::{super::Config, Findings, check_guards, source};

pub(super) fn check(id: &DealerId, catalog: &Catalog, config: &Config, found: &mut Findings<'_>) {
    let at = ["catalogs", id.as_str()];
    let key = |last| [at[0], at[1], last];
    if config.dealers.contains_key(id) {
        found.add(
            &at,
            format!(
                "a dealer is called {id} too; a catalog's name stands where a dealer's identifier does, in \
                 keys and as the tenant, so give the catalog another one"
            ),
        );
    }
    if catalog.name.trim().is_empty() {
        found.add(&key("name"), "write what people call the seller");
    }
    if let Some(zone) = &catalog.timezone
        && jiff::tz::TimeZone::get(zone).is_err()
    {
        found.add(
            &key("timezone"),
            format!("{zone:?} is not an IANA zone; write for example \"Europe/Berlin\""),
        );
    }
    for (role, header) in &catalog.columns {
        if header.trim().is_empty() {
            found.add(
                &key("columns"),
                format!("write the header of the column that is the {}", role.name()),
            );
        }
    }
    let feed = catalog.feed();
    source::check(&at, &feed, found);
    check_guards(&at, &feed, found);
}
