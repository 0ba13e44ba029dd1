//! The buyer against the 2.0 draft that the demo serves beside AAP 1.3.

use super::mock::buyer;
use crate::support::Server;

#[test]
fn the_draft_is_spoken_where_the_card_advertises_it() {
    let server = Server::start(&["serve", "--demo"]);
    let url = format!("http://{}/preview/aap-2.0", server.address);
    let found = buyer("discover", &url, &["--json"]).assert_exit(0).json();
    assert_eq!(found["aap"]["version"], "2.0-draft");
    assert_eq!(found["aap"]["price_basis"], "advertised");
    for verb in ["info", "facets", "search"] {
        buyer(verb, &url, &[]).assert_exit(0);
    }
    buyer("vehicle", &url, &["--stock", "D1000"]).assert_exit(0);

    // The refusal comes as a list of details, and is told as from any dealer.
    let refused = buyer("vehicle", &url, &["--stock", "nowhere", "--json"]).assert_exit(1);
    assert_eq!(refused.json()["code"], "VEHICLE_NOT_FOUND");
}
