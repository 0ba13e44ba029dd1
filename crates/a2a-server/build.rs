//! Compiles the services of the protocol buffers, without any program outside of cargo. Their messages are
//! those of the crate `a2a`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "grpc")]
    services()?;
    Ok(())
}

#[cfg(feature = "grpc")]
fn services() -> Result<(), Box<dyn std::error::Error>> {
    let folder = "../a2a/proto";
    println!("cargo::rerun-if-changed={folder}");
    let descriptors = protox::compile(["a2a.proto", "a2a_v0_3.proto"], [folder])?;
    tonic_prost_build::configure()
        .build_client(false)
        .build_transport(false)
        .extern_path(".lf.a2a.v1", "::a2a::protobuf::v1")
        .extern_path(".a2a.v1", "::a2a::protobuf::v0_3")
        .compile_fds(descriptors)?;
    Ok(())
}
