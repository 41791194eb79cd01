// For esbuild: an import of a module's `index.ts` goes past it to the file that declares the name. A program then loads
// what it calls and not every module it can see. No module does anything by being loaded, so nothing is missed.
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./root.mjs";

const sources = path.join(root, "src") + path.sep;
const statement = /^(import|export) (type )?\{([^}]*)\} from "(\.[^"]*)";/gm;

/** The names in braces that are values. */
function valuesIn(list) {
  return list.split(",").flatMap((part) => {
    const words = part.trim().split(" as ");
    return /^(?:type .*)?$/.test(words[0]) ? [] : [{ name: words[0], as: words.at(-1) }];
  });
}

/** By index: where each value that it exports is declared. */
const indexes = new Map();

function readIndex(file) {
  const exported = new Map();
  indexes.set(file, exported);
  for (const [, keyword, isType, list, target] of readFileSync(file, "utf8").matchAll(statement)) {
    if (keyword === "import" || isType) continue;
    const from = path.resolve(path.dirname(file), target);
    for (const { name, as } of valuesIn(list)) exported.set(as, declarationOf(from, name));
  }
  return exported;
}

function declarationOf(file, name) {
  if (path.basename(file) !== "index.ts") return { file, name };
  return (indexes.get(file) ?? readIndex(file)).get(name) ?? { file, name };
}

export const skipIndexes = {
  name: "skip-indexes",
  setup(builder) {
    builder.onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
      if (!file.startsWith(sources)) return undefined;
      const direct = (whole, keyword, isType, list, target) => {
        if (isType || path.basename(target) !== "index.ts") return whole;
        const index = path.resolve(path.dirname(file), target);
        return valuesIn(list)
          .map(({ name, as }) => {
            const declared = declarationOf(index, name);
            return `${keyword} { ${declared.name} as ${as} } from ${JSON.stringify(declared.file)};`;
          })
          .join(" ");
      };
      return { contents: readFileSync(file, "utf8").replace(statement, direct), loader: "ts" };
    });
  },
};
