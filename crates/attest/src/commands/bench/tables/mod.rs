//! The tables, each a file of data and of how its rows are measured.

pub mod ablation;
pub mod beside;
pub mod burden;
pub mod certain;
pub mod crabs;
pub mod criteria;
pub mod growth;
pub mod inputs;
pub mod latest;
pub mod nsichneu;
pub mod projects;
pub mod provers;
pub mod replay;
pub mod search;
pub mod shares;
pub mod speed;
pub mod strategies;
pub mod structures;
pub mod units;
