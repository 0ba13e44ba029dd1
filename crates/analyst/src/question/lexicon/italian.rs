//! Italian.

use super::{Phrases, Sense, field};
use crate::question::{Beyond, Change, Skill};

pub(super) const PHRASES: &[Phrases] = &[
    (
        Sense::Skill(Skill::Overview, 3),
        "panoramica|riepilogo|sintesi|quadro generale|riassunto",
    ),
    (
        Sense::Skill(Skill::Overview, 2),
        "cosa abbiamo|che cosa abbiamo|cosa vendiamo",
    ),
    (
        Sense::Skill(Skill::Gaps, 3),
        "lacuna|lacune|buco|buchi|vuoti|vuoto|manca nell assortimento|mancano nell assortimento|non offriamo|non copriamo|cosa ci manca",
    ),
    (
        Sense::Skill(Skill::PriceLadder, 3),
        "fascia di prezzo|fasce di prezzo|scala dei prezzi|scaletta prezzi|livelli di prezzo|distribuzione dei prezzi|gamma di prezzo",
    ),
    (
        Sense::Skill(Skill::PriceOutliers, 3),
        "prezzi strani|prezzo strano|anomalo|anomali|prezzi sospetti|prezzi sbagliati|prezzo sbagliato|errori di prezzo|fuori scala",
    ),
    (
        Sense::Skill(Skill::FeedQuality, 3),
        "qualità dei dati|qualità del feed|completezza|incompleto|incompleti|campi mancanti|dati mancanti|campi vuoti",
    ),
    (
        Sense::Skill(Skill::Duplicates, 3),
        "duplicato|duplicati|doppio|doppi|doppioni|due volte|ripetuti",
    ),
    (
        Sense::Skill(Skill::Availability, 3),
        "esaurito|esauriti|non disponibile|non disponibili|fuori stock|scorte basse|sta finendo|stanno finendo|riordinare|non è in magazzino",
    ),
    (
        Sense::Skill(Skill::Aging, 3),
        "troppo tempo|da troppo|ferma|ferme|fermo|fermi|giacenza|invenduto|invenduti|anzianità|in stock da|da più di",
    ),
    (
        Sense::TiedUp,
        "immobilizzato|capitale immobilizzato|denaro immobilizzato",
    ),
    (
        Sense::Skill(Skill::Velocity, 3),
        "rotazione|giorni di scorta|giorni di stock|si vende|si vendono|più venduto|più venduti|abbiamo venduto|vendite|indice di rotazione",
    ),
    (
        Sense::Skill(Skill::PriceToMarket, 3),
        "prezzo di mercato|troppo caro|troppo cara|troppo care|troppo cari|sopra il mercato|rispetto al mercato|concorrenza|concorrenti|competitivo|competitivi",
    ),
    (
        Sense::Skill(Skill::Markdowns, 3),
        "ribassare|scontare|sconto|ridurre il prezzo|abbassare il prezzo|abbassare i prezzi|svendere|saldo|saldi",
    ),
    (
        Sense::Skill(Skill::Freshness, 3),
        "aggiornato|aggiornati|ultimo aggiornamento|di quando sono|freschezza|data dei dati",
    ),
    (
        Sense::Skill(Skill::Changes, 3),
        "è cambiato|sono cambiati|cambiamenti|cambiato|differenza tra",
    ),
    (
        Sense::Changed(Change::New),
        "novità|nuovo da|è arrivato|sono arrivati|sono nuovi|aggiunti|aggiunto",
    ),
    (
        Sense::Changed(Change::Gone),
        "sparito|spariti|scomparso|scomparsi|non c è più|non ci sono più",
    ),
    (
        Sense::Changed(Change::PriceUp),
        "aumento di prezzo|aumenti di prezzo|prezzo aumentato|aumentato|rincarato|rincari",
    ),
    (
        Sense::Changed(Change::PriceDown),
        "calo di prezzo|cali di prezzo|prezzo sceso|sceso|diminuito|ribassato",
    ),
    (Sense::Arrived, "arrivate|arrivati|entrate|entrati|ricevuti"),
    (
        Sense::Skill(Skill::Leads, 3),
        "lead|contatti|richiesta di contatto|test drive",
    ),
    (Sense::Count, "quanti|quante|quanto|numero di"),
    (Sense::Mean, "media|medio|prezzo medio"),
    (Sense::Median, "mediana|prezzo mediano"),
    (Sense::Total, "totale|somma|valore totale"),
    (
        Sense::Dearest,
        "più caro|più cari|più cara|più care|più costoso|più costosi",
    ),
    (
        Sense::Cheapest,
        "più economico|più economici|più economica|più economiche|meno caro|meno cari",
    ),
    (
        Sense::Oldest,
        "più vecchio|più vecchi|più vecchia|più vecchie",
    ),
    (Sense::Newest, "più nuovo|più nuovi|più recente|più recenti"),
    (Sense::Top, "top|primi|prime"),
    (Sense::Field(field::PRICE), "prezzo|valore"),
    (
        Sense::Field(field::COST),
        "costo|prezzo d acquisto|capitale",
    ),
    (Sense::Field(field::IMAGE), "foto|immagine|immagini"),
    (Sense::Field(field::VIN), "vin|telaio|numero di telaio"),
    (Sense::Field(field::GTIN), "ean|gtin|codice a barre"),
    (Sense::Field(field::TITLE), "titolo|nome"),
    (Sense::Field(field::DESCRIPTION), "descrizione"),
    (Sense::Field(field::CATEGORY), "categoria|reparto"),
    (Sense::Field(field::TYPE), "tipo"),
    (
        Sense::Field(field::BRAND),
        "marca|marchio|produttore|fornitore",
    ),
    (Sense::Field(field::MODEL), "modello"),
    (Sense::Field(field::BODY), "carrozzeria"),
    (Sense::Field(field::FUEL), "carburante|alimentazione"),
    (Sense::Field(field::TRANSMISSION), "cambio"),
    (Sense::Field(field::COLOUR), "colore"),
    (Sense::Field(field::SIZE), "taglia|misura"),
    (Sense::Field(field::MATERIAL), "materiale"),
    (Sense::Field(field::CONDITION), "condizione|stato"),
    (Sense::Field(field::QUANTITY), "quantità|scorte"),
    (
        Sense::Field(field::ROOFTOP),
        "negozio|sede|filiale|concessionaria|punto vendita",
    ),
    (Sense::Field(field::ODOMETER), "chilometraggio"),
    (Sense::Field(field::AGE), "età"),
    (Sense::By, "per|per ogni|per ciascun"),
    (Sense::Missing, "manca|mancano"),
    (
        Sense::Lack,
        "senza|non hanno|non ha|nessun|nessuna|niente|nulla|privo di|privi di",
    ),
    (Sense::Need, "bisogno di|serve|servono"),
    (Sense::Number(1000), "mila|mille"),
    (Sense::With, "con"),
    (Sense::Not, "non|tranne|eccetto|esclusi|escluso"),
    (
        Sense::Under,
        "sotto|sotto i|meno di|inferiore a|al di sotto di",
    ),
    (
        Sense::Over,
        "sopra|sopra i|più di|oltre|superiore a|da oltre",
    ),
    (Sense::CheaperThan, "più economico di|meno caro di"),
    (Sense::DearerThan, "più caro di|più cari di"),
    (Sense::AtMost, "fino a|al massimo|massimo"),
    (Sense::AtLeast, "almeno|a partire da|minimo|dal"),
    (Sense::Between, "tra|fra"),
    (Sense::To, "e i|a"),
    (Sense::OrLess, "o meno"),
    (Sense::OrMore, "o più|in su"),
    (Sense::Number(2), "due"),
    (Sense::Number(3), "tre"),
    (Sense::Number(4), "quattro"),
    (Sense::Number(5), "cinque"),
    (Sense::Number(6), "sei"),
    (Sense::Number(10), "dieci"),
    (Sense::Number(20), "venti"),
    (Sense::Month(1), "gennaio"),
    (Sense::Month(2), "febbraio"),
    (Sense::Month(3), "marzo"),
    (Sense::Month(4), "aprile"),
    (Sense::Month(5), "maggio"),
    (Sense::Month(6), "giugno"),
    (Sense::Month(7), "luglio"),
    (Sense::Month(8), "agosto"),
    (Sense::Month(9), "settembre"),
    (Sense::Month(10), "ottobre"),
    (Sense::Month(11), "novembre"),
    (Sense::Month(12), "dicembre"),
    (Sense::Unit(1), "giorno|giorni"),
    (Sense::Unit(7), "settimana|settimane"),
    (Sense::Unit(30), "mese|mesi"),
    (Sense::Unit(365), "anno|anni"),
    (Sense::Span(1), "ieri|da ieri|oggi"),
    (
        Sense::Span(7),
        "questa settimana|settimana scorsa|la settimana scorsa|dalla settimana scorsa",
    ),
    (Sense::Span(30), "questo mese|mese scorso|il mese scorso"),
    (
        Sense::Last,
        "ultimi|ultime|gli ultimi|negli ultimi|nelle ultime",
    ),
    (Sense::Distance, "km|chilometro|chilometri"),
    (Sense::Money("EUR"), "euro|eur"),
    (
        Sense::Available,
        "disponibile|disponibili|in magazzino|in stock|sul piazzale",
    ),
    (Sense::Sold, "venduto|venduti|vendute"),
    (
        Sense::Beyond(Beyond::Future),
        "mese prossimo|prossimo mese|prossima settimana|anno prossimo|prossimo anno|previsione|previsioni|domani|futuro",
    ),
    (
        Sense::Beyond(Beyond::Profit),
        "profitto|margine|guadagno|fatturato|ricavi|redditività",
    ),
    (Sense::Beyond(Beyond::Visits), "clic|visite|visitatori"),
    (
        Sense::Beyond(Beyond::Person),
        "chi ha comprato|nome del cliente|quale cliente",
    ),
    (
        Sense::Subject,
        "auto|macchina|macchine|veicolo|veicoli|prodotto|prodotti|articolo|articoli|pezzi|inventario|catalogo|assortimento|gamma|offerta|tutto|tutti|tutte|mobili",
    ),
    (
        Sense::Ask,
        "quale|quali|mostra|mostrami|elenca|elenco|abbiamo|ci sono|cerca|fammi vedere",
    ),
    (
        Sense::FollowUp,
        "e in|e per|e i|e le|solo|soltanto|ora|adesso|e con",
    ),
    (Sense::Those, "questi|queste|quelli|quelle|di questi"),
    (Sense::And, "e|ed|nonché"),
    (Sense::Or, "o|oppure"),
    (
        Sense::Question,
        "cosa|che cosa|che|come|dove|quando|chi|qual",
    ),
    (
        Sense::Filler,
        "il|lo|la|i|gli|le|l|un|uno|una|di|del|dello|della|dei|degli|delle|a|al|alla|ai|alle|da|dalla|dai|in|nel|nella|nei|nelle|su|sul|sulla|nostro|nostra|nostri|nostre|mio|mia|è|sono|ha|hanno|si|ci|ne|mi|noi|io|questo|questa|molto|più|meno|ciao|grazie|per favore|dammi|dimmi|posso|può|dovrei|dovremmo|dati|file|costano|costa|vendere|vendiamo|già|ancora|se|tempo",
    ),
];
