//! Prints how long queries of several kinds take, by the whole chain, without each of its links in
//! turn, and by its last link alone.

mod workloads;

use std::time::{Duration, Instant};

use solver::{Answer, Chain, ChainOptions, Clock, LinkName, Query, Solver, chain};
use workloads::{WORKLOADS, Workload};

fn main() {
    let only = std::env::args().nth(1).unwrap_or_default();
    let mut heads = vec!["chain".to_owned(), "sat alone".to_owned()];
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
        print!(" {:>13.1}", microseconds(times, &workload()));
        let alone = chain(&ChainOptions {
            without: LinkName::OPTIONAL.to_vec(),
            ..ChainOptions::default()
        });
        let (_, sat) = run(workload(), alone);
        print!(" {:>13.1}", microseconds(sat, &workload()));
        for link in LinkName::OPTIONAL {
            let (_, times) = run(workload(), whole_chain(&[link]));
            print!(" {:>13.1}", microseconds(times, &workload()));
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

fn microseconds(time: Duration, workload: &Workload) -> f64 {
    time.as_secs_f64() * 1e6 / workload.queries.len() as f64
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
