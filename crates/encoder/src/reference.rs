//! What a model keeps of the encoder that its nets were trained with: the folder and what tells its files
//! from others, or the files themselves.
//!
//! A model without the files needs them where it is used: in the folder that the variable
//! [`FOLDER_VARIABLE`] names, in the folder of training, or in one of the same name beside the model.
//! Other files than those of training are refused, for nets would read noise.
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossarc_model::{Bytes, Container, ModelError};
use serde::{Deserialize, Serialize};

use crate::{Encoder, FILES, Fingerprint};

/// The variable of the environment with the folder of the encoder.
pub const FOLDER_VARIABLE: &str = "CROSSARC_ENCODER";
/// The section with the facts.
const SECTION: &str = "encoder";

/// An encoder and how a model keeps it.
#[derive(Clone, PartialEq, Debug)]
pub struct Reference {
    /// The encoder.
    pub encoder: Arc<Encoder>,
    /// The folder of training.
    pub folder: PathBuf,
    /// The model holds its files.
    pub inside: bool,
}

#[derive(Serialize, Deserialize)]
struct Facts {
    folder: PathBuf,
    inside: bool,
    files: Vec<Fingerprint>,
}

fn file_section(file: &str) -> String {
    format!("{SECTION} {file}")
}

impl Reference {
    /// What goes into a model file, by name.
    pub fn sections(&self) -> Vec<(String, Vec<u8>)> {
        let Reference { encoder, folder, inside } = self;
        let files = encoder.fingerprints().to_vec();
        let facts = Facts { folder: folder.clone(), inside: *inside, files };
        let mut sections =
            vec![(SECTION.to_owned(), serde_json::to_vec(&facts).unwrap_or_default())];
        if *inside {
            let files = FILES.iter().zip(encoder.files());
            sections.extend(files.map(|(file, bytes)| (file_section(file), bytes.to_vec())));
        }
        sections
    }

    /// The encoder of a model, if it needs one.
    pub fn load(container: &Container) -> Result<Option<Reference>, ModelError> {
        let chosen = std::env::var_os(FOLDER_VARIABLE).map(PathBuf::from);
        Reference::load_from(container, chosen.as_deref())
    }

    fn load_from(
        container: &Container,
        chosen: Option<&Path>,
    ) -> Result<Option<Reference>, ModelError> {
        if !container.has_section(SECTION) {
            return Ok(None);
        }
        let facts: Facts =
            serde_json::from_slice(container.section(SECTION)?).map_err(|error| {
                container.damaged(&format!("its encoder is not described: {error}"))
            })?;
        let Facts { folder, inside, files } = facts;
        let encoder = if let Some(open) = Encoder::in_use(&files) {
            open
        } else if inside {
            let [config, tokenizer, weights] =
                FILES.map(|file| container.section(&file_section(file)).cloned());
            let files: [Bytes; 3] = [config?, tokenizer?, weights?];
            Encoder::from_files(files)
                .map_err(|error| container.damaged(&format!("its encoder: {error}")))?
        } else {
            open(container, &folder, &files, chosen)?
        };
        if encoder.fingerprints() != files {
            return Err(container.damaged("it holds another encoder than it was trained with"));
        }
        Ok(Some(Reference { encoder, folder, inside }))
    }
}

/// The encoder in the first of the folders where there is one.
fn open(
    container: &Container,
    folder: &Path,
    files: &[Fingerprint],
    chosen: Option<&Path>,
) -> Result<Arc<Encoder>, ModelError> {
    let beside = container.path().parent().zip(folder.file_name());
    let beside = beside.map(|(parent, name)| parent.join(name));
    let places: Vec<&Path> = match chosen {
        Some(chosen) => vec![chosen],
        None => std::iter::once(folder).chain(beside.as_deref()).collect(),
    };
    let outside = |what: String| ModelError::Outside { path: container.path().to_owned(), what };
    let Some(place) = places.iter().find(|place| place.join(FILES[0]).exists()) else {
        let places: Vec<String> =
            places.iter().map(|place| format!("`{}`", place.display())).collect();
        return Err(outside(format!(
            "the model needs its encoder ({}), which is not in {}; put it there, name its folder by {FOLDER_VARIABLE}=FOLDER, or train with --encoder-inside",
            FILES.join(", "),
            places.join(" or ")
        )));
    };
    let encoder =
        Encoder::open(place).map_err(|error| outside(format!("{}: {error}", place.display())))?;
    for (found, wanted) in encoder.fingerprints().iter().zip(files) {
        if found != wanted {
            return Err(outside(format!(
                "{}: {} is not the file that the model was trained with ({} bytes with checksum {:08x}, expected {} bytes with {:08x}); name the folder of the right one by {FOLDER_VARIABLE}=FOLDER",
                place.display(),
                found.file,
                found.bytes,
                found.crc32,
                wanted.bytes,
                wanted.crc32
            )));
        }
    }
    Ok(encoder)
}
