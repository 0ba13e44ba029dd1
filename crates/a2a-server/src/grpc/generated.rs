//! The services, generated from the protocol buffers of the crate `a2a`.

/// Of 1.0.
#[expect(unreachable_pub, clippy::allow_attributes, reason = "generated")]
pub(super) mod v1 {
    tonic::include_proto!("lf.a2a.v1");
}

/// Of 0.3.
#[expect(unreachable_pub, clippy::allow_attributes, reason = "generated")]
pub(super) mod v0_3 {
    tonic::include_proto!("a2a.v1");
}
