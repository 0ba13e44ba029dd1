//! French.

use super::{Phrases, Sense, field};
use crate::question::{Beyond, Change, Skill};

pub(super) const PHRASES: &[Phrases] = &[
    (
        Sense::Skill(Skill::Overview, 3),
        "vue d ensemble|aperçu|résumé|synthèse|panorama",
    ),
    (
        Sense::Skill(Skill::Overview, 2),
        "qu avons nous|qu est ce que nous avons|que vendons nous",
    ),
    (
        Sense::Skill(Skill::Gaps, 3),
        "trou|lacune|manque dans la gamme|manque dans l assortiment|nous n avons pas|ne proposons pas|sous représenté|où sont les manques",
    ),
    (
        Sense::Skill(Skill::PriceLadder, 3),
        "échelle de prix|fourchette de prix|gamme de prix|palier de prix|niveaux de prix|tranche de prix|répartition des prix",
    ),
    (
        Sense::Skill(Skill::PriceOutliers, 3),
        "prix aberrant|aberrant|prix bizarre|prix suspect|prix anormal|erreur de prix|prix faux|prix étrange",
    ),
    (
        Sense::Skill(Skill::FeedQuality, 3),
        "qualité des données|qualité du flux|complétude|incomplet|champs manquants|données manquantes|champs vides",
    ),
    (
        Sense::Skill(Skill::Duplicates, 3),
        "doublon|en double|deux fois|dupliqué",
    ),
    (
        Sense::Skill(Skill::Availability, 3),
        "rupture|rupture de stock|épuisé|plus en stock|pas en stock|stock faible|indisponible|bientôt épuisé|réapprovisionner",
    ),
    (
        Sense::Skill(Skill::Aging, 3),
        "trop longtemps|depuis longtemps|stock dormant|vieillissement|ancienneté|en stock depuis|depuis plus de|invendu|traîne|traînent|âge du stock|sur le parc depuis",
    ),
    (
        Sense::TiedUp,
        "immobilisé|capital immobilisé|argent immobilisé|capital bloqué",
    ),
    (
        Sense::Skill(Skill::Velocity, 3),
        "rotation|jours de stock|couverture de stock|se vend|se vendent|meilleure vente|meilleures ventes|avons nous vendu|vitesse de vente|ventes",
    ),
    (
        Sense::Skill(Skill::PriceToMarket, 3),
        "trop cher|trop chère|trop chers|surévalué|prix du marché|par rapport au marché|concurrence|concurrents|au dessus du marché|compétitif|bien positionné",
    ),
    (
        Sense::Skill(Skill::Markdowns, 3),
        "baisser le prix|baisser les prix|solder|démarquer|réduire|réduire le prix|promotion|remise|démarque|liquider",
    ),
    (
        Sense::Skill(Skill::Freshness, 3),
        "fraîcheur|à jour|dernière mise à jour|de quand datent|date des données|quel âge ont les données",
    ),
    (
        Sense::Skill(Skill::Changes, 3),
        "a changé|ont changé|changement|différence entre|évolution des prix",
    ),
    (
        Sense::Changed(Change::New),
        "nouveau depuis|nouveautés|nouveauté|arrivé|arrivés|est nouveau|sont nouveaux|ajouté",
    ),
    (
        Sense::Changed(Change::Gone),
        "disparu|disparus|n est plus là|ne sont plus là|retiré|parti",
    ),
    (
        Sense::Changed(Change::PriceUp),
        "hausse de prix|prix augmenté|augmenté|devenu plus cher|hausse",
    ),
    (
        Sense::Changed(Change::PriceDown),
        "baisse de prix|prix baissé|baissé|devenu moins cher",
    ),
    (Sense::Arrived, "rentré|rentrés|reçu|reçus"),
    (
        Sense::Skill(Skill::Leads, 3),
        "lead|prospect|demande de contact|essai routier",
    ),
    (
        Sense::Count,
        "combien|combien de|combien d|nombre de|nombre d",
    ),
    (Sense::Mean, "moyenne|moyen|prix moyen|en moyenne"),
    (Sense::Median, "médian|médiane|prix médian"),
    (Sense::Total, "total|somme|valeur totale"),
    (
        Sense::Dearest,
        "plus cher|plus chers|plus chère|plus chères|les plus chers|le plus cher",
    ),
    (
        Sense::Cheapest,
        "moins cher|moins chers|moins chère|moins chères|les moins chers|le moins cher",
    ),
    (
        Sense::Oldest,
        "plus ancien|plus anciens|plus vieux|plus vieilles|plus vieille",
    ),
    (
        Sense::Newest,
        "plus récent|plus récents|plus récentes|derniers arrivés",
    ),
    (Sense::Top, "top|premiers"),
    (Sense::Field(field::PRICE), "prix|valeur"),
    (Sense::Field(field::COST), "prix d achat|coût|capital"),
    (Sense::Field(field::IMAGE), "photo|image"),
    (
        Sense::Field(field::VIN),
        "vin|numéro de série|numéro de châssis",
    ),
    (Sense::Field(field::GTIN), "ean|gtin|code barre|code barres"),
    (Sense::Field(field::TITLE), "titre|nom"),
    (Sense::Field(field::DESCRIPTION), "description"),
    (Sense::Field(field::CATEGORY), "catégorie|rayon|famille"),
    (Sense::Field(field::TYPE), "type"),
    (Sense::Field(field::BRAND), "marque|fabricant|fournisseur"),
    (Sense::Field(field::MODEL), "modèle"),
    (Sense::Field(field::YEAR), "année modèle"),
    (Sense::Field(field::BODY), "carrosserie"),
    (Sense::Field(field::FUEL), "carburant|énergie|motorisation"),
    (Sense::Field(field::TRANSMISSION), "boîte de vitesses|boîte"),
    (Sense::Field(field::COLOUR), "couleur"),
    (Sense::Field(field::SIZE), "taille"),
    (Sense::Field(field::MATERIAL), "matière|matériau"),
    (Sense::Field(field::CONDITION), "état"),
    (Sense::Field(field::QUANTITY), "quantité"),
    (
        Sense::Field(field::ROOFTOP),
        "magasin|concession|site|agence|point de vente",
    ),
    (Sense::Field(field::ODOMETER), "kilométrage"),
    (Sense::Field(field::AGE), "âge"),
    (Sense::By, "par|pour chaque|selon"),
    (Sense::Missing, "manque|manquent|manquant"),
    (
        Sense::Lack,
        "sans|pas de|pas d|aucun|aucune|rien|n ont pas|n a pas",
    ),
    (Sense::Need, "besoin de|besoin d|ont besoin"),
    (Sense::Number(1000), "mille"),
    (Sense::With, "avec"),
    (Sense::Not, "pas|sauf|hors|excepté"),
    (
        Sense::Under,
        "moins de|en dessous de|sous|inférieur à|à moins de",
    ),
    (
        Sense::Over,
        "plus de|au dessus de|supérieur à|depuis plus de",
    ),
    (
        Sense::CheaperThan,
        "moins cher que|moins cher qu|moins chers que|moins chères que",
    ),
    (
        Sense::DearerThan,
        "plus cher que|plus chers que|plus chères que",
    ),
    (Sense::AtMost, "jusqu à|au plus|maximum"),
    (Sense::AtLeast, "au moins|à partir de|minimum|dès"),
    (Sense::Between, "entre"),
    (Sense::To, "à"),
    (Sense::OrLess, "ou moins"),
    (Sense::OrMore, "ou plus|et plus"),
    (Sense::Number(2), "deux"),
    (Sense::Number(3), "trois"),
    (Sense::Number(4), "quatre"),
    (Sense::Number(5), "cinq"),
    (Sense::Number(6), "six"),
    (Sense::Number(7), "sept"),
    (Sense::Number(8), "huit"),
    (Sense::Number(10), "dix"),
    (Sense::Number(20), "vingt"),
    (Sense::Month(1), "janvier"),
    (Sense::Month(2), "février"),
    (Sense::Month(3), "mars"),
    (Sense::Month(4), "avril"),
    (Sense::Month(5), "mai"),
    (Sense::Month(6), "juin"),
    (Sense::Month(7), "juillet"),
    (Sense::Month(8), "août"),
    (Sense::Month(9), "septembre"),
    (Sense::Month(10), "octobre"),
    (Sense::Month(11), "novembre"),
    (Sense::Month(12), "décembre"),
    (Sense::Unit(1), "jour|jours"),
    (Sense::Unit(7), "semaine|semaines"),
    (Sense::Unit(30), "mois"),
    (Sense::Unit(365), "an|ans|année|années"),
    (Sense::Span(1), "hier|depuis hier|aujourd hui"),
    (
        Sense::Span(7),
        "cette semaine|semaine dernière|la semaine dernière|depuis la semaine dernière",
    ),
    (
        Sense::Span(30),
        "ce mois|ce mois ci|le mois dernier|mois dernier",
    ),
    (
        Sense::Last,
        "derniers|dernières|les derniers|ces derniers|au cours des derniers",
    ),
    (Sense::Distance, "km|kilomètre|kilomètres"),
    (Sense::Money("EUR"), "euro|euros|eur"),
    (Sense::Money("CHF"), "francs suisses|chf"),
    (
        Sense::Available,
        "disponible|disponibles|en stock|sur le parc",
    ),
    (Sense::Sold, "vendu|vendus"),
    (
        Sense::Beyond(Beyond::Future),
        "mois prochain|semaine prochaine|année prochaine|l an prochain|prévision|prévoir|demain|futur|avenir",
    ),
    (
        Sense::Beyond(Beyond::Profit),
        "bénéfice|marge|chiffre d affaires|rentabilité|profit",
    ),
    (
        Sense::Beyond(Beyond::Visits),
        "clics|visites|visiteurs|pages vues",
    ),
    (
        Sense::Beyond(Beyond::Person),
        "qui a acheté|nom du client|quel client|téléphone du client",
    ),
    (
        Sense::Subject,
        "voiture|véhicule|produit|article|pièce|stock|catalogue|gamme|assortiment|offre|meuble|tout|tous|toutes|parc",
    ),
    (
        Sense::Ask,
        "quel|quels|quelle|quelles|montre|montrez|montre moi|liste|lister|avons nous|y a t il|avez vous|cherche",
    ),
    (
        Sense::FollowUp,
        "et en|et pour|et les|seulement|uniquement|et à|maintenant|et ceux",
    ),
    (Sense::Those, "ceux ci|celles ci|ceux|celles|parmi eux"),
    (Sense::And, "et|ainsi que"),
    (Sense::Or, "ou"),
    (
        Sense::Question,
        "qu|que|quoi|comment|où|quand|pourquoi|qui|est ce que|qu est ce qui|qu est ce que",
    ),
    (
        Sense::Filler,
        "le|la|les|l|un|une|des|de|du|d|au|aux|à|en|dans|sur|pour|nous|notre|nos|je|j|mon|ma|mes|vous|votre|vos|il|elle|ils|elles|on|est|sont|été|être|a|ont|avons|avez|ai|n|ne|ce|cette|ces|c|s|se|y|t|qui sont|plus|très|bien|donne|donnez|moi|s il vous plaît|svp|merci|bonjour|peut|peux|pouvez|doit|devons|faut|faudrait|encore|déjà|actuellement|chez|coûte|coûtent|données|fichier|chiffres|vendons|vendre|savoir|voudrais|veux|leur|leurs|comme|par rapport|si",
    ),
];
