//! What columns are called, in English, German, French, Spanish, Italian and Dutch.

use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::RandomState;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::{Role, currency};

/// How surely a name has a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// Only beside values that fit, and where nothing better has the meaning.
    Weak,
    /// Usually.
    Fair,
    /// It has no other.
    Strong,
}

/// Names by meaning: strong ones, fair ones, weak ones. As [`key`] makes them of headers.
type Names = (Role, &'static str, &'static str, &'static str);

const NAMES: &[Names] = &[
    (
        Role::Id,
        "sku variantsku stockno stocknumber stocknum stocknr stockid itemno itemnumber itemid articleno articlenumber \
         artikelnummer artikelnr artnr productid productcode productno offerid vehicleid unitid fahrzeugnummer \
         bestandsnummer lagernummer inventarnummer referenceno reference referencia riferimento numerodestock \
         numerostock codicearticolo codigodearticulo voorraadnummer dealerstockno partno partnumber",
        "id code ref itemcode articlecode listingid adid uniqueid mpn codice codigo referentie",
        "stock",
    ),
    (
        Role::Group,
        "handle urlhandle itemgroupid parentsku parentid productgroupid",
        "parent groupid parentproduct variantgroup",
        "",
    ),
    (
        Role::Vin,
        "vin vinno vinnumber vincode vehicleidentificationnumber chassisno chassisnumber chassisnummer fin \
         fahrgestellnummer fahrzeugidentnummer fahrzeugidentifizierungsnummer bastidor numerodebastidor \
         numerodechassis numerodeserie telaio numerotelaio numeroditelaio",
        "",
        "",
    ),
    (
        Role::Gtin,
        "gtin gtin8 gtin12 gtin13 gtin14 ean ean8 ean13 eancode upc upccode eanupc isbn isbn10 isbn13 barcode \
         variantbarcode gtinupceanorisbn",
        "strichcode codebarre codebarres codeabarres codigodebarras codiceabarre streepjescode",
        "",
    ),
    (
        Role::Title,
        "title name productname producttitle itemname itemtitle vehicletitle listingtitle adtitle titel produktname \
         produkttitel produktbezeichnung artikelname artikelbezeichnung bezeichnung titre nomduproduit nomproduit \
         designation titulo nombre nombredelproducto titolo nome nomeprodotto nomedelprodotto productnaam naam",
        "heading headline product item article artikel produkt denominazione denominacion libelle wine book",
        "vehicle fahrzeug vehicule vehiculo veicolo voertuig",
    ),
    (
        Role::Description,
        "description bodyhtml longdescription productdescription vehicledescription beschreibung produktbeschreibung \
         descrizione descripcion omschrijving productomschrijving",
        "sellernotes dealercomments comments shortdescription kurzbeschreibung descriptioncourte details",
        "",
    ),
    (
        Role::Category,
        "category categories productcategory productcategories maincategory kategorie kategorien produktkategorie \
         warengruppe categorie categoria categorias categorieen productcategorie rubrik maintaxon rayon",
        "googleproductcategory taxon taxons department segment abteilung reparto afdeling collection productline",
        "group gruppe groupe grupo gruppo groep countryregion",
    ),
    (
        Role::ProductType,
        "producttype customproducttype produkttyp typedeproduit tipodeproducto tipodiprodotto tipoprodotto",
        "type",
        "",
    ),
    (
        Role::Brand,
        "brand brandname vendor",
        "manufacturer marke hersteller marque fabricant marca fabricante produttore merk fabrikant brands",
        "supplier lieferant fournisseur proveedor fornitore leverancier",
    ),
    (Role::Make, "make vehiclemake carmake makename", "", ""),
    (
        Role::Model,
        "model vehiclemodel carmodel modelname modell modele modelo modello",
        "modelbase modelseries baureihe",
        "",
    ),
    (
        Role::Trim,
        "trim trimlevel trimname ausstattungslinie finition acabado allestimento",
        "derivative version versione uitvoering ausstattung",
        "series variant",
    ),
    (
        Role::Year,
        "year modelyear vehicleyear baujahr modelljahr annee anneemodele ano anomodelo anno annomodello bouwjaar \
         modeljaar",
        "vintage jahrgang millesime annata",
        "",
    ),
    (
        Role::Body,
        "bodystyle bodytype bodyclass vehiclebody karosserie karosserieform aufbau aufbauart carrosserie carroceria \
         carrozzeria",
        "body",
        "",
    ),
    (
        Role::Fuel,
        "fuel fueltype kraftstoff kraftstoffart treibstoff carburant combustible carburante brandstof",
        "energie alimentazione powertrain",
        "",
    ),
    (
        Role::Transmission,
        "transmission transmissiontype gearbox getriebe getriebeart boitedevitesses boitedevitesse transmision \
         versnellingsbak transmissie",
        "cambio boite cajadecambios",
        "",
    ),
    (
        Role::Colour,
        "color colour exteriorcolor exteriorcolour extcolor extcolour colorexterior aussenfarbe farbe couleur \
         couleurexterieure colore coloreesterno kleur",
        "basecolor paint lackierung lack",
        "",
    ),
    (
        Role::Size,
        "size groesse grosse taille talla taglia maat",
        "",
        "",
    ),
    (
        Role::Material,
        "material matiere materiau materiale materiaal werkstoff",
        "",
        "",
    ),
    (
        Role::Condition,
        "condition itemcondition vehiclecondition newused neworused zustand condizione googleshoppingcondition",
        "etat staat conditie stocktype inventorytype",
        "type estado",
    ),
    (
        Role::Price,
        "price variantprice regularprice sellingprice internetprice advertisedprice askingprice listingprice \
         vehicleprice webprice onlineprice currentprice preis verkaufspreis prix prixdevente \
         precio preciodeventa precioventa prezzo prezzodivendita prijs verkoopprijs",
        "retailprice listprice salesprice ourprice priceincltax priceincvat pricewithtax prixttc bruttopreis \
         preisbrutto grossprice pvp pricetaxexcludedorpricetaxincluded pricetaxincluded price1 unitretail",
        "retail amount betrag unitprice einzelpreis prixunitaire pricetaxexcluded priceextax prixht nettopreis",
    ),
    (
        Role::SalePrice,
        "saleprice variantsaleprice specialprice promoprice discountedprice discountprice reducedprice \
         angebotspreis sonderpreis aktionspreis prixpromo prixpromotionnel prixsolde preciooferta preciorebajado \
         preciodeoferta prezzoscontato prezzopromozionale aanbiedingsprijs actieprijs",
        "offerprice",
        "",
    ),
    (
        Role::CompareAtPrice,
        "compareatprice variantcompareatprice compareprice wasprice originalprice streichpreis prixbarre \
         precioanterior preciotachado prezzobarrato vanprijs",
        "oldprice alterpreis ancienprix",
        "",
    ),
    (
        Role::Msrp,
        "msrp vehiclemsrp rrp uvp stickerprice manufacturersuggestedretailprice listenpreis neupreis prixcatalogue \
         prixpublic prezzodilistino catalogusprijs adviesprijs preciorecomendado",
        "",
        "",
    ),
    (
        Role::Cost,
        "cost costperitem unitcost costprice vehiclecost dealercost totalcost acquisitioncost invoice invoiceprice \
         purchaseprice wholesaleprice costofgoodssold einkaufspreis prixdachat preciodecompra preciocompra coste costo \
         prezzodiacquisto inkoopprijs inkoop",
        "kosten cout acv",
        "",
    ),
    (
        Role::Currency,
        "currency currencycode pricecurrency waehrung wahrung devise moneda valuta divisa",
        "",
        "",
    ),
    (
        Role::Quantity,
        "quantity qty inventoryquantity inventoryqty variantinventoryqty variantinventoryquantity stockquantity \
         stockqty stocklevel onhand stockonhand unitsinstock availablequantity menge lagerbestand bestand quantite \
         quantiteenstock cantidad existencias quantita giacenza aantal voorraad",
        "inventory available anzahl units",
        "stock lager",
    ),
    (
        Role::Availability,
        "availability instock isinstock stockstatus verfugbarkeit verfuegbarkeit lieferbar disponibilite \
         disponibilidad disponibilita beschikbaarheid",
        "",
        "",
    ),
    (
        Role::Status,
        "status listingstatus vehiclestatus inventorystatus productstatus unitstatus statut stato",
        "",
        "state",
    ),
    (
        Role::Image,
        "image imagesrc imagelink imagelinks imageurl imageurls imagelist photourl photourls photolist photolink \
         pictureurl pictureurls mainimage baseimage primaryimage productimageurl bild bildurl bilder imagen imagenes \
         immagine immagini afbeelding afbeeldingen",
        "images photo photos picture pictures foto fotos",
        "variantimage",
    ),
    (
        Role::PhotoCount,
        "photocount photoscount imagecount numberofphotos numberofimages numphotos anzahlbilder anzahlfotos \
         nombredephotos numerodefotos numerofoto aantalfotos",
        "",
        "images photos pictures fotos bilder",
    ),
    (
        Role::Link,
        "link url producturl productlink vdpurl vdplink vehicleurl detailurl listingurl pageurl permalink weblink \
         lien enlace",
        "website",
        "",
    ),
    (
        Role::Odometer,
        "odometer odometerreading mileage miles kilometers kilometres kilometerstand kmstand laufleistung \
         kilometrage kilometraje chilometraggio chilometri",
        "km mi",
        "",
    ),
    (
        Role::DateInStock,
        "dateinstock instockdate stockdate instocksince dateacquired acquireddate acquisitiondate datereceived \
         receiveddate inventorydate dateonlot lotdate purchasedate eingangsdatum zugangsdatum einkaufsdatum \
         datedentree dateentree dateentreestock fechadeentrada fechaentrada dataingresso dataentrata datumbinnenkomst",
        "entrydate arrivaldate",
        "",
    ),
    (
        Role::DateAdded,
        "dateadded createdat created createddate datecreated creationdate productcreationdate publishedat \
         publishdate datepublished listingdate listdate listedat dateposted pubdate erstellt erstelltam angelegtam \
         anlagedatum datedecreation datecreation datedajout fechadecreacion fechacreacion datacreazione \
         aanmaakdatum",
        "firstseen added",
        "published",
    ),
    (
        Role::DateUpdated,
        "dateupdated updatedat updated updateddate lastupdated lastupdate lastmodified modified modifiedat \
         datemodified geandertam aktualisiert aktualisiertam anderungsdatum datedemiseajour datemaj \
         datedemodification fechadeactualizacion fechaactualizacion dataaggiornamento datamodifica bijgewerkt \
         wijzigingsdatum",
        "lastseen",
        "",
    ),
    (
        Role::DateSold,
        "datesold solddate soldat soldon saledate dateofsale verkaufsdatum verkauftam datedevente datevente \
         fechadeventa fechaventa datavendita datadivendita verkoopdatum",
        "dealdate",
        "",
    ),
    (
        Role::SnapshotDate,
        "snapshotdate snapshot asof asofdate exportdate exportedat exportdatum reportdate datadate stichtag \
         datedextraction dateexport feeddate",
        "filedate",
        "",
    ),
    (
        Role::AgeDays,
        "age agedays ageindays daysinstock daysininventory daysinventory daysonlot inventoryage standtage standzeit \
         lagertage joursenstock ageenjours diasenstock giorniinstock dageninstock stadagen",
        "dol days daysonmarket alter dias giorni dagen jours",
        "",
    ),
    (
        Role::SoldQuantity,
        "soldquantity quantitysold qtysold unitssold soldunits itemssold totalsold abverkauf quantitevendue \
         unidadesvendidas quantitavenduta aantalverkocht",
        "sold sales verkauft ventes ventas vendite verkocht",
        "",
    ),
    (
        Role::Rooftop,
        "rooftop rooftopname store storename dealer dealername dealership dealershipname location locationname \
         branch branchname filiale standort autohaus concession tienda concesionario sucursal negozio sede \
         concessionaria vestiging magasin",
        "storecode storeid dealerid dealercode locationid site lot betrieb",
        "",
    ),
    (Role::Event, "event eventtype", "", ""),
    (Role::EventDate, "eventdate", "", ""),
    (Role::OldPrice, "previousprice", "", ""),
    (Role::LeadId, "leadid", "", ""),
    (Role::LeadState, "leadstate leadstatus", "", ""),
    (Role::LeadAgent, "leadagent leadsource", "", ""),
    (
        Role::LeadCount,
        "leadcount numberofleads",
        "leads enquiries inquiries anfragen",
        "",
    ),
];

/// The meanings that a name can have.
type ByName = HashMap<&'static str, Vec<(Role, Strength)>, RandomState>;

static BY_NAME: LazyLock<ByName> = LazyLock::new(|| {
    let mut by_name: HashMap<_, Vec<_>, _> = HashMap::default();
    for (role, strong, fair, weak) in NAMES {
        for (names, strength) in [
            (strong, Strength::Strong),
            (fair, Strength::Fair),
            (weak, Strength::Weak),
        ] {
            for name in names.split_ascii_whitespace() {
                by_name.entry(name).or_default().push((*role, strength));
            }
        }
    }
    by_name
});

/// Bytes of a header that can mean something. In a file without a header a text may stand in its place.
const LONGEST_HEADER: usize = 100;

/// What a header can mean.
pub(super) fn meanings(header: &str) -> Vec<(Role, Strength)> {
    if header.len() > LONGEST_HEADER {
        return Vec::new();
    }
    let of = |name: &str| BY_NAME.get(key(name).as_str()).cloned();
    // `Price / Germany` is the price in a market, where no other is: Shopify.
    let market = || {
        let mut meanings = of(header.split_once(" / ")?.0)?;
        meanings.retain(|(role, _)| matches!(role, Role::Price | Role::CompareAtPrice));
        for (_, strength) in &mut meanings {
            *strength = Strength::Weak;
        }
        Some(meanings)
    };
    of(header)
        .or_else(|| of(&without_hints(header)))
        .or_else(|| of(&without_currencies(&without_hints(header))))
        .or_else(market)
        .unwrap_or_default()
}

/// True for the name of a column whose meaning is known.
pub(super) fn is_known(header: &str) -> bool {
    !header.trim().is_empty() && !meanings(header).is_empty()
}

/// A header as it is compared: small letters and digits without accents; `#` is a number.
fn key(header: &str) -> String {
    let header = header.trim();
    // Google's feeds in XML call it `g:price`.
    let header = header.strip_prefix("g:").unwrap_or(header);
    header
        .chars()
        .nfd()
        .filter(|letter| !is_combining_mark(*letter))
        .flat_map(char::to_lowercase)
        .fold(String::new(), |mut key, letter| {
            match letter {
                'ß' => key.push_str("ss"),
                'ø' => key.push('o'),
                'æ' => key.push_str("ae"),
                '#' | '№' => key.push_str("no"),
                letter if letter.is_alphanumeric() => key.push(letter),
                _ => {}
            }
            key
        })
}

/// A header without what stands in parentheses: `Categories (x;y;z...)`, `Mileage [mi]`.
fn without_hints(header: &str) -> String {
    let mut depth = 0_usize;
    header
        .chars()
        .filter(|letter| {
            match letter {
                '(' | '[' => depth += 1,
                ')' | ']' => {
                    depth = depth.saturating_sub(1);
                    return false;
                }
                _ => {}
            }
            depth == 0
        })
        .collect()
}

/// A header without the currency that it names: `price_eur`, `Preis in EUR`.
fn without_currencies(header: &str) -> String {
    let words = header
        .split(|letter: char| letter.is_whitespace() || "_-/.:".contains(letter))
        .filter(|word| currency::of_header(word).is_none() && !matches!(*word, "in" | "en"));
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(header: &str) -> Option<Role> {
        let meanings = meanings(header);
        meanings
            .iter()
            .max_by_key(|(_, strength)| *strength)
            .map(|(role, _)| *role)
    }

    #[test]
    fn headers_are_known_however_they_are_spelled() {
        for (header, role) in [
            ("Stock #", Role::Id),
            ("stock_number", Role::Id),
            ("StockNumber", Role::Id),
            ("Variant SKU", Role::Id),
            ("g:item_group_id", Role::Group),
            ("URL handle", Role::Group),
            ("Name *", Role::Title),
            ("Body (HTML)", Role::Description),
            ("Body", Role::Body),
            ("Categories (x;y;z...)", Role::Category),
            ("Price (EUR)", Role::Price),
            ("price_eur", Role::Price),
            ("Preis in €", Role::Price),
            ("Price / Germany", Role::Price),
            ("Compare-at price", Role::CompareAtPrice),
            ("Cost per item", Role::Cost),
            ("Währung", Role::Currency),
            ("Année", Role::Year),
            ("Größe", Role::Size),
            ("Kilometerstand", Role::Odometer),
            ("Mileage [mi]", Role::Odometer),
            ("date_in_stock", Role::DateInStock),
            ("In stock?", Role::Availability),
            ("GTIN, UPC, EAN, or ISBN", Role::Gtin),
        ] {
            assert_eq!(best(header), Some(role), "{header}");
        }
        for header in [
            "",
            "column 3",
            "Meta title",
            "On sale (0/1)",
            "Included / Germany",
            "12.5",
        ] {
            assert_eq!(best(header), None, "{header}");
        }
    }

    #[test]
    fn no_name_stands_twice_for_one_role() {
        for (role, strong, fair, weak) in NAMES {
            let mut names: Vec<&str> = [strong, fair, weak]
                .iter()
                .flat_map(|names| names.split_ascii_whitespace())
                .collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{role:?}");
            assert!(names.iter().all(|name| key(name) == **name), "{role:?}");
        }
    }
}
