//! Spanish.

use super::{Phrases, Sense, field};
use crate::question::{Beyond, Change, Skill};

pub(super) const PHRASES: &[Phrases] = &[
    (
        Sense::Skill(Skill::Overview, 3),
        "resumen|visión general|panorama|vista general|resume",
    ),
    (Sense::Skill(Skill::Overview, 2), "qué tenemos|qué vendemos"),
    (
        Sense::Skill(Skill::Gaps, 3),
        "hueco|huecos|vacío|laguna|no ofrecemos|no tenemos nada|falta en el surtido|faltan en la gama|qué nos falta",
    ),
    (
        Sense::Skill(Skill::PriceLadder, 3),
        "escala de precios|rango de precios|franja de precios|niveles de precio|distribución de precios|escalones de precio",
    ),
    (
        Sense::Skill(Skill::PriceOutliers, 3),
        "precios raros|precio raro|precios extraños|precios sospechosos|atípico|atípicos|precio erróneo|precios erróneos|errores de precio|anómalo",
    ),
    (
        Sense::Skill(Skill::FeedQuality, 3),
        "calidad de los datos|calidad del feed|incompleto|incompletos|completitud|campos vacíos|datos faltantes|campos faltantes",
    ),
    (
        Sense::Skill(Skill::Duplicates, 3),
        "duplicado|duplicados|repetido|repetidos|dos veces",
    ),
    (
        Sense::Skill(Skill::Availability, 3),
        "agotado|agotados|sin existencias|sin stock|fuera de stock|no disponible|pocas existencias|se está acabando|reponer",
    ),
    (
        Sense::Skill(Skill::Aging, 3),
        "demasiado tiempo|mucho tiempo|antigüedad|llevan más de|lleva más de|llevan demasiado|parado|parados|stock viejo|estancado|días en stock|sin vender",
    ),
    (
        Sense::TiedUp,
        "inmovilizado|capital inmovilizado|dinero inmovilizado",
    ),
    (
        Sense::Skill(Skill::Velocity, 3),
        "rotación|días de inventario|días de stock|se vende|se venden|más vendido|más vendidos|hemos vendido|vendimos|ventas|cobertura de stock",
    ),
    (
        Sense::Skill(Skill::PriceToMarket, 3),
        "precio de mercado|demasiado caro|demasiado caros|sobrevalorado|frente al mercado|respecto al mercado|competencia|por encima del mercado|competitivo",
    ),
    (
        Sense::Skill(Skill::Markdowns, 3),
        "rebajar|bajar el precio|bajar los precios|descontar|descuento|liquidar|reducir el precio|rebaja|rebajas",
    ),
    (
        Sense::Skill(Skill::Freshness, 3),
        "actualizado|actualizados|qué tan actuales|última actualización|de cuándo son|fecha de los datos|al día",
    ),
    (
        Sense::Skill(Skill::Changes, 3),
        "ha cambiado|han cambiado|cambios|cambió|diferencia entre",
    ),
    (
        Sense::Changed(Change::New),
        "nuevo desde|novedades|qué hay de nuevo|son nuevos|ha llegado|han llegado|añadido|añadidos",
    ),
    (
        Sense::Changed(Change::Gone),
        "desaparecido|desapareció|desaparecieron|ya no está|ya no están|se fueron",
    ),
    (
        Sense::Changed(Change::PriceUp),
        "subido de precio|subida de precio|subieron|encarecido",
    ),
    (
        Sense::Changed(Change::PriceDown),
        "bajado de precio|bajada de precio|bajaron|abaratado",
    ),
    (Sense::Arrived, "llegaron|llegado|recibido|recibidos"),
    (
        Sense::Skill(Skill::Leads, 3),
        "lead|prospecto|solicitud de contacto|prueba de conducción",
    ),
    (Sense::Count, "cuántos|cuántas|cuánto|número de|cantidad de"),
    (Sense::Mean, "promedio|media|precio medio|precio promedio"),
    (Sense::Median, "mediana|precio mediano"),
    (Sense::Total, "total|suma|valor total"),
    (Sense::Dearest, "más caro|más caros|más cara|más caras"),
    (
        Sense::Cheapest,
        "más barato|más baratos|más barata|más baratas|más económico|más económicos",
    ),
    (
        Sense::Oldest,
        "más antiguo|más antiguos|más viejo|más viejos",
    ),
    (
        Sense::Newest,
        "más nuevo|más nuevos|más reciente|más recientes",
    ),
    (Sense::Top, "top|primeros"),
    (Sense::Field(field::PRICE), "precio|valor"),
    (
        Sense::Field(field::COST),
        "coste|costo|precio de compra|capital",
    ),
    (Sense::Field(field::IMAGE), "foto|imagen|imágenes"),
    (Sense::Field(field::VIN), "vin|bastidor|número de bastidor"),
    (Sense::Field(field::GTIN), "ean|gtin|código de barras"),
    (Sense::Field(field::TITLE), "título|nombre"),
    (Sense::Field(field::DESCRIPTION), "descripción"),
    (Sense::Field(field::CATEGORY), "categoría|sección|familia"),
    (Sense::Field(field::TYPE), "tipo"),
    (Sense::Field(field::BRAND), "marca|fabricante|proveedor"),
    (Sense::Field(field::MODEL), "modelo"),
    (Sense::Field(field::BODY), "carrocería"),
    (Sense::Field(field::FUEL), "combustible"),
    (
        Sense::Field(field::TRANSMISSION),
        "transmisión|cambio de marchas",
    ),
    (Sense::Field(field::COLOUR), "color"),
    (Sense::Field(field::SIZE), "talla|tamaño"),
    (Sense::Field(field::MATERIAL), "material"),
    (Sense::Field(field::CONDITION), "estado"),
    (Sense::Field(field::QUANTITY), "existencias|cantidad"),
    (
        Sense::Field(field::ROOFTOP),
        "tienda|sucursal|concesionario|local|sede",
    ),
    (Sense::Field(field::ODOMETER), "kilometraje"),
    (Sense::Field(field::AGE), "edad"),
    (Sense::By, "por|por cada|según"),
    (Sense::Missing, "falta|faltan|carecen de|le falta|les falta"),
    (Sense::Lack, "sin|no tienen|no tiene|ningún|ninguna|nada"),
    (Sense::Need, "necesita|necesitan"),
    (Sense::Number(1000), "mil"),
    (Sense::With, "con"),
    (Sense::Not, "no|excepto|salvo|menos los"),
    (Sense::Under, "menos de|por debajo de|inferior a|bajo"),
    (Sense::Over, "más de|por encima de|superior a"),
    (Sense::CheaperThan, "más barato que|más baratos que"),
    (Sense::DearerThan, "más caro que|más caros que"),
    (Sense::AtMost, "hasta|como máximo|máximo"),
    (Sense::AtLeast, "al menos|desde|a partir de|mínimo"),
    (Sense::Between, "entre"),
    (Sense::To, "a"),
    (Sense::OrLess, "o menos"),
    (Sense::OrMore, "o más|en adelante"),
    (Sense::Number(2), "dos"),
    (Sense::Number(3), "tres"),
    (Sense::Number(4), "cuatro"),
    (Sense::Number(5), "cinco"),
    (Sense::Number(6), "seis"),
    (Sense::Number(10), "diez"),
    (Sense::Number(20), "veinte"),
    (Sense::Unit(1), "día|días"),
    (Sense::Unit(7), "semana|semanas"),
    (Sense::Unit(30), "mes|meses"),
    (Sense::Unit(365), "año|años"),
    (Sense::Span(1), "ayer|desde ayer|hoy"),
    (
        Sense::Span(7),
        "esta semana|semana pasada|la semana pasada|desde la semana pasada",
    ),
    (Sense::Span(30), "este mes|mes pasado|el mes pasado"),
    (
        Sense::Last,
        "últimos|últimas|los últimos|en los últimos|en las últimas",
    ),
    (Sense::Distance, "km|kilómetro|kilómetros|millas"),
    (Sense::Money("EUR"), "euro|euros|eur"),
    (Sense::Money("USD"), "dólar|dólares|usd"),
    (
        Sense::Available,
        "disponible|disponibles|en stock|en el lote",
    ),
    (Sense::Sold, "vendido|vendidos"),
    (
        Sense::Beyond(Beyond::Future),
        "próximo mes|mes que viene|próxima semana|próximo año|año que viene|pronóstico|previsión|mañana|futuro",
    ),
    (
        Sense::Beyond(Beyond::Profit),
        "beneficio|margen|ganancia|ingresos|rentabilidad",
    ),
    (Sense::Beyond(Beyond::Visits), "clics|visitas|visitantes"),
    (
        Sense::Beyond(Beyond::Person),
        "quién compró|nombre del cliente|qué cliente",
    ),
    (
        Sense::Subject,
        "coche|carro|auto|vehículo|producto|artículo|pieza|inventario|catálogo|surtido|gama|oferta|todo|todos|todas|mueble",
    ),
    (
        Sense::Ask,
        "cuál|cuáles|muestra|muéstrame|enséñame|lista|tenemos|hay|busca",
    ),
    (
        Sense::FollowUp,
        "y en|y los|y las|solo|solamente|ahora|qué tal|y para|y con",
    ),
    (Sense::Those, "esos|esas|estos|estas|de ellos"),
    (Sense::And, "y|e|así como"),
    (Sense::Or, "o|u"),
    (Sense::Question, "qué|cómo|dónde|cuándo|quién"),
    (
        Sense::Filler,
        "el|la|los|las|un|una|unos|unas|de|del|al|a|en|para|nuestro|nuestra|nuestros|nuestras|mi|mis|su|sus|es|son|está|están|ha|han|hemos|tiene|tienen|se|que|lo|le|les|nos|me|te|ser|muy|ya|más|menos|hola|gracias|por favor|dame|dime|puedo|puede|debería|deberíamos|debemos|datos|archivo|cuestan|cuesta|vender|vendemos|desde hace|llevan|lleva|como|esta|este|esto|si",
    ),
];
