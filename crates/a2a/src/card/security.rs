//! How callers authenticate (A2A 1.0 §4.5, §7).

use std::collections::BTreeMap;

use serde::de::{MapAccess, SeqAccess};
use serde::{Serialize, Serializer};

use crate::fault::At;
use crate::protojson::{Field, deserialize, message, oneof};

oneof! {
    /// A way to authenticate.
    pub enum SecurityScheme else {
        /// A way that a card names but this version of the protocol does not know.
        Unknown
    } {
        /// A key in a header, the query or a cookie.
        ApiKey(ApiKeySecurityScheme) = "apiKeySecurityScheme" | "api_key_security_scheme",
        /// HTTP authentication.
        HttpAuth(HttpAuthSecurityScheme) = "httpAuthSecurityScheme" | "http_auth_security_scheme",
        /// OAuth 2.
        OAuth2(OAuth2SecurityScheme) = "oauth2SecurityScheme" | "oauth2_security_scheme",
        /// OpenID Connect.
        OpenIdConnect(OpenIdConnectSecurityScheme) = "openIdConnectSecurityScheme" | "open_id_connect_security_scheme",
        /// Client certificates.
        MutualTls(MutualTlsSecurityScheme) = "mtlsSecurityScheme" | "mtls_security_scheme",
    }
}

message! {
    /// A key in a header, the query or a cookie.
    #[derive(Default)]
    pub struct ApiKeySecurityScheme {
        /// For people.
        pub description: Option<String> = "description",
        /// `header`, `query` or `cookie`.
        pub location: String = "location" required,
        /// The name of the header, parameter or cookie.
        pub name: String = "name" required,
    }
}

message! {
    /// HTTP authentication.
    #[derive(Default)]
    pub struct HttpAuthSecurityScheme {
        /// For people.
        pub description: Option<String> = "description",
        /// A registered scheme, such as `Bearer`.
        pub scheme: String = "scheme" required,
        /// A hint what a bearer token is, such as `JWT`.
        pub bearer_format: Option<String> = "bearerFormat",
    }
}

message! {
    /// OAuth 2.
    #[derive(Default)]
    pub struct OAuth2SecurityScheme {
        /// For people.
        pub description: Option<String> = "description",
        /// How to get a token.
        pub flows: Option<OAuthFlows> = "flows" required,
        /// Where the authorization server's metadata lies (RFC 8414).
        pub oauth2_metadata_url: Option<String> = "oauth2MetadataUrl",
    }
}

message! {
    /// OpenID Connect.
    #[derive(Default)]
    pub struct OpenIdConnectSecurityScheme {
        /// For people.
        pub description: Option<String> = "description",
        /// Where the provider's configuration lies.
        pub open_id_connect_url: String = "openIdConnectUrl" required,
    }
}

message! {
    /// Client certificates.
    #[derive(Default)]
    pub struct MutualTlsSecurityScheme {
        /// For people.
        pub description: Option<String> = "description",
    }
}

oneof! {
    /// How to get an OAuth 2 token.
    pub enum OAuthFlows else {
        /// A way that this version of the protocol does not know.
        Unknown
    } {
        /// With a browser and a redirect.
        AuthorizationCode(AuthorizationCodeOAuthFlow) = "authorizationCode" | "authorization_code",
        /// Between servers.
        ClientCredentials(ClientCredentialsOAuthFlow) = "clientCredentials" | "client_credentials",
        /// Deprecated.
        Implicit(ImplicitOAuthFlow) = "implicit" | "implicit",
        /// Deprecated.
        Password(PasswordOAuthFlow) = "password" | "password",
        /// On a device without a browser.
        DeviceCode(DeviceCodeOAuthFlow) = "deviceCode" | "device_code",
    }
}

message! {
    /// With a browser and a redirect.
    #[derive(Default)]
    pub struct AuthorizationCodeOAuthFlow {
        /// Where the user agrees.
        pub authorization_url: String = "authorizationUrl" required,
        /// Where the client gets the token.
        pub token_url: String = "tokenUrl" required,
        /// Where the client renews it.
        pub refresh_url: Option<String> = "refreshUrl",
        /// Scopes and what they allow.
        pub scopes: BTreeMap<String, String> = "scopes" present,
        /// Whether the client must use PKCE (RFC 7636).
        pub pkce_required: bool = "pkceRequired",
    }
}

message! {
    /// Between servers.
    #[derive(Default)]
    pub struct ClientCredentialsOAuthFlow {
        /// Where the client gets the token.
        pub token_url: String = "tokenUrl" required,
        /// Where the client renews it.
        pub refresh_url: Option<String> = "refreshUrl",
        /// Scopes and what they allow.
        pub scopes: BTreeMap<String, String> = "scopes" present,
    }
}

message! {
    /// With a browser and no token endpoint; deprecated.
    #[derive(Default)]
    pub struct ImplicitOAuthFlow {
        /// Where the user agrees.
        pub authorization_url: Option<String> = "authorizationUrl",
        /// Where the client renews the token.
        pub refresh_url: Option<String> = "refreshUrl",
        /// Scopes and what they allow.
        pub scopes: BTreeMap<String, String> = "scopes",
    }
}

message! {
    /// With the user's password; deprecated.
    #[derive(Default)]
    pub struct PasswordOAuthFlow {
        /// Where the client gets the token.
        pub token_url: Option<String> = "tokenUrl",
        /// Where the client renews it.
        pub refresh_url: Option<String> = "refreshUrl",
        /// Scopes and what they allow.
        pub scopes: BTreeMap<String, String> = "scopes",
    }
}

message! {
    /// On a device without a browser.
    #[derive(Default)]
    pub struct DeviceCodeOAuthFlow {
        /// Where the device asks for a code.
        pub device_authorization_url: String = "deviceAuthorizationUrl" required,
        /// Where the client gets the token.
        pub token_url: String = "tokenUrl" required,
        /// Where the client renews it.
        pub refresh_url: Option<String> = "refreshUrl",
        /// Scopes and what they allow.
        pub scopes: BTreeMap<String, String> = "scopes" present,
    }
}

message! {
    /// Schemes that a caller must use together, each with the scopes it needs. One without schemes
    /// allows anonymous callers.
    #[derive(Default)]
    pub struct SecurityRequirement {
        /// By the names in the card's `securitySchemes`.
        pub schemes: BTreeMap<String, Scopes> = "schemes",
    }
}

/// Scopes of a security scheme, `{"list": [...]}` on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scopes(pub Vec<String>);

message! {
    /// The wire form of [`Scopes`].
    struct StringList {
        list: Vec<String> = "list",
    }
}

impl Field for Scopes {
    const EXPECTED: &'static str = "an object with a list";

    fn absent() -> Self {
        Self::default()
    }

    fn from_object<'de, A: MapAccess<'de>>(object: A, at: At<'_>) -> Result<Self, A::Error> {
        Ok(Self(StringList::from_object(object, at)?.list))
    }

    /// A bare array, as 0.3 writes it: noted, and understood.
    fn from_array<'de, A: SeqAccess<'de>>(array: A, at: At<'_>) -> Result<Self, A::Error> {
        at.fault("is an array, not an object with a list");
        Vec::from_array(array, at).map(Self)
    }
}

impl Serialize for Scopes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let list = self.0.clone();
        StringList { list }.serialize(serializer)
    }
}

deserialize!(Scopes);
