//! Compiles the protocol buffers, without any program outside of cargo.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "protobuf")]
    protobuf()?;
    Ok(())
}

#[cfg(feature = "protobuf")]
fn protobuf() -> Result<(), Box<dyn std::error::Error>> {
    use protox::prost::Message as _;

    println!("cargo::rerun-if-changed=proto");
    let files = ["a2a.proto", "a2a_v0_3.proto", "rpc.proto"];
    let descriptors = protox::compile(files, ["proto"])?;
    let folder = std::path::PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(folder.join("descriptors.bin"), descriptors.encode_to_vec())?;
    prost_build::Config::new()
        // Maps are written in one order.
        .btree_map(["."])
        .enable_type_names()
        // What people wrote must not show in logs.
        .skip_debug(["."])
        .compile_fds(descriptors)?;
    Ok(())
}
