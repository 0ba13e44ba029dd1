use proptest::prelude::*;

use super::*;

fn key(byte: u8) -> VaultKey {
    VaultKey::new([byte; 32])
}

fn sealing(byte: u8) -> Vault {
    Vault::new(Some(&key(byte)), &[])
}

fn dealer() -> DealerId {
    "demo-motors".parse().unwrap()
}

fn lead(last: u8) -> LeadId {
    LeadId::from(uuid::Uuid::from_u128(last.into()))
}

/// Seals and opens at one place.
fn at<T>(work: impl FnOnce(Place<'_>) -> T) -> T {
    work(Place::new(&dealer(), &lead(1), "person.email"))
}

fn seal(vault: &Vault, text: &str) -> String {
    at(|place| vault.seal(place, text)).unwrap()
}

fn unseal(vault: &Vault, stored: &str) -> Result<String, VaultError> {
    at(|place| vault.unseal(place, stored))
}

#[test]
fn a_sealed_value_opens_with_its_key_and_shows_nothing() {
    let stored = seal(&sealing(1), "ada@example.com");
    let name = key(1).id().to_string();
    assert!(stored.starts_with(&format!("{{v1}}{name}.")), "{stored}");
    assert!(!stored.contains("ada@"));
    assert_eq!(unseal(&sealing(1), &stored).unwrap(), "ada@example.com");
    assert_ne!(
        stored,
        seal(&sealing(1), "ada@example.com"),
        "equal values are not seen to be equal"
    );
}

#[test]
fn a_missing_key_is_named() {
    let stored = seal(&sealing(1), "ada@example.com");
    for vault in [Vault::open(), sealing(2)] {
        let error = unseal(&vault, &stored).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(&key(1).id().to_string()), "{text}");
        assert!(text.contains("privacy.former_key_files"), "{text}");
        assert!(text.contains("person.email"), "{text}");
    }
}

#[test]
fn a_value_opens_at_its_own_place_only() {
    let vault = sealing(1);
    let stored = seal(&vault, "ada@example.com");
    let (dealer, other) = (dealer(), "other".parse().unwrap());
    let elsewhere = [
        (&dealer, lead(2), "person.email"),
        (&dealer, lead(1), "person.phone"),
        (&other, lead(1), "person.email"),
    ];
    for (dealer, lead_id, column) in elsewhere {
        let place = Place::new(dealer, &lead_id, column);
        let opened = vault.unseal(place, &stored);
        assert!(matches!(opened, Err(VaultError::Damaged { .. })));
    }
}

#[test]
fn a_changed_value_does_not_open() {
    let vault = sealing(1);
    let stored = seal(&vault, "ada@example.com");
    let start = stored.find('.').unwrap() + 1;
    for at in start..stored.len() {
        let mut changed = stored.clone().into_bytes();
        changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(changed).unwrap();
        assert!(matches!(
            unseal(&vault, &changed),
            Err(VaultError::Damaged { .. })
        ));
    }
    for cut in start..stored.len() {
        assert!(unseal(&vault, &stored[..cut]).is_err());
    }
}

#[test]
fn a_former_key_reads_and_does_not_write() {
    let stored = seal(&sealing(1), "ada@example.com");
    let rotated = Vault::new(Some(&key(2)), &[key(1)]);
    assert_eq!(unseal(&rotated, &stored).unwrap(), "ada@example.com");
    assert_eq!(unseal(&rotated, "plain before").unwrap(), "plain before");
    assert!(!rotated.is_current(&stored));
    assert!(!rotated.is_current("plain before"));
    assert!(rotated.is_current(&seal(&rotated, "ada@example.com")));
    let off = Vault::new(None, &[key(2)]);
    assert!(!off.is_current(&seal(&rotated, "x")));
    assert_eq!(seal(&off, "ada@example.com"), "ada@example.com");
}

#[test]
fn a_key_is_read_in_both_forms_and_never_printed() {
    let key = VaultKey::new(std::array::from_fn(|at| at as u8));
    let hex = "000102030405060708090A0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n";
    assert_eq!(hex.parse(), Ok(key.clone()));
    assert_eq!(format!("  {}\n", key.expose()).parse(), Ok(key.clone()));
    for no_key in ["", "abc", &hex[2..], &"A".repeat(44), "{v1}"] {
        assert_eq!(no_key.parse::<VaultKey>(), Err(KeyFault), "{no_key:?}");
    }
    let printed = format!("{key:?} {:?}", Vault::new(Some(&key), &[]));
    assert!(!printed.contains(&key.expose()));
    assert!(!printed.contains("000102"));
    assert!(printed.contains(&key.id().to_string()));
}

proptest! {
    #[test]
    fn every_text_comes_back(text in "(\\{v[01]\\})?.{0,40}") {
        for vault in [Vault::open(), sealing(1)] {
            let stored = seal(&vault, &text);
            prop_assert!(vault.is_current(&stored));
            prop_assert_eq!(&unseal(&vault, &stored).unwrap(), &text);
        }
    }

    #[test]
    fn no_stored_text_makes_it_panic(stored in "\\{v1\\}[0-9a-f]{0,20}\\.?[A-Za-z0-9+/=]{0,60}") {
        let _ = unseal(&sealing(1), &stored);
    }
}
