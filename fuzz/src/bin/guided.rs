//! libFuzzer on the target that `CROSSARC_TARGET` names: one program for all, linked once.
#![no_main]
use std::sync::OnceLock;

use crossarc_fuzz::{Target, target};

static CHOSEN: OnceLock<Target> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let chosen = CHOSEN.get_or_init(|| {
        let name = std::env::var("CROSSARC_TARGET").expect("CROSSARC_TARGET names a target");
        target(&name).expect("CROSSARC_TARGET names a target")
    });
    chosen(bytes);
});
