//! Dutch.

use super::{Phrases, Sense, field};
use crate::question::{Beyond, Change, Skill};

pub(super) const PHRASES: &[Phrases] = &[
    (
        Sense::Skill(Skill::Overview, 3),
        "overzicht|samenvatting|totaalbeeld",
    ),
    (
        Sense::Skill(Skill::Overview, 2),
        "wat hebben we|wat verkopen we",
    ),
    (
        Sense::Skill(Skill::Gaps, 3),
        "gaten|gat|hiaat|hiaten|ontbreekt in het assortiment|ontbreken in het assortiment|hebben we niet|verkopen we niet|voeren we niet",
    ),
    (
        Sense::Skill(Skill::PriceLadder, 3),
        "prijsladder|prijspunten|prijsklasse|prijsklassen|prijsniveaus|prijsverdeling|prijsbereik",
    ),
    (
        Sense::Skill(Skill::PriceOutliers, 3),
        "uitschieter|uitschieters|vreemde prijzen|rare prijzen|verdachte prijzen|foute prijzen|prijsfout|prijsfouten|afwijkende prijzen",
    ),
    (
        Sense::Skill(Skill::FeedQuality, 3),
        "datakwaliteit|kwaliteit van de data|volledigheid|onvolledig|ontbrekende gegevens|ontbrekende velden|lege velden",
    ),
    (
        Sense::Skill(Skill::Duplicates, 3),
        "dubbel|dubbele|duplicaat|duplicaten|twee keer",
    ),
    (
        Sense::Skill(Skill::Availability, 3),
        "uitverkocht|niet op voorraad|niet meer op voorraad|bijna op|lage voorraad|niet leverbaar|niet beschikbaar|bijbestellen",
    ),
    (
        Sense::Skill(Skill::Aging, 3),
        "te lang|staan langer|staat langer|liggen langer|ligt langer|winkeldochter|winkeldochters|statijd|stadagen|oude voorraad|stilstaan|staan al|staat al",
    ),
    (
        Sense::TiedUp,
        "vastzit|vast zit|gebonden kapitaal|kapitaal vast",
    ),
    (
        Sense::Skill(Skill::Velocity, 3),
        "omloopsnelheid|voorraaddagen|dagen voorraad|bestseller|best verkocht|best verkochte|verkochten we|hebben we verkocht|hoe snel|verkoopcijfers|hardlopers",
    ),
    (
        Sense::Skill(Skill::PriceToMarket, 3),
        "marktprijs|te duur|te goedkoop|boven de markt|onder de markt|ten opzichte van de markt|concurrentie|concurrent|concurrenten|marktconform",
    ),
    (
        Sense::Skill(Skill::Markdowns, 3),
        "afprijzen|prijs verlagen|prijzen verlagen|korting|afwaarderen|opruimen|uitverkoop",
    ),
    (
        Sense::Skill(Skill::Freshness, 3),
        "hoe actueel|actualiteit|hoe oud zijn de gegevens|laatst bijgewerkt|hoe recent|van wanneer",
    ),
    (
        Sense::Skill(Skill::Changes, 3),
        "veranderd|gewijzigd|verandering|veranderingen|verschil tussen|prijswijziging|prijswijzigingen",
    ),
    (
        Sense::Changed(Change::New),
        "nieuw sinds|is nieuw|zijn nieuw|nieuw binnen|binnengekomen|toegevoegd",
    ),
    (
        Sense::Changed(Change::Gone),
        "verdwenen|niet meer aanwezig|weggegaan|verdween",
    ),
    (
        Sense::Changed(Change::PriceUp),
        "duurder geworden|prijsverhoging|prijsverhogingen|gestegen|duurder dan gisteren",
    ),
    (
        Sense::Changed(Change::PriceDown),
        "goedkoper geworden|prijsverlaging|prijsverlagingen|gedaald|goedkoper dan gisteren|goedkoper dan vorige week",
    ),
    (Sense::Arrived, "aangekomen|ontvangen"),
    (
        Sense::Skill(Skill::Leads, 3),
        "lead|aanvraag|aanvragen|proefrit",
    ),
    (Sense::Count, "hoeveel|aantal|het aantal"),
    (Sense::Mean, "gemiddelde|gemiddeld|gemiddelde prijs"),
    (Sense::Median, "mediaan|mediane prijs"),
    (Sense::Total, "totaal|totale|som|samen"),
    (Sense::Dearest, "duurste"),
    (Sense::Cheapest, "goedkoopste|voordeligste"),
    (Sense::Oldest, "oudste"),
    (Sense::Newest, "nieuwste|jongste"),
    (Sense::Highest, "hoogste|meeste|grootste"),
    (Sense::Lowest, "laagste|minste|kleinste"),
    (Sense::Top, "top|eerste"),
    (Sense::Field(field::PRICE), "prijs|prijzen|waarde"),
    (Sense::Field(field::COST), "inkoopprijs|kostprijs|kapitaal"),
    (
        Sense::Field(field::IMAGE),
        "foto|foto s|afbeelding|afbeeldingen|plaatje",
    ),
    (Sense::Field(field::VIN), "vin|chassisnummer"),
    (Sense::Field(field::GTIN), "ean|gtin|barcode|streepjescode"),
    (Sense::Field(field::TITLE), "titel|naam"),
    (
        Sense::Field(field::DESCRIPTION),
        "beschrijving|omschrijving",
    ),
    (
        Sense::Field(field::CATEGORY),
        "categorie|afdeling|productgroep",
    ),
    (Sense::Field(field::TYPE), "type|soort"),
    (Sense::Field(field::BRAND), "merk|fabrikant|leverancier"),
    (Sense::Field(field::MODEL), "model"),
    (Sense::Field(field::YEAR), "bouwjaar|modeljaar"),
    (Sense::Field(field::BODY), "carrosserie"),
    (Sense::Field(field::FUEL), "brandstof"),
    (
        Sense::Field(field::TRANSMISSION),
        "versnellingsbak|transmissie",
    ),
    (Sense::Field(field::COLOUR), "kleur"),
    (Sense::Field(field::SIZE), "maat"),
    (Sense::Field(field::MATERIAL), "materiaal"),
    (Sense::Field(field::CONDITION), "staat van"),
    (Sense::Field(field::QUANTITY), "voorraadaantal"),
    (
        Sense::Field(field::ROOFTOP),
        "vestiging|winkel|filiaal|locatie",
    ),
    (Sense::Field(field::ODOMETER), "kilometerstand"),
    (Sense::Field(field::AGE), "leeftijd"),
    (Sense::By, "per|voor elke|voor elk|uitgesplitst naar"),
    (
        Sense::Lack,
        "zonder|geen|ontbreekt|ontbreken|mist|missen|niets|leeg",
    ),
    (Sense::With, "met"),
    (Sense::Not, "niet|behalve|uitgezonderd"),
    (Sense::Under, "onder|minder dan|lager dan|goedkoper dan"),
    (
        Sense::Over,
        "boven|meer dan|langer dan|hoger dan|duurder dan",
    ),
    (Sense::AtMost, "hoogstens|maximaal|tot en met"),
    (Sense::AtLeast, "minstens|vanaf|minimaal"),
    (Sense::Between, "tussen"),
    (Sense::To, "tot"),
    (Sense::OrLess, "of minder"),
    (Sense::OrMore, "of meer|of nieuwer|en hoger"),
    (Sense::OlderThan, "ouder dan"),
    (Sense::NewerThan, "nieuwer dan|jonger dan"),
    (Sense::Number(1), "een"),
    (Sense::Number(2), "twee"),
    (Sense::Number(3), "drie"),
    (Sense::Number(4), "vier"),
    (Sense::Number(5), "vijf"),
    (Sense::Number(6), "zes"),
    (Sense::Number(10), "tien"),
    (Sense::Number(20), "twintig"),
    (Sense::Unit(1), "dag|dagen"),
    (Sense::Unit(7), "week|weken"),
    (Sense::Unit(30), "maand|maanden"),
    (Sense::Unit(365), "jaar|jaren"),
    (Sense::Span(1), "gisteren|sinds gisteren|vandaag"),
    (
        Sense::Span(7),
        "deze week|vorige week|sinds vorige week|afgelopen week",
    ),
    (Sense::Span(30), "deze maand|vorige maand|afgelopen maand"),
    (
        Sense::Last,
        "laatste|de laatste|in de laatste|afgelopen|de afgelopen",
    ),
    (Sense::Distance, "km|kilometer|kilometers"),
    (Sense::Money("EUR"), "euro|euros|eur"),
    (
        Sense::Available,
        "op voorraad|beschikbaar|leverbaar|te koop|onverkocht",
    ),
    (Sense::Sold, "verkocht|verkochte"),
    (
        Sense::Beyond(Beyond::Future),
        "volgende maand|volgend jaar|volgende week|voorspelling|prognose|morgen|toekomst",
    ),
    (Sense::Beyond(Beyond::Profit), "winst|marge|omzet|rendement"),
    (
        Sense::Beyond(Beyond::Visits),
        "klikken|bezoekers|bezoeken|paginaweergaven",
    ),
    (
        Sense::Beyond(Beyond::Person),
        "wie heeft gekocht|naam van de klant|welke klant",
    ),
    (
        Sense::Subject,
        "auto|auto s|wagen|voertuig|voertuigen|product|producten|artikel|artikelen|voorraad|catalogus|assortiment|aanbod|alles|alle|spullen|meubels",
    ),
    (
        Sense::Ask,
        "welke|welk|toon|laat zien|laat me zien|lijst|hebben we|zijn er|is er|zoek",
    ),
    (
        Sense::FollowUp,
        "en in|en voor|en de|hoe zit het met|alleen|alleen de|nu|enkel",
    ),
    (Sense::Those, "daarvan|deze|die"),
    (Sense::And, "en|evenals"),
    (Sense::Or, "of"),
    (Sense::Question, "wat|hoe|waar|wanneer|waarom|wie"),
    (
        Sense::Filler,
        "de|het|van|in|op|aan|bij|voor|we|wij|ons|onze|ik|mij|mijn|is|zijn|was|heeft|hebben|heb|er|te|dat|dit|al|nog|ook|zo|dan|kan|kunnen|moeten|moet|zouden|geef|graag|alsjeblieft|hallo|bedankt|staan|staat|liggen|ligt|gegevens|bestand|kosten|kost|verkopen|zeer|meer|minder|lang|sinds|naar|om|door|als|mogen",
    ),
];
