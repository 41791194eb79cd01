// For esbuild: takes an import of a room's face (`index.ts`) past it, to the file that holds the name. A program then
// loads what it calls and not every room it can see. No module does anything by being loaded, so nothing is missed.
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./root.mjs";

const sources = path.join(root, "src") + path.sep;
const statement = /^(import|export) (type )?\{([^}]*)\} from "(\.[^"]*)";/gm;

const isIndex = (file) => path.basename(file) === "index.ts";

/** The names in braces that are values. */
function valuesIn(list) {
  return list.split(",").flatMap((part) => {
    const words = part.trim().split(" as ");
    return /^(?:type .*)?$/.test(words[0]) ? [] : [{ name: words[0], as: words.at(-1) }];
  });
}

/** Where each value that a face shows is really kept. */
function readIndex(file, faces) {
  const shown = new Map();
  faces.set(file, shown);
  for (const [, keyword, isType, list, target] of readFileSync(file, "utf8").matchAll(statement)) {
    if (keyword === "import" || isType) continue;
    const from = path.resolve(path.dirname(file), target);
    for (const { name, as } of valuesIn(list)) shown.set(as, holderOf(from, name, faces));
  }
  return shown;
}

function holderOf(file, name, faces) {
  const shown = isIndex(file) ? (faces.get(file) ?? readIndex(file, faces)) : new Map();
  return shown.get(name) ?? { file, name };
}

export const skipIndexes = {
  name: "past-faces",
  setup(builder) {
    const faces = new Map();
    builder.onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
      if (!file.startsWith(sources)) return undefined;
      const contents = readFileSync(file, "utf8").replace(
        statement,
        (whole, keyword, isType, list, target) => {
          if (isType || !isIndex(target)) return whole;
          const face = path.resolve(path.dirname(file), target);
          return valuesIn(list)
            .map(({ name, as }) => ({ as, ...holderOf(face, name, faces) }))
            .map(
              ({ as, ...held }) => `${keyword} { ${held.name} as ${as} } from ${JSON.stringify(held.file)};`,
            )
            .join(" ");
        },
      );
      return { contents, loader: "ts" };
    });
  },
};
