use jiff::ToSpan as _;
use store::{Clock, Store};

use super::*;

fn dealer(id: &str) -> DealerId {
    id.parse().unwrap()
}

fn new_key(name: &str, scopes: &[Scope]) -> NewKey {
    NewKey {
        name: name.to_owned(),
        scopes: scopes.iter().copied().collect(),
        expires_at: None,
    }
}

fn store() -> Store {
    let now = "2026-05-01T12:00:00Z".parse().unwrap();
    Store::temporary(&[MIGRATIONS], Clock::manual(now)).unwrap()
}

async fn make(store: &Store, secret: &Secret, key: NewKey) -> Result<(), Error> {
    let (secret, now) = (secret.clone(), store.clock().now());
    store
        .write(move |conn| create(conn, &secret, &key, now))
        .await
}

async fn look_up(store: &Store, secret: &Secret) -> Option<Key> {
    let secret = secret.clone();
    store
        .read(move |conn| find(conn, &secret))
        .await
        .unwrap_or_else(|error: store::Error| panic!("{error}"))
}

#[tokio::test]
async fn a_key_is_found_by_its_text_alone_until_it_is_revoked() {
    let store = store();
    let secret = Secret::new(dealer("north"), [7; 32]);
    make(
        &store,
        &secret,
        new_key("vendor", &[Scope::Leads, Scope::Feeds]),
    )
    .await
    .unwrap();
    let now = store.clock().now();
    let read = Secret::parse(secret.expose()).unwrap();
    let key = look_up(&store, &read).await.unwrap();
    assert_eq!(key.state(now), KeyState::Active);
    assert_eq!(key.scopes, BTreeSet::from([Scope::Feeds, Scope::Leads]));
    for other in [
        Secret::new(dealer("north"), [8; 32]),
        Secret::new(dealer("south"), [7; 32]),
    ] {
        assert_eq!(look_up(&store, &other).await, None);
    }
    let revoked = store
        .write(move |conn| revoke(conn, &dealer("north"), "vendor", now))
        .await;
    revoked.unwrap();
    let key = look_up(&store, &secret).await.unwrap();
    assert_eq!(key.state(now), KeyState::Revoked);
    let again = store
        .write(move |conn| revoke(conn, &dealer("north"), "vendor", now))
        .await;
    assert!(matches!(again, Err(Error::Unknown(_))));
}

#[tokio::test]
async fn a_name_stands_for_one_key_that_opens_something() {
    let store = store();
    let secrets = [1, 2, 3].map(|byte| Secret::new(dealer("north"), [byte; 32]));
    let key = new_key("vendor", &[Scope::Feeds]);
    make(&store, &secrets[0], key.clone()).await.unwrap();
    let taken = make(&store, &secrets[1], key.clone()).await;
    assert!(matches!(taken, Err(Error::NameTaken(_))), "{taken:?}");
    let of_another_dealer = Secret::new(dealer("south"), [1; 32]);
    make(&store, &of_another_dealer, key.clone()).await.unwrap();
    let now = store.clock().now();
    store
        .write(move |conn| revoke(conn, &dealer("north"), "vendor", now))
        .await
        .unwrap();
    make(&store, &secrets[2], key).await.unwrap();
    let keys = store
        .read(|conn| list(conn, &dealer("north")))
        .await
        .unwrap_or_else(|error: store::Error| panic!("{error}"));
    let mut states: Vec<_> = keys.iter().map(|key| key.state(now).as_str()).collect();
    states.sort_unstable();
    assert_eq!(states, ["active", "revoked"]);
}

#[tokio::test]
async fn a_key_ends_at_its_time() {
    let store = store();
    let now = store.clock().now();
    let secret = Secret::new(dealer("north"), [7; 32]);
    let mut key = new_key("vendor", &[Scope::Feeds]);
    key.expires_at = Some(now + 1.hour());
    make(&store, &secret, key).await.unwrap();
    let key = look_up(&store, &secret).await.unwrap();
    assert_eq!(key.state(now + 59.minutes()), KeyState::Active);
    assert_eq!(key.state(now + 1.hour()), KeyState::Expired);
}

#[tokio::test]
async fn the_last_use_is_known_to_the_minute() {
    let store = store();
    let now = store.clock().now();
    let secret = Secret::new(dealer("north"), [7; 32]);
    make(&store, &secret, new_key("vendor", &[Scope::Feeds]))
        .await
        .unwrap();
    assert!(is_use_news(&look_up(&store, &secret).await.unwrap(), now));
    let used = secret.clone();
    store
        .write(move |conn| note_use(conn, &used, now))
        .await
        .unwrap_or_else(|error: store::Error| panic!("{error}"));
    let key = look_up(&store, &secret).await.unwrap();
    assert_eq!(key.last_used_at, Some(now));
    assert!(!is_use_news(&key, now + 59.seconds()));
    assert!(is_use_news(&key, now + 60.seconds()));
}

#[test]
fn what_has_not_the_form_of_a_key_is_none() {
    let secret = Secret::new(dealer("north"), [0xff; 32]);
    let text = secret.expose();
    assert!(Secret::parse(text).is_some());
    for wrong in [
        String::new(),
        "forecourt".to_owned(),
        text[1..].to_owned(),
        text[..text.len() - 1].to_owned(),
        format!("{text}.x"),
        text.replace("north", "No Dealer"),
    ] {
        assert_eq!(Secret::parse(&wrong), None, "{wrong}");
    }
}

#[test]
fn a_key_does_not_show_in_debug_output() {
    let secret = Secret::new(dealer("north"), [0xff; 32]);
    assert_eq!(format!("{secret:?}"), "Secret(forecourt.north.…)");
}
