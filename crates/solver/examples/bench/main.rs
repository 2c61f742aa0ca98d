//! Prints how long queries of several kinds take, by the whole chain, without each of its links in
//! turn, and by its last link alone.

mod workloads;

use std::io::Write;
use std::time::{Duration, Instant};

use solver::{Answer, Chain, ChainOptions, Clock, LinkName, Query, Sat, Slice, Solver, chain};
use workloads::{WORKLOADS, Workload};

fn main() {
    let only = std::env::args().nth(1).unwrap_or_default();
    let mut heads = ["chain", "sat, fresh", "sat, kept"]
        .map(str::to_owned)
        .to_vec();
    heads.extend(LinkName::OPTIONAL.map(|link| format!("- {link}")));
    print!("{:<30} {:>7}", "µs per query", "queries");
    heads.iter().for_each(|head| print!(" {head:>13}"));
    println!();
    for workload in WORKLOADS {
        let name = workload().name;
        if !name.contains(&only) {
            continue;
        }
        let whole = whole_chain(&[]);
        let (whole, times) = run(workload(), whole);
        print!("{name:<30} {:>7}", workload().queries.len());
        tell_time(times, &workload());
        for largest in [0, 2_000] {
            let sat = time_sat(workload(), Sat::keeping(100_000, largest));
            tell_time(sat, &workload());
        }
        for link in LinkName::OPTIONAL {
            let (_, times) = run(workload(), whole_chain(&[link]));
            tell_time(times, &workload());
        }
        println!();
        tell(&whole);
    }
}

fn whole_chain(without: &[LinkName]) -> Chain {
    let started = Instant::now();
    chain(&ChainOptions {
        without: without.to_vec(),
        clock: Some(Clock::new(move || started.elapsed())),
        ..ChainOptions::default()
    })
}

/// The SAT solver behind the link that takes what does not matter away.
fn time_sat(mut workload: Workload, sat: Sat) -> Duration {
    time(&mut workload, &mut Slice::new(sat))
}

fn run(mut workload: Workload, mut chain: Chain) -> (Chain, Duration) {
    let time = time(&mut workload, &mut chain);
    (chain, time)
}

/// Which links answered, and which took time.
fn tell(chain: &Chain) {
    for link in chain.statistics() {
        if link.answered > 0 || link.time > Duration::from_millis(1) {
            let milliseconds = link.time.as_secs_f64() * 1e3;
            println!(
                "    {:<12} {:>7} queries {:>7} answered {milliseconds:>9.2} ms",
                link.link.name(),
                link.queries,
                link.answered
            );
        }
    }
}

/// Prints the time of one query; some columns take long.
fn tell_time(time: Duration, workload: &Workload) {
    let microseconds = time.as_secs_f64() * 1e6 / workload.queries.len() as f64;
    print!(" {microseconds:>13.1}");
    let _ = std::io::stdout().flush();
}

fn time(workload: &mut Workload, solver: &mut dyn Solver) -> Duration {
    let start = Instant::now();
    for (constraints, current) in &workload.queries {
        let query = Query {
            constraints,
            current,
            held: workload.held.min(constraints.len() - 1),
        };
        let answer = solver.check(&mut workload.terms, &query);
        assert!(
            !matches!(answer, Answer::Unknown(_)),
            "{}: {answer:?}",
            workload.name
        );
    }
    start.elapsed()
}
