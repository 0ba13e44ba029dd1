//! German.

use super::{Phrases, Sense, field};
use crate::question::{Beyond, Change, Skill};

pub(super) const PHRASES: &[Phrases] = &[
    (
        Sense::Skill(Skill::Overview, 3),
        "überblick|übersicht|zusammenfassung|gesamtbild|fasse zusammen",
    ),
    (
        Sense::Skill(Skill::Overview, 2),
        "was haben wir|was führen wir|was verkaufen wir",
    ),
    (
        Sense::Skill(Skill::Gaps, 3),
        "lücke|sortimentslücke|angebotslücke|was fehlt im sortiment|fehlt im sortiment|fehlen im sortiment|führen wir nicht|haben wir nicht|bieten wir nicht|nicht abgedeckt|schwach vertreten",
    ),
    (
        Sense::Skill(Skill::PriceLadder, 3),
        "preisstufe|preisleiter|preispunkt|preislage|preisband|preisspanne|preisklasse|preisverteilung|preissegment|preisbereich",
    ),
    (
        Sense::Skill(Skill::PriceOutliers, 3),
        "ausreißer|preisfehler|auffällig|merkwürdig|seltsam|falsche preise|falscher preis|unplausibel|ungewöhnlich|fehlerhafte preise|preise falsch",
    ),
    (
        Sense::Skill(Skill::FeedQuality, 3),
        "datenqualität|vollständig|vollständigkeit|unvollständig|pflichtfeld|feedqualität|fehlende angaben|fehlende daten|leere felder|qualität der daten",
    ),
    (
        Sense::Skill(Skill::Duplicates, 3),
        "doppelt|dublette|duplikat|doppelte|mehrfach|zweimal",
    ),
    (
        Sense::Skill(Skill::Availability, 3),
        "nicht mehr auf lager|nicht auf lager|ausverkauft|nicht vorrätig|nicht lieferbar|nicht verfügbar|knapp|geht aus|gehen aus|niedriger bestand|geringer bestand|nachbestellen|vergriffen|bestand null|kein bestand|keinen bestand",
    ),
    (
        Sense::Skill(Skill::Aging, 3),
        "zu lange|standzeit|standtage|langsteher|ladenhüter|überaltert|steht länger|stehen länger|liegen länger|liegt länger|stehen seit|steht seit|liegen seit|liegt seit|seit langem|altbestand|lagerdauer|lange auf dem hof|herumstehen|verstauben",
    ),
    (Sense::Skill(Skill::Aging, 2), "stehen|liegen|am längsten"),
    (
        Sense::TiedUp,
        "gebundenes kapital|kapital gebunden|gebunden|kapitalbindung",
    ),
    (
        Sense::Skill(Skill::Velocity, 3),
        "reichweite|lagerreichweite|lagerumschlag|umschlag|abverkauf|schnelldreher|langsamdreher|wie schnell|bestseller|verkauft sich am besten|meistverkauft|verkaufszahlen|haben wir verkauft|wurden verkauft|absatz",
    ),
    (
        Sense::Skill(Skill::PriceToMarket, 3),
        "marktpreis|überteuert|zu teuer|zu billig|im vergleich zum markt|wettbewerb|konkurrenz|mitbewerber|marktwert|marktgerecht|wettbewerbsfähig|vergleichbar|über markt|unter markt|gegenüber dem markt",
    ),
    (
        Sense::Skill(Skill::Markdowns, 3),
        "reduzieren|preissenkung|abschreiben|rabattieren|im preis senken|preis senken|preise senken|herabsetzen|abverkaufen|abschlag|ausverkauf",
    ),
    (
        Sense::Skill(Skill::Freshness, 3),
        "wie aktuell|aktualität|stand der daten|wie alt sind die daten|wie alt ist|datenstand|zuletzt aktualisiert|von wann|wie neu sind die daten",
    ),
    (
        Sense::Skill(Skill::Changes, 3),
        "was hat sich geändert|hat sich geändert|haben sich geändert|geändert|veränderung|änderung|unterschied zwischen",
    ),
    (
        Sense::Repriced,
        "preisänderung|preisänderungen|preise geändert|neuer preis",
    ),
    (
        Sense::Changed(Change::New),
        "neu hinzugekommen|hinzugekommen|dazugekommen|ist neu|sind neu|neuzugang|neuzugänge|neu seit|neu|neu dabei|neu gelistet",
    ),
    (
        Sense::Changed(Change::Gone),
        "verschwunden|weggefallen|nicht mehr da|nicht mehr gelistet|weg sind|weg ist|entfallen",
    ),
    (
        Sense::Changed(Change::PriceUp),
        "teurer geworden|preiserhöhung|preise gestiegen|gestiegen|erhöht",
    ),
    (
        Sense::Changed(Change::PriceDown),
        "billiger geworden|günstiger geworden|gesunken|gefallen|preis gesenkt|gesenkt|reduziert worden",
    ),
    (
        Sense::Arrived,
        "hereingekommen|eingetroffen|angekommen|reingekommen|zugegangen",
    ),
    (
        Sense::Skill(Skill::Leads, 3),
        "lead|anfrage|interessent|probefahrt",
    ),
    (
        Sense::Count,
        "wie viele|wieviele|wieviel|wie viel|anzahl|zahl der",
    ),
    (Sense::Pieces, "wie viele stück|stückzahl|wie viel stück"),
    (
        Sense::Mean,
        "durchschnitt|durchschnittlich|durchschnittspreis|im schnitt|mittelwert|durchschnittliche",
    ),
    (Sense::Median, "median|medianpreis|mittlerer preis"),
    (Sense::Total, "summe|gesamt|insgesamt|gesamtwert|zusammen"),
    (
        Sense::Dearest,
        "teuerste|teuersten|teuerster|höchster preis|am teuersten",
    ),
    (
        Sense::Cheapest,
        "billigste|billigsten|günstigste|günstigsten|preiswerteste|am billigsten|am günstigsten|niedrigster preis",
    ),
    (Sense::Oldest, "älteste|ältesten"),
    (Sense::Newest, "neueste|neuesten|jüngste|jüngsten"),
    (Sense::Highest, "höchste|höchsten|meisten|größte|größten"),
    (
        Sense::Lowest,
        "niedrigste|niedrigsten|wenigsten|kleinste|kleinsten|geringste",
    ),
    (Sense::Top, "top|ersten"),
    (
        Sense::Field(field::PRICE),
        "preis|wert|warenwert|lagerwert|kosten",
    ),
    (
        Sense::Field(field::COST),
        "einkaufspreis|einstandspreis|ek|kapital",
    ),
    (Sense::Field(field::IMAGE), "bild|foto|abbildung"),
    (
        Sense::Field(field::VIN),
        "fin|fahrgestellnummer|vin|fahrzeugidentifikationsnummer",
    ),
    (Sense::Field(field::GTIN), "ean|gtin|barcode|strichcode"),
    (Sense::Field(field::ID), "artikelnummer|bestellnummer|sku"),
    (Sense::Field(field::TITLE), "bezeichnung|titel|name"),
    (Sense::Field(field::DESCRIPTION), "beschreibung|artikeltext"),
    (
        Sense::Field(field::CATEGORY),
        "kategorie|warengruppe|produktgruppe|rubrik",
    ),
    (Sense::Field(field::TYPE), "typ|art|produkttyp"),
    (Sense::Field(field::BRAND), "marke|hersteller|lieferant"),
    (Sense::Field(field::MODEL), "modell"),
    (Sense::Field(field::YEAR), "baujahr|modelljahr"),
    (
        Sense::Field(field::BODY),
        "karosserie|karosserieform|aufbau",
    ),
    (
        Sense::Field(field::FUEL),
        "kraftstoff|kraftstoffart|antrieb",
    ),
    (Sense::Field(field::TRANSMISSION), "getriebe"),
    (Sense::Field(field::COLOUR), "farbe"),
    (Sense::Field(field::SIZE), "größe"),
    (Sense::Field(field::MATERIAL), "material"),
    (Sense::Field(field::CONDITION), "zustand"),
    (Sense::Field(field::QUANTITY), "bestand|menge|lagerbestand"),
    (Sense::Field(field::STATUS), "status"),
    (
        Sense::Field(field::ROOFTOP),
        "filiale|standort|niederlassung|betrieb|autohaus",
    ),
    (
        Sense::Field(field::ODOMETER),
        "kilometerstand|laufleistung|kilometer stand",
    ),
    (Sense::Field(field::AGE), "alter|lagertage"),
    (
        Sense::By,
        "je|pro|nach|für jede|für jeden|aufgeteilt nach|gruppiert nach",
    ),
    (Sense::Missing, "fehlt|fehlen|fehlend|fehlende"),
    (
        Sense::Lack,
        "ohne|kein|keine|keinen|keinem|keiner|leer|nichts",
    ),
    (Sense::Need, "braucht|brauchen|benötigt|benötigen"),
    (Sense::Number(1000), "tausend"),
    (Sense::With, "mit"),
    (Sense::Not, "nicht|außer|ausgenommen|ausser"),
    (Sense::Under, "unter|weniger als|unterhalb|kürzer als"),
    (
        Sense::CheaperThan,
        "billiger als|günstiger als|preiswerter als",
    ),
    (Sense::DearerThan, "teurer als"),
    (
        Sense::Over,
        "über|mehr als|länger als|oberhalb|seit mehr als|seit über",
    ),
    (Sense::AtMost, "höchstens|bis zu|maximal|bis"),
    (Sense::AtLeast, "mindestens|ab|wenigstens"),
    (Sense::Between, "zwischen|von"),
    (Sense::To, "bis"),
    (Sense::OrLess, "oder weniger|oder billiger|und weniger"),
    (
        Sense::OrMore,
        "oder mehr|und mehr|oder neuer|und neuer|aufwärts",
    ),
    (Sense::OlderThan, "älter als|vor"),
    (Sense::NewerThan, "neuer als|jünger als|nach dem"),
    (Sense::Number(1), "ein|eine|eins"),
    (Sense::Number(2), "zwei"),
    (Sense::Number(3), "drei"),
    (Sense::Number(4), "vier"),
    (Sense::Number(5), "fünf"),
    (Sense::Number(6), "sechs"),
    (Sense::Number(7), "sieben"),
    (Sense::Number(8), "acht"),
    (Sense::Number(9), "neun"),
    (Sense::Number(10), "zehn"),
    (Sense::Number(12), "zwölf"),
    (Sense::Number(20), "zwanzig"),
    (Sense::Month(1), "januar|jänner"),
    (Sense::Month(2), "februar|feber"),
    (Sense::Month(3), "märz"),
    (Sense::Month(4), "april"),
    (Sense::Month(5), "mai"),
    (Sense::Month(6), "juni"),
    (Sense::Month(7), "juli"),
    (Sense::Month(8), "august"),
    (Sense::Month(9), "september"),
    (Sense::Month(10), "oktober"),
    (Sense::Month(11), "november"),
    (Sense::Month(12), "dezember"),
    (Sense::Unit(1), "tag|tage|tagen"),
    (Sense::Unit(7), "woche|wochen"),
    (Sense::Unit(30), "monat|monate|monaten"),
    (Sense::Unit(365), "jahr|jahre|jahren"),
    (Sense::Span(1), "gestern|seit gestern|heute"),
    (
        Sense::Span(7),
        "diese woche|letzte woche|seit letzter woche|dieser woche|letzter woche|vorige woche|vergangene woche",
    ),
    (
        Sense::Span(30),
        "diesen monat|letzten monat|seit letztem monat|im letzten monat|vorigen monat",
    ),
    (Sense::Span(365), "dieses jahr|letztes jahr|im letzten jahr"),
    (
        Sense::Last,
        "letzten|in den letzten|vergangenen|letzte|der letzten",
    ),
    (Sense::Distance, "km|kilometer|meilen"),
    (Sense::Money("EUR"), "euro|eur"),
    (Sense::Money("CHF"), "franken|chf"),
    (Sense::Money("USD"), "dollar|usd"),
    (
        Sense::Available,
        "auf lager|vorrätig|verfügbar|auf dem hof|lieferbar|unverkauft|im bestand",
    ),
    (
        Sense::Beyond(Beyond::Future),
        "nächsten monat|nächster monat|nächstes jahr|nächsten jahr|nächste woche|nächste saison|prognose|vorhersage|morgen|zukunft|künftig|wird sich|werden wir",
    ),
    (
        Sense::Beyond(Beyond::Profit),
        "gewinn|marge|umsatz|rendite|rohertrag|ertrag",
    ),
    (
        Sense::Beyond(Beyond::Visits),
        "klicks|klick|besucher|aufrufe|zugriffe|seitenaufrufe",
    ),
    (
        Sense::Beyond(Beyond::Person),
        "wer hat gekauft|kundennamen|name des kunden|telefonnummer|welcher kunde",
    ),
    (
        Sense::Subject,
        "artikel|produkt|produkte|ware|waren|auto|autos|wagen|fahrzeug|fahrzeuge|gerät|geräte|sortiment|katalog|angebot|lager|teile|stücke|sachen|alles|alle",
    ),
    (
        Sense::Ask,
        "welche|welcher|welches|zeige|zeig mir|zeige mir|liste|gibt es|haben wir|führen wir|suche|finde",
    ),
    (
        Sense::FollowUp,
        "und in|was ist mit|wie sieht es aus mit|nur|nur die|jetzt|und für|dasselbe für|und bei|und über|und unter",
    ),
    (Sense::Those, "davon|diese|diesen|denen"),
    (Sense::And, "und|sowie"),
    (Sense::Or, "oder"),
    (Sense::Question, "was|wie|wo|wann|warum|wer"),
    (
        Sense::Filler,
        "der|die|das|den|dem|des|in|im|an|am|auf|bei|beim|zu|zum|zur|wir|uns|unser|unsere|unseren|unserem|ich|mir|mein|meine|sie|es|sich|ist|sind|war|hat|haben|wird|werden|sollten|sollen|soll|sollte|können|kann|könnten|gib|gibt|bitte|noch|mehr|sehr|zu viel|als|so|auch|schon|denn|da|hier|seit|aus|um|man|dass|einen|einem|einer|kosten|kostet|verkaufen|verkauft|stehen da|daten|datei|zahlen|liste der|sag|hallo|danke|lang|lange|viel|gerade|derzeit|aktuell|momentan|dann|etwa|ungefähr|gut|nur noch|führen|liegen da|sehen|anschauen|wollen|möchte|wissen|steht|stehen|liegt",
    ),
];
