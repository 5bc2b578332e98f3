//! Ctrl-C: what was begun is removed, or what can be saved is saved.
use std::process;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static INSTALLED: Once = Once::new();
static GENTLE: AtomicBool = AtomicBool::new(false);

/// Set by Ctrl-C where somebody wants to stop gently.
pub static STOP: AtomicBool = AtomicBool::new(false);

/// As shells tell that a program was interrupted.
const INTERRUPTED: i32 = 130;

/// From now on Ctrl-C ends the program and removes unfinished files, unless somebody wants to
/// [stop gently](stop_gently).
pub fn remove_unfinished_files() {
    INSTALLED.call_once(|| {
        // Without it Ctrl-C ends the program, too.
        let _ = ctrlc::set_handler(|| {
            if GENTLE.load(Ordering::Relaxed) {
                STOP.store(true, Ordering::Relaxed);
            } else {
                conll::AtomicFile::remove_all_unfinished();
                process::exit(INTERRUPTED);
            }
        });
    });
}

/// From now on Ctrl-C only sets [`STOP`].
pub fn stop_gently() {
    GENTLE.store(true, Ordering::Relaxed);
    remove_unfinished_files();
}
