// Bundles the entry points that programs import, so that an import loads few files and only code it can reach: each file
// costs Node more than a millisecond, and packages that are seldom needed cost more than everything else together.
import path from "node:path";
import { build } from "esbuild";
import { root } from "./root.mjs";

const entryPoints = {
  index: "src/index.ts",
  pipeline: "src/pipeline/index.ts",
  memory: "src/memdir/index.ts",
  vault: "src/vault/index.ts",
  transcript: "src/transcript/index.ts",
  sdk: "src/sdk/index.ts",
};

/** Modules that are files of their own beside the library and read at the first call of one of these functions. */
const loadedAtFirstCall = {
  yaml: {
    from: "yaml",
    names: ["isAlias", "isMap", "isScalar", "isSeq", "parseDocument", "stringify", "visit"],
  },
  secretlint: { from: "./src/redact/secretlint.ts", names: ["secretlintFinders"] },
};

/** The files that `entry` reaches by static imports. */
function reachedFrom(entry, inputs) {
  const reached = new Set([entry]);
  for (const file of reached)
    for (const { path: imported, kind } of inputs[file]?.imports ?? [])
      if (kind === "import-statement" && imported in inputs) reached.add(imported);
  return reached;
}

/** What the pipeline shares with an entry point that does not contain it: one file for all, instead of one for each set. */
function sharedFiles(inputs) {
  const others = [entryPoints.index, entryPoints.memory, entryPoints.vault, entryPoints.transcript];
  const reached = others.map((entry) => reachedFrom(entry, inputs));
  return [...reachedFrom(entryPoints.pipeline, inputs)].filter(
    (file) => path.basename(file) !== "index.ts" && reached.some((files) => files.has(file)),
  );
}

/** Makes every entry point reach all of `files`: esbuild puts files that the same entry points reach into one chunk. */
const reachingAll = (files) => ({
  name: "reaching-all",
  setup(builder) {
    builder.onResolve({ filter: /./ }, ({ path: file, kind }) =>
      kind === "entry-point" ? { path: path.join(root, file), namespace: "entry" } : undefined,
    );
    builder.onLoad({ filter: /./, namespace: "entry" }, ({ path: file }) => ({
      contents: [
        ...files.map((shared) => `import ${JSON.stringify(path.join(root, shared))};`),
        `export * from ${JSON.stringify(file)};`,
      ].join("\n"),
      resolveDir: root,
    }));
  },
});

const atFirstCall = {
  name: "at-first-call",
  setup(builder) {
    for (const [name, { from, names }] of Object.entries(loadedAtFirstCall)) {
      builder.onResolve({ filter: new RegExp(`(?:^|/)${path.basename(from)}$`) }, ({ importer }) =>
        importer.includes("node_modules") ? undefined : { path: name, namespace: "at-first-call" },
      );
      const contents = [
        'import { createRequire } from "node:module";',
        "let loaded;",
        `const load = () => (loaded ??= createRequire(import.meta.url)("./${name}.cjs"));`,
        ...names.map((each) => `export const ${each} = (...given) => load().${each}(...given);`),
      ].join("\n");
      builder.onLoad({ filter: new RegExp(`^${name}$`), namespace: "at-first-call" }, () => ({ contents }));
    }
    // Needs the database and everything around it: the build of the programs has it.
    builder.onResolve({ filter: /\/worker\/index\.ts$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./inProcess.js", external: true } : undefined,
    );
  },
};

/** @returns what esbuild reports about the files that are inside */
export async function buildLibrary({ plugins, banner: _, ...options }) {
  const asked = {
    ...options,
    entryPoints,
    outdir: "dist",
    metafile: true,
    plugins: [atFirstCall, ...plugins],
  };
  const { metafile } = await build({ ...asked, write: false });
  const files = sharedFiles(metafile.inputs);
  const library = build({
    ...asked,
    plugins: [reachingAll(files), ...asked.plugins],
    splitting: true,
    chunkNames: "shared-[hash]",
  });
  const beside = Object.entries(loadedAtFirstCall).map(([name, { from, names }]) =>
    build({
      ...options,
      stdin: { contents: `export { ${names.join(", ")} } from "${from}";`, resolveDir: root },
      outfile: `dist/${name}.cjs`,
      format: "cjs",
      metafile: true,
    }),
  );
  const built = await Promise.all([library, ...beside]);
  return Object.assign({}, ...built.map(({ metafile: { inputs } }) => inputs));
}
