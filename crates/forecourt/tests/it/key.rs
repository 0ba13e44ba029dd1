//! Keys of the API, as the person makes them who runs the server.

use serde_json::json;

use crate::support::{run, run_json};

const TWO_DEALERS: &str = r#"
    [dealers.north]
    name = "North Cars"
    rooftops = { "North" = {} }
    [dealers.south]
    name = "South Cars"
    rooftops = { "South" = {} }
"#;

#[test]
fn a_key_is_shown_once_listed_without_its_secret_and_revoked() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().to_str().unwrap();
    std::fs::write(data.path().join("forecourt.toml"), TWO_DEALERS).unwrap();
    let key = |args: &[&str]| {
        let common = ["--data", folder, "--dealer", "north", "--json"];
        run_json(&[&["key"], args, &common].concat())
    };
    let create = [
        "create",
        "--name",
        "vendor",
        "--scope",
        "leads,feeds",
        "--expires",
        "365d",
    ];
    let (status, made) = key(&create);
    assert_eq!(status, 0, "{made:#}");
    assert_eq!(made["scopes"], json!(["feeds", "leads"]));
    let secret = made["key"].as_str().unwrap();
    assert!(secret.starts_with("forecourt.north."), "{secret}");
    let (status, refused) = key(&create);
    assert_eq!((status, &refused["error"]["code"]), (1, &json!("exists")));
    let (_, listed) = key(&["list"]);
    assert_eq!(listed["keys"][0]["state"], "active");
    assert_eq!(listed["keys"][0]["expires_at"], made["expires_at"]);
    assert!(!listed.to_string().contains(secret), "{listed:#}");
    assert_eq!(key(&["revoke", "vendor"]).0, 0);
    assert_eq!(key(&["list"]).1["keys"][0]["state"], "revoked");
    assert_eq!(key(&["revoke", "vendor"]).0, 1);
    for file in std::fs::read_dir(data.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(&secret[16..]), "the key is kept in clear");
    }
}

#[test]
fn a_key_is_not_made_for_nobody_or_nothing() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().to_str().unwrap();
    std::fs::write(data.path().join("forecourt.toml"), TWO_DEALERS).unwrap();
    let refused = |args: &[&str]| {
        let output = run(&[&["key", "create", "--data", folder], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let without_dealer = refused(&["--name", "vendor", "--scope", "feeds"]);
    assert!(without_dealer.contains("north, south"), "{without_dealer}");
    let without_scope = refused(&["--dealer", "north", "--name", "vendor"]);
    assert!(without_scope.contains("--scope"), "{without_scope}");
    let unknown = refused(&["--dealer", "north", "--name", "vendor", "--scope", "cars"]);
    assert!(unknown.contains("feeds, leads, deliveries"), "{unknown}");
    let named = ["--dealer", "north", "--scope", "feeds", "--name"];
    refused(&[&named[..], &["  "]].concat());
    let dead = refused(&[&named[..], &["vendor", "--expires", "0s"]].concat());
    assert!(dead.contains("365d"), "{dead}");
}
