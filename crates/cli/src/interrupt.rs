//! Ctrl-C and SIGTERM: what was begun is removed, or what can be saved is saved.
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, thread};

use tokio::runtime::{Builder, Runtime};

static INSTALLED: Once = Once::new();
static GENTLE: AtomicBool = AtomicBool::new(false);

/// Set by Ctrl-C or SIGTERM where somebody wants to stop gently.
pub static STOP: AtomicBool = AtomicBool::new(false);

/// As shells tell that a program was interrupted.
const INTERRUPTED: i32 = 130;

/// From now on Ctrl-C and SIGTERM end the program and remove unfinished files, unless somebody wants to
/// [stop gently](stop_gently). A hangup is left alone, so that `nohup` does what it promises.
pub fn remove_unfinished_files() {
    // Without it they end the program, too.
    INSTALLED.call_once(|| drop(listen()));
}

/// From now on Ctrl-C and SIGTERM only set [`STOP`].
pub fn stop_gently() {
    GENTLE.store(true, Ordering::Relaxed);
    remove_unfinished_files();
}

fn interrupted() {
    if GENTLE.load(Ordering::Relaxed) {
        STOP.store(true, Ordering::Relaxed);
    } else {
        conll::AtomicFile::remove_all_unfinished_and_exit(INTERRUPTED);
    }
}

/// Starts a thread that waits for signals, which are ours when this returns.
#[cfg(unix)]
fn listen() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = runtime()?;
    let inside = runtime.enter();
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    drop(inside);
    let wait = async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => interrupted(),
                _ = terminate.recv() => interrupted(),
            }
        }
    };
    thread::Builder::new().name("signals".into()).spawn(move || runtime.block_on(wait)).map(drop)
}

#[cfg(not(unix))]
fn listen() -> io::Result<()> {
    let runtime = runtime()?;
    let wait = async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            interrupted();
        }
    };
    thread::Builder::new().name("signals".into()).spawn(move || runtime.block_on(wait)).map(drop)
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_io().build()
}
