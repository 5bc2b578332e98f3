//! What may be chosen about support vector machines.
use serde::Serialize;
use svm::{Multiclass, Settings, Solver};

/// What may be chosen about machines.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct MachineOptions {
    /// Kernel, cost, solver.
    pub settings: Settings,
    /// The template by whose value the data is split; nothing for one part.
    pub split_by: Option<String>,
    /// Weights below this are dropped from the expansion.
    pub prune: f64,
}

impl Default for MachineOptions {
    fn default() -> MachineOptions {
        MachineOptions {
            settings: Settings::default(),
            split_by: Some("b0.upos".to_owned()),
            prune: 0.001,
        }
    }
}

/// What a user has chosen; the rest stays as it is.
#[derive(Copy, Clone, Debug, Default)]
pub struct MachineChoices<'a> {
    /// Factor of the kernel.
    pub gamma: Option<f64>,
    /// Constant of the kernel.
    pub r: Option<f64>,
    /// Cost of an error.
    pub cost: Option<f64>,
    /// When the solver stops.
    pub tolerance: Option<f64>,
    /// One of [`MULTICLASS`].
    pub multiclass: Option<&'a str>,
    /// One of [`SOLVERS`].
    pub solver: Option<&'a str>,
    /// A template, or `none`.
    pub split_by: Option<&'a str>,
}

impl MachineOptions {
    /// The feature set that machines take unless told otherwise.
    pub const FEATURES: &'static str = "nivre2008";

    /// The default options with some chosen; the error says which names there are.
    pub fn chosen(choices: &MachineChoices<'_>) -> Result<MachineOptions, String> {
        let mut options = MachineOptions::default();
        let settings = &mut options.settings;
        settings.kernel.gamma = choices.gamma.unwrap_or(settings.kernel.gamma);
        settings.kernel.r = choices.r.unwrap_or(settings.kernel.r);
        settings.cost = choices.cost.unwrap_or(settings.cost);
        settings.tolerance = choices.tolerance.unwrap_or(settings.tolerance);
        if let Some(name) = choices.multiclass {
            options.settings.multiclass = named("way of combining machines", &MULTICLASS, name)?;
        }
        if let Some(name) = choices.solver {
            options.settings.solver = named("solver", &SOLVERS, name)?;
        }
        match choices.split_by {
            None => {}
            Some("none") => options.split_by = None,
            Some(template) => options.split_by = Some(template.to_owned()),
        }
        Ok(options)
    }
}

fn named<T: Copy>(what: &str, names: &[(&str, T)], name: &str) -> Result<T, String> {
    let found = names.iter().find(|(known, _)| *known == name);
    found.map(|&(_, value)| value).ok_or_else(|| {
        let known: Vec<&str> = names.iter().map(|&(name, _)| name).collect();
        format!("unknown {what} `{name}`: {}", known.join(", "))
    })
}

/// Names of ways to combine machines.
pub const MULTICLASS: [(&str, Multiclass); 2] =
    [("one-versus-one", Multiclass::OneVersusOne), ("one-versus-rest", Multiclass::OneVersusRest)];

/// Names of solvers.
pub const SOLVERS: [(&str, Solver); 3] =
    [("by-size", Solver::BySize), ("exact", Solver::Exact), ("expanded", Solver::Expanded)];
