//! Which currency a sign, a code or a header names.

use crate::value::Currency;

/// What stands beside an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// A currency without doubt.
    Sure(Currency),
    /// `$`: the dollar of the header, the currency column or the United States.
    Dollar,
    /// `kr`: of Sweden, Norway, Denmark or Iceland; only a header or a currency column tells.
    Krone,
}

/// Signs in front of or behind an amount, beside the codes of ISO 4217.
const SIGNS: &[(&str, &str)] = &[
    ("€", "EUR"),
    ("£", "GBP"),
    ("¥", "JPY"),
    ("円", "JPY"),
    ("₹", "INR"),
    ("Rs", "INR"),
    ("Rs.", "INR"),
    ("zł", "PLN"),
    ("Kč", "CZK"),
    ("Ft", "HUF"),
    ("Fr.", "CHF"),
    ("SFr.", "CHF"),
    ("sFr.", "CHF"),
    ("₽", "RUB"),
    ("₴", "UAH"),
    ("₺", "TRY"),
    ("₩", "KRW"),
    ("₪", "ILS"),
    ("R$", "BRL"),
    ("US$", "USD"),
    ("U$S", "USD"),
    ("$US", "USD"),
    ("C$", "CAD"),
    ("CA$", "CAD"),
    ("A$", "AUD"),
    ("AU$", "AUD"),
    ("NZ$", "NZD"),
    ("HK$", "HKD"),
    ("S$", "SGD"),
    ("MX$", "MXN"),
    ("Euro", "EUR"),
    ("euro", "EUR"),
    ("euros", "EUR"),
];

/// Active codes of ISO 4217.
const CODES: &str = "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN \
    BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS \
    GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD \
    KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR \
    NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN \
    SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF \
    XPF YER ZAR ZMW ZWG";

/// Codes that are taken in small letters too. Others are words as well: `all`, `top`, `try`, `mad`.
const COMMON: &str =
    "EUR USD GBP CHF CAD AUD NZD JPY CNY INR SEK NOK DKK PLN CZK HUF RON BGN BRL MXN ZAR";

/// The currency of a code, in capitals, or in small letters where it is no word.
pub(super) fn code(text: &str) -> Option<Currency> {
    if text.len() != 3 || !text.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    let is_in = |list: &str, code: &str| list.split_ascii_whitespace().any(|it| it == code);
    if is_in(CODES, text) || is_in(COMMON, &text.to_ascii_uppercase()) {
        Currency::from_code(text)
    } else {
        None
    }
}

/// What the text before or behind an amount means; none where it is neither sign nor code.
pub(super) fn sign(text: &str) -> Option<Sign> {
    match text {
        "$" => return Some(Sign::Dollar),
        "kr" | "kr." | "Kr" | "Kr." => return Some(Sign::Krone),
        _ => {}
    }
    if let Some(currency) = code(text) {
        return Some(Sign::Sure(currency));
    }
    SIGNS
        .iter()
        .find(|(sign, _)| *sign == text)
        .and_then(|(_, code)| Currency::from_code(code))
        .map(Sign::Sure)
}

/// The currency that a header names: `Price (EUR)`, `price_eur`, `Preis in €`. None where it names two.
pub(super) fn of_header(header: &str) -> Option<Currency> {
    let is_shouted = !header.bytes().any(|byte| byte.is_ascii_lowercase());
    let mut found = None;
    for word in
        header.split(|letter: char| letter.is_whitespace() || "()[]{}_-/,.:;*#".contains(letter))
    {
        // In a header of capitals, `TOP PRICE` names no currency of Tonga.
        let is_plain = is_shouted && code(&word.to_ascii_lowercase()).is_none();
        let named = match sign(word) {
            Some(Sign::Sure(currency)) if !is_plain || !word.is_ascii() => currency,
            _ => continue,
        };
        if found.is_some_and(|other| other != named) {
            return None;
        }
        found = Some(named);
    }
    found
}

/// True for a currency that `$` can stand for.
pub(super) fn is_dollar(currency: Currency) -> bool {
    const DOLLARS: &str =
        "USD CAD AUD NZD HKD SGD MXN TWD ARS CLP COP BBD BMD BSD BZD JMD TTD FJD NAD";
    DOLLARS
        .split_ascii_whitespace()
        .any(|code| code == currency.code())
}

/// True for a currency whose name is a crown.
pub(super) fn is_krone(currency: Currency) -> bool {
    matches!(currency.code(), "SEK" | "NOK" | "DKK" | "ISK")
}
