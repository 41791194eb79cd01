// Counts the TypeScript tokens of the product without comments, by folder: `node scripts/countTokens.mjs [--against COMMIT]`.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { SyntaxKind } from "typescript/unstable/ast";
import { createScanner } from "typescript/unstable/ast/scanner";
import { root } from "./root.mjs";

const FOLDERS = ["src", "plugin", "viewer", "scripts"];
/** Tests, long runs and suites that several implementations share are not the product. */
const LEFT_OUT = /\.(test|soak)\.tsx?$|\/contract(\/|\.ts$)|\.d\.ts$/;

const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });

const { CloseBraceToken, CloseBracketToken, CloseParenToken, EndOfFile, Identifier, NumericLiteral } =
  SyntaxKind;
const { OpenBraceToken, SlashEqualsToken, SlashToken, StringLiteral, TemplateHead, TemplateTail } =
  SyntaxKind;
/** After these a slash divides; after all others it begins a regular expression. */
const operands = new Set([
  CloseBraceToken,
  CloseBracketToken,
  CloseParenToken,
  Identifier,
  NumericLiteral,
  StringLiteral,
]);

function countTokens(text, isTsx) {
  const scanner = createScanner(true, isTsx ? 1 : 0, text.replace(/^#!.*/, ""));
  /** Of each open template expression, how many braces are open inside it. */
  const templates = [];
  let count = 0;
  for (let kind = scanner.scan(), before; kind !== EndOfFile; before = kind, kind = scanner.scan(), count++) {
    if ((kind === SlashToken || kind === SlashEqualsToken) && !operands.has(before))
      kind = scanner.reScanSlashToken();
    if (kind === OpenBraceToken && templates.length > 0) templates[templates.length - 1]++;
    if (kind === CloseBraceToken && templates.length > 0 && templates[templates.length - 1]-- === 0) {
      templates[templates.length - 1]++;
      kind = scanner.reScanTemplateToken(false);
      if (kind === TemplateTail) templates.pop();
    } else if (kind === TemplateHead) templates.push(0);
  }
  return count;
}

function countAll(files, read) {
  const byFolder = new Map();
  for (const file of files.filter((name) => /\.(tsx?|mjs)$/.test(name) && !LEFT_OUT.test(name))) {
    const folder = file
      .split("/")
      .slice(0, file.startsWith("src/") ? 2 : 1)
      .join("/");
    byFolder.set(folder, (byFolder.get(folder) ?? 0) + countTokens(read(file), file.endsWith("x")));
  }
  return byFolder;
}

const sum = (counts) => [...counts.values()].reduce((all, count) => all + count, 0);
const list = (...args) =>
  git(...args, "--", ...FOLDERS)
    .split("\n")
    .filter(Boolean);

const at = process.argv.indexOf("--against");
const commit = at === -1 ? undefined : process.argv[at + 1];
const now = countAll(list("ls-files"), (file) => readFileSync(`${root}/${file}`, "utf8"));
const before =
  commit &&
  countAll(list("ls-tree", "-r", "--name-only", commit), (file) => git("show", `${commit}:${file}`));
const folders = [...new Set([...now.keys(), ...(before?.keys() ?? [])])].sort();
for (const folder of folders)
  console.log([folder.padEnd(20), before?.get(folder) ?? "", now.get(folder) ?? 0].join("\t"));
console.log(["all".padEnd(20), before ? sum(before) : "", sum(now)].join("\t"));
if (before) console.log(`${((sum(now) / sum(before) - 1) * 100).toFixed(2)} %`);
