//! Trains a classifier on a file and prints it as JSON: one line for each machine, and a last line
//! with the classes that the machines and their expansion give to the same examples.
//!
//! ```text
//! cargo run --example solve -- FILE exact|expanded|by-size one-versus-one|one-versus-rest GAMMA R COST TOLERANCE
//! ```
//!
//! A line of the file is an example: its class and the numbers of its features.
use std::process::ExitCode;

use svm::expansion::{Builder, Scratch};
use svm::multiclass::best;
use svm::{Examples, Kernel, Multiclass, Settings, Solver, train};

const USAGE: &str =
    "solve FILE exact|expanded|by-size one-versus-one|one-versus-rest GAMMA R COST TOLERANCE";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<(), String> {
    let [file, solver, multiclass, numbers @ ..] = arguments else { return Err(USAGE.to_owned()) };
    let numbers: Result<Vec<f64>, _> = numbers.iter().map(|number| number.parse()).collect();
    let Ok(&[gamma, r, cost, tolerance]) = numbers.as_deref() else {
        return Err(USAGE.to_owned());
    };
    let settings = Settings {
        kernel: Kernel { gamma, r },
        cost,
        tolerance,
        solver: match solver.as_str() {
            "exact" => Solver::Exact,
            "expanded" => Solver::Expanded,
            _ => Solver::BySize,
        },
        multiclass: match multiclass.as_str() {
            "one-versus-rest" => Multiclass::OneVersusRest,
            _ => Multiclass::OneVersusOne,
        },
        ..Settings::default()
    };
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let mut examples = Examples::default();
    for (number, line) in text.lines().enumerate() {
        let values: Result<Vec<u64>, _> = line.split_whitespace().map(str::parse).collect();
        match values.as_deref() {
            Ok([class, features @ ..]) if *class < 65536 => {
                examples.push(features, *class as u16);
            }
            _ => return Err(format!("{file}, line {}: expected whole numbers", number + 1)),
        }
    }
    let classes = examples.classes().iter().max().map_or(0, |&class| usize::from(class) + 1);
    let start = std::time::Instant::now();
    let machines = train(&examples, classes, &settings).map_err(|error| error.to_string())?;
    eprintln!("trained in {:.2} s", start.elapsed().as_secs_f64());
    for machine in &machines.machines {
        let support: Vec<String> = machine
            .support
            .iter()
            .map(|&(at, factor)| format!("[{},{factor}]", machines.origins[at as usize]))
            .collect();
        println!(
            r#"{{"positive":{},"negative":{},"objective":{},"bias":{},"converged":{},"support":[{}]}}"#,
            machine.positive,
            machine.negative.map_or("null".to_owned(), |class| class.to_string()),
            machine.objective,
            machine.bias,
            machine.converged,
            support.join(",")
        );
    }
    let mut builder = Builder::new(0.0);
    builder.add(&machines);
    let expansion = builder.finish();
    let mut scratch = Scratch::default();
    let mut scores = vec![0.0; classes];
    let (mut by_kernel, mut by_table) = (Vec::new(), Vec::new());
    for at in 0..examples.len() {
        let names: Vec<u64> = examples.feature_names(at).collect();
        by_kernel.push(machines.predict(&names));
        expansion.table().values(&expansion.parts[0], 0, &names, &mut scratch);
        expansion.parts[0].ballot.count(&scratch.values, &mut scores);
        by_table.push(best(&scores));
    }
    println!(r#"{{"kernel":{by_kernel:?},"expanded":{by_table:?}}}"#);
    Ok(())
}
