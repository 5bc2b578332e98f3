// Builds the page's script: `npm run build`. `npm run build -- --check` fails if the committed one is
// not what the source gives.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const outfile = "dist/page.js";
const most = 60_000;
// The sum of the source stands in the bundle, so that a stale one is found without node.
const sum = createHash("sha256");
for (const name of readdirSync("src").sort()) sum.update(readFileSync(`src/${name}`));
const result = await build({
  entryPoints: ["src/main.ts"],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  banner: { js: `/* made of src: ${sum.digest("hex")} */` },
  outfile,
  write: !process.argv.includes("--check"),
});
const built = result.outputFiles?.[0]?.text ?? readFileSync(outfile, "utf8");
const size = gzipSync(built).length;
if (size > most) {
  console.error(`${outfile}: ${size} bytes with gzip, more than ${most}`);
  process.exit(1);
}
if (result.outputFiles && built !== readFileSync(outfile, "utf8")) {
  console.error(
    `${outfile} is not what src gives: run npm run build in crates/server/page, commit`,
  );
  process.exit(1);
}
console.log(`${outfile}: ${size} bytes with gzip`);
