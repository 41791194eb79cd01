// `npm run docs:api`: writes the reference of the entry points from their types and comments to docs/api, or to the folder
// that is given. Fails where an exported name has no comment. TypeDoc comes from the registry into a cache outside the
// project: it needs an older TypeScript than the one that compiles the project.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { root } from "./root.mjs";

const tools = ["typedoc@0.28.20", "typedoc-plugin-markdown@4.14.1", "typescript@6.0.3"];

/** The entry points by the names under which they are imported. */
const entryPoints = {
  throughline: "src/index.ts",
  "throughline/pipeline": "src/pipeline/index.ts",
  "throughline/memory": "src/memdir/index.ts",
  "throughline/vault": "src/vault/index.ts",
  "throughline/transcript": "src/transcript/index.ts",
  "throughline/sdk": "src/sdk/index.ts",
};

function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status === 0) return;
  console.error(`${stdout}${stderr}`.trim());
  process.exit(1);
}

function installedTools() {
  const cache = process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache");
  const folder = path.join(cache, "throughline-e2e", tools.join("+").replaceAll("@", "-"));
  if (!existsSync(path.join(folder, "node_modules", ".bin", "typedoc"))) {
    mkdirSync(folder, { recursive: true });
    const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    run("npm", ["install", "--prefix", folder, ...quiet, ...tools], folder);
  }
  return folder;
}

const options = (out) => ({
  entryPoints: Object.values(entryPoints).map((file) => path.join(root, file)),
  tsconfig: path.join(root, "tsconfig.types.json"),
  out,
  plugin: ["typedoc-plugin-markdown"],
  readme: "none",
  name: "Throughline",
  outputFileStrategy: "modules",
  excludeExternals: true,
  disableSources: true,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  hideGroupHeadings: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  classPropertiesFormat: "table",
  typeAliasPropertiesFormat: "table",
  propertyMembersFormat: "table",
  tableColumnSettings: {
    hideDefaults: true,
    hideInherited: true,
    hideModifiers: true,
    hideOverrides: true,
    hideSources: true,
  },
  skipErrorChecking: true,
  githubPages: false,
  logLevel: "Warn",
  treatWarningsAsErrors: true,
  validation: { notExported: false, invalidLink: true, notDocumented: true },
  requiredToBeDocumented: ["Function", "Class", "Interface", "TypeAlias", "Variable"],
});

/** Without anchors that nothing links to, rules between headings, and names that a pattern has no name for. */
const compact = (text) =>
  text
    .replace(/<a id="[^"]*"><\/a> ?/g, "")
    .replace(/^\*\*\*\n\n/gm, "")
    .replaceAll("`__namedParameters`", "`options`");

/** Pages carry the names under which the entry points are imported, not those of source folders. */
function nameByImport(out) {
  const folder = path.join(out, "memdir.md");
  if (existsSync(folder)) {
    writeFileSync(path.join(out, "memory.md"), readFileSync(folder, "utf8"));
    rmSync(folder);
  }
  for (const name of readdirSync(out)) {
    const file = path.join(out, name);
    const text = readFileSync(file, "utf8").replaceAll("memdir.md", "memory.md");
    const entry = name === "index.md" ? "throughline" : `throughline/${path.basename(name, ".md")}`;
    const titled = name === "README.md" ? text : text.replace(/^# .*$/m, `# ${entry}`);
    const linked = titled.replace(/^- \[(\w+)\]\((\w+)\.md\)$/gm, (_, __, page) =>
      page === "index" ? "- [throughline](index.md)" : `- [throughline/${page}](${page}.md)`,
    );
    writeFileSync(file, `${compact(linked).trim()}\n`);
  }
}

const out = path.resolve(process.argv[2] ?? path.join(root, "docs", "api"));
const folder = installedTools();
const optionsFile = path.join(folder, `typedoc-${process.pid}.json`);
// Beside the old pages: where something is wrong, they stay.
const fresh = path.join(folder, `api-${process.pid}`);
writeFileSync(optionsFile, JSON.stringify(options(fresh)));
run(path.join(folder, "node_modules", ".bin", "typedoc"), ["--options", optionsFile], folder);
rmSync(optionsFile);
nameByImport(fresh);
rmSync(out, { recursive: true, force: true });
cpSync(fresh, out, { recursive: true });
rmSync(fresh, { recursive: true });
console.log(`${path.relative(process.cwd(), out)}: ${readdirSync(out).length} pages`);
