//! The kinds of errors, and what each is called by the three bindings.

/// The kinds of errors: those of A2A, those of JSON-RPC, those of any server, and an application's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The task does not exist, or not for this caller.
    TaskNotFound,
    /// The task has ended.
    TaskNotCancelable,
    /// The agent sends no push notifications.
    PushNotificationNotSupported,
    /// The agent does not offer the operation, or not in this state.
    UnsupportedOperation,
    /// A media type of a part, or every accepted one, is not served.
    ContentTypeNotSupported,
    /// An agent answered what the protocol does not allow.
    InvalidAgentResponse,
    /// An extended card is declared, but none is there.
    ExtendedAgentCardNotConfigured,
    /// The agent requires an extension that the request does not ask for.
    ExtensionSupportRequired,
    /// The protocol version is not served.
    VersionNotSupported,
    /// The body is not JSON.
    Parse,
    /// The body is JSON, but no request.
    InvalidRequest,
    /// There is no such method.
    MethodNotFound,
    /// The method's parameters are faulty.
    InvalidParams,
    /// The fault is on the answering side.
    Internal,
    /// The caller has not said who it is, or not credibly.
    Unauthenticated,
    /// The caller is known, and may not do this.
    PermissionDenied,
    /// The caller asks too often.
    TooManyRequests,
    /// The server cannot answer at the moment.
    Unavailable,
    /// An application's code.
    Other(i64),
}

/// A status code of gRPC (`google.rpc.Code`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of the gRPC documentation")]
pub enum GrpcCode {
    Ok = 0,
    Cancelled = 1,
    Unknown = 2,
    InvalidArgument = 3,
    DeadlineExceeded = 4,
    NotFound = 5,
    AlreadyExists = 6,
    PermissionDenied = 7,
    ResourceExhausted = 8,
    FailedPrecondition = 9,
    Aborted = 10,
    OutOfRange = 11,
    Unimplemented = 12,
    Internal = 13,
    Unavailable = 14,
    DataLoss = 15,
    Unauthenticated = 16,
}

/// The codes with the names that `google.rpc.Status` has in JSON.
const GRPC_CODES: [(GrpcCode, &str); 17] = [
    (GrpcCode::Ok, "OK"),
    (GrpcCode::Cancelled, "CANCELLED"),
    (GrpcCode::Unknown, "UNKNOWN"),
    (GrpcCode::InvalidArgument, "INVALID_ARGUMENT"),
    (GrpcCode::DeadlineExceeded, "DEADLINE_EXCEEDED"),
    (GrpcCode::NotFound, "NOT_FOUND"),
    (GrpcCode::AlreadyExists, "ALREADY_EXISTS"),
    (GrpcCode::PermissionDenied, "PERMISSION_DENIED"),
    (GrpcCode::ResourceExhausted, "RESOURCE_EXHAUSTED"),
    (GrpcCode::FailedPrecondition, "FAILED_PRECONDITION"),
    (GrpcCode::Aborted, "ABORTED"),
    (GrpcCode::OutOfRange, "OUT_OF_RANGE"),
    (GrpcCode::Unimplemented, "UNIMPLEMENTED"),
    (GrpcCode::Internal, "INTERNAL"),
    (GrpcCode::Unavailable, "UNAVAILABLE"),
    (GrpcCode::DataLoss, "DATA_LOSS"),
    (GrpcCode::Unauthenticated, "UNAUTHENTICATED"),
];

impl GrpcCode {
    /// The number on the wire.
    #[must_use]
    pub fn number(self) -> i32 {
        self as i32
    }

    /// The name in JSON, such as `NOT_FOUND`.
    #[must_use]
    pub fn name(self) -> &'static str {
        let entry = GRPC_CODES.iter().find(|entry| entry.0 == self);
        entry.map_or("UNKNOWN", |entry| entry.1)
    }

    /// The code of a number; one that gRPC does not define is `Unknown`.
    #[must_use]
    pub fn from_number(number: i32) -> Self {
        let entry = GRPC_CODES.iter().find(|entry| entry.0.number() == number);
        entry.map_or(Self::Unknown, |entry| entry.0)
    }

    /// The code of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let entry = GRPC_CODES.iter().find(|entry| entry.1 == name);
        entry.map(|entry| entry.0)
    }
}

/// What JSON-RPC leaves to servers (JSON-RPC 2.0 §5.1). A2A reserves -32001 to -32099 for itself and
/// names no code for who may not call or must wait, which HTTP tells by its status.
const SERVER_ERROR: i64 = -32000;

/// A kind and what it is called.
struct Row {
    kind: ErrorKind,
    json_rpc: i64,
    grpc: GrpcCode,
    http: u16,
    /// `google.rpc.ErrorInfo.reason`.
    reason: Option<&'static str>,
}

const fn row(
    kind: ErrorKind,
    json_rpc: i64,
    grpc: GrpcCode,
    http: u16,
    reason: Option<&'static str>,
) -> Row {
    Row {
        kind,
        json_rpc,
        grpc,
        http,
        reason,
    }
}

/// The table of A2A 1.0.1 §5.4, then that of JSON-RPC, then what any server answers.
#[rustfmt::skip]
const ROWS: [Row; 18] = {
    use ErrorKind as Kind;
    use GrpcCode as Code;
    [
        row(Kind::TaskNotFound, -32001, Code::NotFound, 404, Some("TASK_NOT_FOUND")),
        row(Kind::TaskNotCancelable, -32002, Code::FailedPrecondition, 400, Some("TASK_NOT_CANCELABLE")),
        row(Kind::PushNotificationNotSupported, -32003, Code::FailedPrecondition, 400, Some("PUSH_NOTIFICATION_NOT_SUPPORTED")),
        row(Kind::UnsupportedOperation, -32004, Code::FailedPrecondition, 400, Some("UNSUPPORTED_OPERATION")),
        row(Kind::ContentTypeNotSupported, -32005, Code::InvalidArgument, 400, Some("CONTENT_TYPE_NOT_SUPPORTED")),
        row(Kind::InvalidAgentResponse, -32006, Code::Internal, 500, Some("INVALID_AGENT_RESPONSE")),
        row(Kind::ExtendedAgentCardNotConfigured, -32007, Code::FailedPrecondition, 400, Some("EXTENDED_AGENT_CARD_NOT_CONFIGURED")),
        row(Kind::ExtensionSupportRequired, -32008, Code::FailedPrecondition, 400, Some("EXTENSION_SUPPORT_REQUIRED")),
        row(Kind::VersionNotSupported, -32009, Code::FailedPrecondition, 400, Some("VERSION_NOT_SUPPORTED")),
        row(Kind::Parse, -32700, Code::InvalidArgument, 400, None),
        row(Kind::InvalidRequest, -32600, Code::InvalidArgument, 400, None),
        row(Kind::MethodNotFound, -32601, Code::Unimplemented, 404, None),
        row(Kind::InvalidParams, -32602, Code::InvalidArgument, 400, None),
        row(Kind::Internal, -32603, Code::Internal, 500, None),
        row(Kind::Unauthenticated, SERVER_ERROR, Code::Unauthenticated, 401, None),
        row(Kind::PermissionDenied, SERVER_ERROR, Code::PermissionDenied, 403, None),
        row(Kind::TooManyRequests, SERVER_ERROR, Code::ResourceExhausted, 429, None),
        row(Kind::Unavailable, SERVER_ERROR, Code::Unavailable, 503, None),
    ]
};

impl ErrorKind {
    /// The code in JSON-RPC. `Unauthenticated`, `PermissionDenied`, `TooManyRequests` and `Unavailable`
    /// share -32000 there, where the HTTP status tells them apart.
    #[must_use]
    pub fn json_rpc_code(self) -> i64 {
        match self {
            Self::Other(code) => code,
            kind => kind.row().map_or(-32603, |row| row.json_rpc),
        }
    }

    /// The status code in gRPC. An application's code has none: `Unknown`.
    #[must_use]
    pub fn grpc_code(self) -> GrpcCode {
        self.row().map_or(GrpcCode::Unknown, |row| row.grpc)
    }

    /// The status in HTTP+JSON. An application's code has none: 500.
    #[must_use]
    pub fn http_status(self) -> u16 {
        self.row().map_or(500, |row| row.http)
    }

    /// The reason in `google.rpc.ErrorInfo`, which A2A's own errors have.
    #[must_use]
    pub fn reason(self) -> Option<&'static str> {
        self.row().and_then(|row| row.reason)
    }

    /// The kind of a JSON-RPC code.
    #[must_use]
    pub fn from_json_rpc_code(code: i64) -> Self {
        let row = ROWS.iter().find(|row| row.json_rpc == code);
        let row = row.filter(|_| code != SERVER_ERROR);
        row.map_or(Self::Other(code), |row| row.kind)
    }

    /// The likeliest kind of a gRPC status without details. Several kinds share a code, in 1.0.0 others
    /// than in 1.0.1.
    #[must_use]
    pub fn from_grpc_code(code: GrpcCode) -> Self {
        match code {
            GrpcCode::NotFound => Self::TaskNotFound,
            GrpcCode::InvalidArgument | GrpcCode::OutOfRange => Self::InvalidParams,
            GrpcCode::FailedPrecondition | GrpcCode::Unimplemented => Self::UnsupportedOperation,
            GrpcCode::Unauthenticated => Self::Unauthenticated,
            GrpcCode::PermissionDenied => Self::PermissionDenied,
            GrpcCode::ResourceExhausted => Self::TooManyRequests,
            GrpcCode::Unavailable | GrpcCode::DeadlineExceeded => Self::Unavailable,
            _ => Self::Internal,
        }
    }

    /// The likeliest kind of an HTTP status without details, by the tables of 1.0.0 and 1.0.1.
    #[must_use]
    pub fn from_http_status(status: u16) -> Self {
        match status {
            401 => Self::Unauthenticated,
            403 => Self::PermissionDenied,
            404 => Self::TaskNotFound,
            405 | 501 => Self::MethodNotFound,
            409 => Self::TaskNotCancelable,
            415 => Self::ContentTypeNotSupported,
            429 => Self::TooManyRequests,
            400 | 422 => Self::InvalidParams,
            402..=499 => Self::InvalidRequest,
            502..=504 => Self::Unavailable,
            _ => Self::Internal,
        }
    }

    /// The kind of a reason of the domain [`ERROR_DOMAIN`](super::ERROR_DOMAIN).
    #[must_use]
    pub fn from_reason(reason: &str) -> Option<Self> {
        let row = ROWS.iter().find(|row| row.reason == Some(reason));
        row.map(|row| row.kind)
    }

    fn row(self) -> Option<&'static Row> {
        ROWS.iter().find(|row| row.kind == self)
    }
}
