// The page in a real browser: type, look, drag, step, download, compare. Nothing may fail on the
// console, nothing may be fetched from elsewhere, axe-core may find no serious problem.
//
//   node tests/browser.mjs PROGRAM [FOLDER FOR SCREENSHOTS]
//
// CHROMIUM names the browser (/usr/bin/chromium if it does not). FROM_DISK=1 takes the page from
// this folder instead of from the program.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [program, pictures] = process.argv.slice(2);
const browserPath = process.env.CHROMIUM ?? "/usr/bin/chromium";
if (!program || !existsSync(browserPath)) {
  console.error("usage: node tests/browser.mjs PROGRAM; a Chromium must be installed");
  process.exit(2);
}
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "crossarc-page-"));
if (pictures) mkdirSync(pictures, { recursive: true });

// Hand-written trees: "which" and "yesterday" make arcs that cross.
const heads = [2, 0, 4, 2, 2, 7, 4, 10, 10, 7];
const forms = "John saw a dog yesterday which was a Yorkshire terrier".split(" ");
const tags = "PROPN VERB DET NOUN NOUN PRON AUX DET PROPN NOUN".split(" ");
const labels = "nsubj root det obj obl nsubj acl det compound xcomp".split(" ");
const sentence = (id, own) =>
  `# sent_id = ${id}\n# text = ${forms.join(" ")}\n${forms
    .map(
      (form, at) => `${at + 1}\t${form}\t_\t${tags[at]}\t_\t_\t${own[at]}\t${labels[at]}\t_\t_\n`,
    )
    .join("")}\n`;
const gold = join(folder, "gold.conllu");
const other = join(folder, "other.conllu");
writeFileSync(gold, sentence("one", heads) + sentence("two", heads));
writeFileSync(other, sentence("one", heads) + sentence("two", [2, 0, 4, 2, 2, 7, 5, 10, 10, 7]));
const graph = join(folder, "graph.crossarc");
const train = ["train", "--train", gold, "--parser", "mst", "--epochs", "2", "-q", "-m", graph];
execFileSync(program, train, { stdio: ["ignore", "ignore", "inherit"] });

const children = [];
async function serve(...options) {
  const child = spawn(program, [...options, "--address", "127.0.0.1:0"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  children.push(child);
  const address = await new Promise((found, failed) => {
    let said = "";
    child.stderr.on("data", (data) => {
      said += data;
      // The line comes in pieces.
      const match = /(http:\S+)\n/.exec(said);
      if (match) found(match[1]);
    });
    child.on("exit", () => failed(new Error(said)));
  });
  return address;
}

const browser = await chromium.launch({
  executablePath: browserPath,
  args: ["--no-sandbox", "--disable-gpu"],
});
const problems = [];

async function open(address, options = {}) {
  const context = await browser.newContext({ acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const origin = new URL(address).origin;
  page.on("console", (line) => {
    if (line.type() === "error") problems.push(`console: ${line.text()} (${line.location().url})`);
  });
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!/^(blob|data):/.test(url) && new URL(url).origin !== origin)
      problems.push(`fetched ${url}`);
  });
  if (process.env.FROM_DISK) {
    for (const [path, file] of [
      ["/", "index.html"],
      ["/page.css", "page.css"],
      ["/page.js", "dist/page.js"],
    ]) {
      await page.route(`${origin}${path}`, async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, body: readFileSync(file) });
      });
    }
  }
  await page.goto(address);
  return page;
}

async function check(page, name) {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await window.axe.run()).violations);
  for (const one of found) {
    if (one.impact === "serious" || one.impact === "critical") {
      const where = one.nodes.map((node) => node.html.slice(0, 120)).join(" | ");
      problems.push(`${name}: ${one.id}: ${one.help}: ${where}`);
    }
  }
}

async function shoot(page, name) {
  if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

const arcs = (page) => page.locator(".panel .stage .tree-0").count();
const headOf = async (page, word) => {
  await page.getByRole("button", { name: "CoNLL-U", exact: true }).first().click();
  const text = await page.locator(".conllu").textContent();
  await page.getByRole("button", { name: "Tree", exact: true }).click();
  const line = text.split("\n").find((one) => one.startsWith(`${word}\t`));
  return Number(line.split("\t")[6]);
};

async function typing(address) {
  const page = await open(address);
  await page.waitForSelector(".tree .arc");
  await page.fill("#text", "Cats <b>sleep</b> <script>alert(1)</script> well.");
  await page.waitForFunction(() => document.querySelector("main").textContent.includes("alert(1)"));
  assert.equal(await page.locator("b, main script").count(), 0, "text of users is never HTML");
  await page.fill("#text", "A hearing is scheduled on the issue today.");
  await page.waitForFunction(() =>
    document.querySelector(".tree")?.textContent.includes("hearing"),
  );
  assert.equal(await arcs(page), 9);
  await shoot(page, "parse-light");
  await check(page, "parse");

  // Hover and keys.
  await page.locator('.word[data-word="2"]').hover();
  assert.match(await page.locator(".details").textContent(), /lemma hearing · NOUN/);
  await page.locator(".panel .stage").focus();
  await page.keyboard.press("ArrowRight");
  assert.match(await page.locator(".details").textContent(), /^3 is/);
  await page.keyboard.press("+");
  await page.keyboard.press("-");

  // The other views.
  await page.getByRole("button", { name: "Table" }).click();
  assert.equal(await page.locator(".panel tbody tr").count(), 9);
  await check(page, "table");
  await page.getByRole("button", { name: "Tree", exact: true }).click();
  await page.getByLabel("Confidence as shade").check();
  assert.match(await page.locator(".tree").textContent(), /\d\.\d\d/);
  await shoot(page, "confidence");
  await page.getByLabel("Confidence as shade").uncheck();
  await page.getByLabel("Layout").selectOption("down");
  await page.waitForSelector(".tree.down");
  await shoot(page, "down");
  await page.getByLabel("Layout").selectOption("auto");

  // A head by dragging the arc of "on" to "hearing", then by keys to the root and back.
  const box = (selector) => page.locator(selector).first().boundingBox();
  const from = await box('.word[data-word="5"]');
  const to = await box('.word[data-word="2"]');
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 8 });
  await page.mouse.up();
  await page.waitForSelector(".arc.fixed");
  assert.equal(await headOf(page, 5), 2);
  await shoot(page, "by-hand");
  await page.locator('.word[data-word="5"]').hover();
  await page.locator(".panel .stage").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() =>
    document.querySelector(".message").textContent.includes("hangs on scheduled"),
  );
  assert.equal(await headOf(page, 5), 4);
  await page.getByRole("button", { name: "Undo corrections" }).click();
  assert.equal(await page.locator(".arc.fixed").count(), 0);

  // Downloads.
  for (const [name, begins] of [
    ["CoNLL-U", "# text = A hearing"],
    ["SVG", "<svg"],
    ["PNG", "\u0089PNG"],
    ["LaTeX", "\\begin{dependency}"],
  ]) {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("group", { name: "Take along" }).getByRole("button", { name }).click(),
    ]);
    const bytes = readFileSync(await download.path());
    assert.ok(bytes.toString("latin1").includes(begins), `${name}: ${bytes.subarray(0, 80)}`);
  }

  // The best trees by arrow keys.
  await page.getByLabel("Trees").selectOption("5");
  await page.waitForFunction(() => /Tree 1 of/.test(document.querySelector(".ranks")?.textContent));
  await page.locator(".panel .stage").focus();
  await page.keyboard.press("ArrowDown");
  assert.match(await page.locator(".ranks").textContent(), /Tree 2 of/);

  // The link holds the sentence.
  const again = await open(page.url());
  await again.waitForSelector(".tree .arc");
  assert.equal(await again.inputValue("#text"), "A hearing is scheduled on the issue today.");

  // Right to left, many sentences, nothing at all.
  await page.getByLabel("Trees").selectOption("1");
  await page.fill("#text", "החתול ישן.");
  await page.waitForFunction(() => document.querySelector(".tree")?.textContent.includes("החתול"));
  const place = async (word) => (await box(`.word[data-word="${word}"]`)).x;
  assert.ok((await place(1)) > (await place(2)), "the first word is on the right");
  await shoot(page, "right-to-left");
  await page.getByLabel("Layout").selectOption("down");
  await page.waitForSelector(".tree.down");
  const bare = await page.evaluate(
    () =>
      [...document.querySelectorAll(".panel .arc")].filter((arc) => {
        const [back, text] = ["rect", "text"].map((name) => arc.querySelector(name).getBBox());
        return back.x > text.x + 1 || back.x + back.width < text.x + text.width - 1;
      }).length,
  );
  assert.equal(bare, 0, "what makes room for a label is behind it");
  await shoot(page, "right-to-left-down");
  await page.getByLabel("Layout").selectOption("auto");
  await page.fill("#text", "One sleeps. Two sleep.");
  await page.waitForFunction(() => document.querySelectorAll(".found li").length === 2);
  await page.fill("#text", "");
  await page.waitForFunction(() => document.querySelector(".panel").hidden);
  await page.context().close();
  await again.context().close();
}

async function comparing(address) {
  const page = await open(address);
  const parse = page.getByRole("region", { name: "Parse" });
  await page.waitForSelector(".tree .arc");
  await parse.getByLabel("Compare with").selectOption("graph");
  await page.waitForSelector(".tree-1");
  assert.match(await page.locator(".legend").textContent(), /\d+ of 9 words have another arc/);
  await shoot(page, "two-parsers");
  await check(page, "two parsers");
  await parse.getByLabel("Model").selectOption("graph");
  await parse.getByLabel("Compare with").selectOption("");
  await page.waitForFunction(() => document.querySelectorAll(".tree-1").length === 0);
  const chosen = await page.locator(".panel .stage .arc text").allTextContents();
  await page.getByRole("button", { name: "Arc scores" }).click();
  await page.waitForSelector(".matrix td.made");
  assert.equal(await page.locator(".matrix td.made").count(), 9);
  // The tree below is the parser's: an arc may have another label there than it has alone.
  const below = page.locator('[aria-label="Step by step"] .stage .arc text');
  const drawn = await below.allTextContents();
  assert.deepEqual(
    drawn.map((label) => label.replace(/ [\d.]+$/, "")),
    chosen,
  );
  await shoot(page, "arc-scores");
  await check(page, "arc scores");
  await page.context().close();
}

async function stepping(address) {
  const page = await open(address);
  await page.getByRole("button", { name: "Step by step" }).first().click();
  // Nivre 2009, Figure 3: the eager oracle of swap, 30 moves.
  await page.waitForSelector(".trace tbody tr");
  assert.equal(await page.locator(".trace tbody tr").count(), 31);
  const swaps = await page.locator(".trace tbody th").allTextContents();
  assert.equal(swaps.filter((name) => name === "SWAP").length, 6, swaps.join(" "));
  await page.locator(".steps").focus();
  for (let step = 0; step < 7; step++) await page.keyboard.press("ArrowRight");
  const stack = await page.locator(".nodes.stack .node").allTextContents();
  assert.deepEqual(stack, ["0root", "2hearing", "3is", "5on"]);
  await shoot(page, "steps");
  await check(page, "steps");
  // Reisinger's figures; that of attach-complete begins behind two moves.
  const moves = { 1: 18, 2: 2 + 32, 3: 23, 4: 22 };
  for (const [example, expected] of Object.entries(moves)) {
    await page.getByLabel("Example").selectOption(example);
    await page.waitForFunction(
      (rows) => document.querySelectorAll(".trace tbody tr").length === rows,
      expected + 1,
    );
  }
  // Every system with every oracle ends with all arcs of a tree that it covers.
  await page.getByLabel("Example").selectOption("1");
  const systems = await page.getByLabel("Moves of").locator("option").all();
  const names = await Promise.all(systems.map((one) => one.getAttribute("value")));
  const own = names.filter((name) => name.startsWith("system "));
  assert.ok(own.length > 20, own.join(", "));
  for (const name of own) {
    const answer = page.waitForResponse((one) => one.url().endsWith("v1/derivation"));
    await page.getByLabel("Moves of").selectOption(name);
    assert.equal((await answer).status(), 200, name);
    await page.getByRole("button", { name: "Last step" }).click();
    await page.waitForFunction(() =>
      document.querySelector(".steps")?.textContent.includes("The derivation is over."),
    );
    assert.equal(await page.locator(".steps .stage .arc").count(), 10, name);
  }
  // By hand, with what a dynamic oracle says of each move.
  await page.getByLabel("Example").selectOption("1");
  await page.getByLabel("Moves of").selectOption("system arc-eager dynamic");
  await page.getByLabel("Made by").selectOption("hand");
  await page.waitForFunction(() => document.querySelectorAll(".trace tbody tr").length === 1);
  await page.locator(".legal").getByRole("button", { name: "SHIFT", exact: true }).click();
  await page.waitForFunction(() => document.querySelectorAll(".trace tbody tr").length === 2);
  assert.match(await page.locator(".legal thead").textContent(), /Cost/);
  // A model's own moves with their scores.
  await page.getByLabel("Moves of").selectOption("transition english-ewt");
  await page.waitForFunction(() =>
    document.querySelector(".legal thead")?.textContent.includes("Score"),
  );
  await page.getByRole("button", { name: "Next step" }).click();
  await shoot(page, "steps-of-model");
  await page.context().close();
}

async function browsing(address) {
  const page = await open(address);
  await page.waitForSelector(".found li");
  await page.waitForSelector(".tree .arc.crossing");
  await page
    .getByRole("region", { name: "Treebanks" })
    .getByLabel("Compare with")
    .selectOption("1");
  await page.getByLabel("that differ").check();
  await page.waitForFunction(() => document.querySelectorAll("section .found li").length === 1);
  await page.waitForSelector(".arc.differs");
  await page.getByText("Statistics").click();
  await shoot(page, "view");
  await check(page, "view");
  // The query language: words that are found are marked.
  await page.getByRole("search").getByLabel("Query").fill("V[upos=VERB] -[obj]-> O");
  await page.keyboard.press("Enter");
  await page.waitForSelector('.word.matched[data-word="4"]');
  assert.equal(await page.locator(".word.matched").count(), 2);
  await shoot(page, "view-query");
  await page.getByRole("search").getByLabel("Query").fill("");
  await page.keyboard.press("Enter");
  await page.getByRole("search").getByLabel("Label").fill("vocative");
  await page.waitForFunction(() => document.querySelectorAll("section .found li").length === 0);
  await page.context().close();
}

async function looks(address) {
  const dark = await open(address, { colorScheme: "dark" });
  await dark.waitForSelector(".tree .arc");
  await shoot(dark, "parse-dark");
  await check(dark, "dark");
  await dark.context().close();
  const phone = await open(address, { viewport: { width: 380, height: 800 }, hasTouch: true });
  await phone.waitForSelector(".tree.down .arc");
  const wide = () =>
    phone.evaluate(() => document.documentElement.scrollWidth > window.innerWidth + 1);
  assert.ok(!(await wide()), "the page is as wide as the phone");
  await shoot(phone, "phone");
  await check(phone, "phone");
  await phone.getByRole("button", { name: "Step by step" }).first().click();
  await phone.waitForSelector(".trace tbody tr");
  assert.ok(!(await wide()), "the steps are as wide as the phone");
  await shoot(phone, "phone-steps");
  await check(phone, "phone, steps");
  await phone.context().close();
}

const parts = [
  ["typing", typing, () => served],
  ["comparing", comparing, () => served],
  ["stepping", stepping, () => served],
  ["looks", looks, () => served],
  ["browsing", browsing, () => viewed],
];

const served = await serve("serve", "--models-dir", folder, "--default", "english");
const viewed = await serve("view", gold, other);
for (const [name, part, address] of parts) {
  try {
    await part(address());
    console.log(`page: ${name} is well`);
  } catch (error) {
    problems.push(`${name}: ${error.stack}`);
  }
}
await browser.close();
for (const child of children) child.kill();
rmSync(folder, { recursive: true, force: true });
for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);
