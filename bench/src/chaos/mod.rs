//! `cargo x chaos`: hostile shapes against a production installation, each bounded in time, and
//! what an honest user saw meanwhile.
//!
//! An attacker sits on another address (127.0.0.2) and on threads of low priority, as another
//! machine would; honest people sit on 127.0.0.1 and, where this user may, on a thread that waits
//! for no other. Every scenario has an installation of its own.

mod attacks;
mod honest;
mod installation;
mod priority;
mod report;
mod smtp;
mod tally;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::Failure;
use attacks::{Attack, Target};
use honest::Honest;
use installation::Installation;
use priority::Priority;
use report::{MEMORY_LEFT, Report};
use tally::Tally;

/// How long the quiet figures are taken.
const QUIET: Duration = Duration::from_secs(3);

/// How long an attack lasts, unless it ends of itself.
const LENGTH: Duration = Duration::from_secs(20);

/// How long memory may take to come back.
const AFTERMATH: Duration = Duration::from_mins(1);

/// Runs the scenarios with these names, or all, and prints what was seen.
pub(crate) async fn run(wanted: &[String]) -> Result<(), Failure> {
    if let Some(unknown) = wanted.iter().find(|name| Attack::named(name).is_none()) {
        let names: Vec<_> = Attack::ALL.iter().map(|attack| attack.name()).collect();
        return Err(format!("no scenario {unknown:?}; there are {}", names.join(", ")).into());
    }
    let mut reports = Vec::new();
    for attack in Attack::ALL {
        if wanted.is_empty() || wanted.iter().any(|name| name == attack.name()) {
            eprintln!("{} …", attack.name());
            let report = scenario(attack).await?;
            report.explain();
            reports.push(report);
        }
    }
    println!("{}", report::table(&reports));
    let failed = reports.iter().filter(|report| !report.holds()).count();
    if failed == 0 {
        return Ok(());
    }
    Err(format!("{failed} of {} scenarios do not hold", reports.len()).into())
}

async fn scenario(attack: Attack) -> Result<Report, Failure> {
    let installation = Installation::start(attack.needs_small_disk()).await?;
    let honest = Honest::prepare(&installation).await?;
    if attack.needs_long_lists() {
        attacks::fill_lists(&installation).await?;
    }
    // Only root may; without, the figures hold what honest people wait for processors themselves.
    _ = Priority::First.take();
    let report = measure(attack, &installation, &honest).await;
    _ = Priority::Usual.take();
    report
}

async fn measure(
    attack: Attack,
    installation: &Installation,
    honest: &Honest,
) -> Result<Report, Failure> {
    let resident = || installation.server.resident_bytes();
    let over = AtomicBool::new(false);
    let quiet = tokio::join!(honest.watch(&over), end_after(QUIET, &over)).0?;
    let idle = resident()?;

    let tally = Arc::new(Tally::default());
    let target = Target::new(installation, Arc::clone(&tally), Instant::now() + LENGTH)?;
    let over = AtomicBool::new(false);
    let (during, newcomer, peak) = tokio::try_join!(
        honest.watch(&over),
        newcomer(attack, honest, installation),
        peak_memory(attack.launch(target), installation, &over),
    )?;
    installation.sink.speak();
    let after = settled_memory(idle, installation).await?;
    let healed = honest.sign_up_by_code(&installation.sink).await;
    let lost = honest.lost(&during).await?;
    Ok(Report {
        name: attack.name(),
        attack,
        quiet,
        during,
        newcomer,
        healed,
        lost,
        idle,
        peak,
        after,
        answers: tally.take(),
    })
}

async fn end_after(duration: Duration, over: &AtomicBool) {
    tokio::time::sleep(duration).await;
    over.store(true, Ordering::Relaxed);
}

/// Somebody new who comes by code in the middle of the attack; `None` where that cannot be.
async fn newcomer(
    attack: Attack,
    honest: &Honest,
    installation: &Installation,
) -> Result<Option<Result<Duration, String>>, Failure> {
    if !attack.lets_mail_through() {
        return Ok(None);
    }
    tokio::time::sleep(LENGTH / 4).await;
    Ok(Some(honest.sign_up_by_code(&installation.sink).await))
}

/// Waits for the attack to end and gives the most memory that was resident meanwhile.
async fn peak_memory(
    attack: std::thread::JoinHandle<Result<(), String>>,
    installation: &Installation,
    over: &AtomicBool,
) -> Result<u64, Failure> {
    let mut peak = 0;
    while !attack.is_finished() {
        peak = peak.max(installation.server.resident_bytes()?);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    over.store(true, Ordering::Relaxed);
    attack
        .join()
        .map_err(|_| "the attack panicked")?
        .map_err(|text| format!("the attack failed: {text}"))?;
    Ok(peak)
}

/// Resident memory as soon as it is near what it was, or after a minute.
async fn settled_memory(idle: u64, installation: &Installation) -> Result<u64, Failure> {
    let begun = Instant::now();
    loop {
        let resident = installation.server.resident_bytes()?;
        if resident <= idle + MEMORY_LEFT || begun.elapsed() > AFTERMATH {
            return Ok(resident);
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}
