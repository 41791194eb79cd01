// Bundles the entry points with esbuild and the page with vite, and writes type declarations with tsc.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs, { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { buildLibrary } from "./buildLibrary.mjs";
import { publishTypes } from "./publicTypes.mjs";
import { root } from "./root.mjs";
import { skipIndexes } from "./skipIndexes.mjs";

const packageFile = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "esm",
  packages: "external",
  logLevel: "warning",
  define: {
    __THROUGHLINE_VERSION__: JSON.stringify(packageFile.version),
  },
};

/** How hooks take the modules that would otherwise be wrapped, or loaded before it is known that they are needed. */
const thinModules = {
  // One lookup for each function that is used, instead of the whole name at every call.
  "node:fs": `const pick = (name) => require("node:fs")[name];
${Object.keys(fs)
  .filter((name) => /^[a-z]\w*Sync$|^constants$/.test(name))
  .map((name) => `export const ${name} = /* @__PURE__ */ pick("${name}");`)
  .join("\n")}`,
  "node:path": 'export default require("node:path");',
  "node:net": `export const connect = (path) => require("node:net").connect(path);
export const Socket = function (options) { return new (require("node:net").Socket)(options); };`,
  // Loaded where a worker is started: once, while the hooks that follow see that it was.
  "node:child_process": `export const spawn = (...given) => require("node:child_process").spawn(...given);`,
  // Loaded where a worker or a snapshot has to prove itself, which is seldom.
  "node:crypto": ["createHmac", "hash", "randomBytes", "timingSafeEqual"]
    .map((name) => `export const ${name} = (...given) => require("node:crypto").${name}(...given);`)
    .join("\n"),
  "node:os": ["homedir", "tmpdir"]
    .map((name) => `export const ${name} = () => require("node:os").${name}();`)
    .join("\n"),
};

/** What is seldom needed is a file of its own beside the hook, which is read only then: its names, by file. */
const besideHooks = {
  fallback: "askStarting, markLoss, newProof, projectRules, outputWithoutWorker, startWorkerOnce, userRules",
  snapshotFallback: "snapshotOutput",
  agentPayload: "enterAgent",
};
const beside = Object.fromEntries(
  Object.entries(besideHooks).map(([file, names]) => [
    `${file}.ts`,
    `export const { ${names} } = loadBeside("./${file}.cjs");`,
  ]),
);

/**
 * Says that no module does anything by being loaded, so that a hook loads only those it calls:
 * node:crypto alone would take longer than everything else a hook does.
 */
const onlyWhatIsCalled = {
  name: "only-what-is-called",
  setup(builder) {
    builder.onResolve({ filter: /^node:/ }, ({ path: name, kind }) =>
      name in thinModules && kind === "import-statement"
        ? { path: name, namespace: "thin", sideEffects: false }
        : { path: name, external: true, sideEffects: false },
    );
    builder.onLoad({ filter: /./, namespace: "thin" }, ({ path: name }) => ({ contents: thinModules[name] }));
    builder.onResolve({ filter: /^\.\.?\// }, ({ path: name, resolveDir, kind }) =>
      kind === "dynamic-import" && path.basename(name) in beside
        ? { path: path.basename(name), namespace: "beside" }
        : { path: path.resolve(resolveDir, name), sideEffects: false },
    );
    builder.onLoad({ filter: /./, namespace: "beside" }, ({ path: name }) => ({ contents: beside[name] }));
  },
};

/** The programs that agents run at every event: one small CommonJS file each. */
async function buildHooks() {
  await build({
    ...common,
    entryPoints: Object.fromEntries(
      ["capture", "answer", "precompact", "slash", "file", ...Object.keys(besideHooks)].map((name) => [
        name,
        `src/hooks/${name}.ts`,
      ]),
    ),
    outdir: "dist/hooks",
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    minify: true,
    charset: "utf8",
    // What require() does for any module takes four times as long as what is enough for one of Node's own.
    banner: { js: "var loadBeside=require;require=process.getBuiltinModule||require;" },
    // A native import() would start the loader of ES modules; as a require it loads when it is reached.
    supported: { "dynamic-import": false },
    plugins: [onlyWhatIsCalled],
  });
}

/**
 * The mod in one file: Claude Code compiles what it loads at every start, file by file. `carrier.js` is what its sources import, since
 * they may import nothing of `src`.
 */
async function buildMod() {
  const mod = { ...common, platform: "neutral", target: "es2022", charset: "utf8" };
  const hooks = "plugin/mods/hooks";
  await build({ ...mod, entryPoints: ["src/live/carrier.ts"], outfile: `${hooks}/carrier.js` });
  await build({
    ...mod,
    entryPoints: [`${hooks}/register.ts`],
    outfile: `${hooks}/throughline.js`,
    // Names stay: Claude Code reads off the source what the mod calls.
    minifyWhitespace: true,
  });
}

/** What other agents load into their own process: one file each, with nothing but Node's own modules. */
async function buildPlugins() {
  await build({
    ...common,
    entryPoints: { pi: "src/plugins/pi.ts", openCode: "src/plugins/openCode.ts" },
    outdir: "dist/plugins",
  });
}

/** What stays a package of its own: native code, and what a user may leave out. */
const outside = ["@photostructure/sqlite", "sqlite-vec", "@energetic-ai/*", "onnxruntime-*"];

/** Zod's words in fifty languages, which are nowhere used, are half of what it takes to load it. */
const inOneLanguage = {
  name: "in-one-language",
  setup(builder) {
    builder.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};

/** Everything else is inside: to find and load a hundred small files took longer than what a short command does. */
const withPackages = {
  packages: "bundle",
  external: outside,
  mainFields: ["module", "main"],
  plugins: [skipIndexes, inOneLanguage],
  banner: {
    // What is written as CommonJS asks for Node's own modules by this name.
    js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
  },
};

/** The licences of the packages that are inside ask to be handed on with them. */
function writeLicenses(inputs) {
  const folders = new Set(
    Object.keys(inputs).flatMap((file) => file.match(/^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []),
  );
  const texts = [...folders].sort().flatMap((folder) => {
    const license = readdirSync(path.join(root, folder)).find((name) => /^licen[cs]e/i.test(name));
    const name = folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
    return license ? [`${name}\n\n${readFileSync(path.join(root, folder, license), "utf8").trim()}\n`] : [];
  });
  writeFileSync(path.join(root, "dist", "licenses.txt"), texts.join(`\n${"-".repeat(80)}\n\n`));
}

/**
 * Programs that are split where they load something later. The worker is split by itself: shared with all the others it
 * would come in a hundred pieces, which Node opens at once, and a system that allows 128 open files would not start it.
 */
async function buildEntryPoints() {
  const worker = build({
    ...common,
    ...withPackages,
    entryPoints: { worker: "src/worker/main.ts" },
    outdir: "dist",
    splitting: true,
    chunkNames: "chunks/worker/[name]-[hash]",
  });
  const { metafile } = await build({
    ...common,
    ...withPackages,
    metafile: true,
    entryPoints: {
      cli: "src/cli/main.ts",
      inProcess: "src/worker/index.ts",
      replayThread: "src/replay/thread.ts",
      inspector: "src/inspector/thread.ts",
      backup: "src/worker/jobs/backupProcess.ts",
      salvage: "src/recovery/salvageProcess.ts",
    },
    outdir: "dist",
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
  });
  await worker;
  const library = await buildLibrary({ ...common, ...withPackages });
  writeLicenses({ ...metafile.inputs, ...library });
  chmodSync(path.join(root, "dist", "cli.js"), 0o755);
  await writeGreeting();
  await buildHooks();
  await buildMod();
  await buildPlugins();
}

/** What the MCP server answers before its first call, asked of the server itself, so that the handshake needs no server. */
async function writeGreeting() {
  const { SUPPORTED_PROTOCOL_VERSIONS } = await import("@modelcontextprotocol/server");
  const [protocolVersion] = SUPPORTED_PROTOCOL_VERSIONS;
  const clientInfo = { name: "build", version: packageFile.version };
  const requests = [
    { id: 0, method: "initialize", params: { protocolVersion, capabilities: {}, clientInfo } },
    { id: 1, method: "tools/list" },
  ];
  const { stdout } = spawnSync(process.execPath, [path.join(root, "dist", "cli.js"), "mcp"], {
    input: requests.map((request) => `${JSON.stringify({ jsonrpc: "2.0", ...request })}\n`).join(""),
    env: { THROUGHLINE_HOME: path.join(root, "dist", "none") },
    encoding: "utf8",
  });
  const [initialize, tools] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).result);
  const greeting = { protocolVersions: SUPPORTED_PROTOCOL_VERSIONS, initialize, tools };
  writeFileSync(path.join(root, "dist", "mcp.json"), JSON.stringify(greeting));
  writeShellHandshake(greeting);
}

/** The same handshake for a shell, which starts in a tenth of Node's time. */
function writeShellHandshake({ protocolVersions, initialize, tools }) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const { protocolVersion: _, ...rest } = initialize;
  const parts = {
    "@VERSIONS@": protocolVersions.join(" "),
    "@INITIALIZE@": quoted(JSON.stringify(rest).slice(1)),
    "@TOOLS@": quoted(JSON.stringify(tools)),
  };
  const template = readFileSync(path.join(root, "src/cli/mcp.sh"), "utf8");
  const script = template.replace(/@[A-Z]+@/g, (name) => parts[name]);
  writeFileSync(path.join(root, "dist", "mcp.sh"), script);
}

/** The page that the worker serves. */
async function buildViewer() {
  const vite = await import("vite");
  await vite.build({ configFile: path.join(root, "viewer", "vite.config.ts") });
}

/** Beside the bundles, which are made in this process. */
async function writeTypes() {
  const compiler = path.join(root, "node_modules/typescript/bin/tsc");
  const types = spawn(process.execPath, [compiler, "-p", "tsconfig.types.json"], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [code] = await once(types, "exit");
  if (code !== 0) process.exit(code ?? 1);
  const entries = Object.values(packageFile.exports).flatMap(({ types }) => types ?? []);
  publishTypes(
    path.join(root, "dist", "types"),
    entries.map((file) => path.join(root, file)),
  );
}

export async function buildAll() {
  rmSync(path.join(root, "dist"), { recursive: true, force: true });
  await Promise.all([writeTypes(), buildEntryPoints(), buildViewer()]);
}

/** Bundles one TypeScript file, or a program given as a text, into a file that Node can run. */
export async function bundleOne({ entry, program }, outfile) {
  const source =
    program === undefined
      ? { entryPoints: [entry] }
      : { stdin: { contents: program, resolveDir: root, loader: "ts", sourcefile: "program.ts" } };
  await build({ ...common, ...source, outfile });
}
