// Draws the trees of what is typed. Text of users is only ever text: pictures are images.
"use strict";
const element = (id) => document.getElementById(id);
const say = (text) => { element("message").textContent = text; };

async function ask(path, body) {
  const options = body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(path, options);
  if (!answer.ok) throw new Error((await answer.json()).error);
  return answer;
}

async function show(sentence) {
  const picture = await (await ask("v1/draw", { conllu: sentence.conllu })).blob();
  const figure = document.createElement("figure");
  const image = new Image();
  image.src = URL.createObjectURL(picture);
  image.alt = "Tree of: " + sentence.words.map((word) => word.form).join(" ");
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = "CoNLL-U";
  const text = document.createElement("pre");
  text.textContent = sentence.conllu;
  details.append(summary, text);
  figure.append(image, details);
  element("trees").append(figure);
}

async function parse(event) {
  event?.preventDefault();
  say("");
  try {
    const request = { model: element("model").value, text: element("text").value };
    const { sentences } = await (await ask("v1/parse", request)).json();
    element("trees").replaceChildren();
    for (const sentence of sentences.slice(0, 20)) await show(sentence);
    if (sentences.length > 20) say(`The first 20 of ${sentences.length} sentences.`);
  } catch (error) {
    say(error.message);
  }
}

// The sentences of a file of `crossarc view`.
async function browse(event) {
  event?.preventDefault();
  try {
    const wanted = new URLSearchParams({ query: element("query").value, crossing: String(element("crossing").checked) });
    const file = element("file").value;
    const { total, sentences } = await (await ask(`v1/treebanks/${file}?${wanted}`)).json();
    say(`${total} sentences; the first ${sentences.length} are listed.`);
    element("found").replaceChildren(...sentences.map(({ number, text }) => {
      const button = document.createElement("button");
      button.textContent = text;
      button.dir = "auto";
      button.addEventListener("click", async () => {
        element("trees").replaceChildren();
        await show(await (await ask(`v1/treebanks/${file}/${number}`)).json());
      });
      const item = document.createElement("li");
      item.append(button);
      return item;
    }));
  } catch (error) {
    say(error.message);
  }
}

async function start() {
  const { models } = await (await ask("v1/models")).json();
  element("model").append(...models.map((model) => new Option(model.name, model.name)));
  element("form").addEventListener("submit", parse);
  const { treebanks } = await (await ask("v1/treebanks")).json();
  if (treebanks.length === 0) return parse();
  element("file").append(...treebanks.map((one, at) => new Option(`${one.name} (${one.sentences})`, at)));
  element("browser").hidden = false;
  element("browser").addEventListener("submit", browse);
  await browse();
}
start().catch((error) => say(error.message));
