// What a memory points at: paths, symbols, commands, scripts, flags, settings, variables, branches and addresses in its text.

export const referenceKinds = [
  "path",
  "symbol",
  "setting",
  "variable",
  "script",
  "target",
  "program",
  "flag",
  "branch",
  "url",
] as const;
export type ReferenceKind = (typeof referenceKinds)[number];

export interface Reference {
  readonly kind: ReferenceKind;
  readonly text: string;
  /** The memory says itself that it is not there: removed, replaced, or still to come. */
  readonly isDisclaimed: boolean;
  /** The program whose flag or command it is. */
  readonly program?: string;
}

const EXTENSION =
  "[cm]?[jt]sx?|json[c5l]?|md|mdx|py|go|rs|rb|java|kt|swift|cs|cc?|cpp|hh?|hpp|php|sh|bash|sql|ya?ml|toml|ini|cfg|env|css|scss|html?|vue|svelte|txt|lock|proto|graphql|tf|xml|csv";
const FILE = new RegExp(`^(?:[\\w@.()\\[\\]-]+/)*[\\w@.()\\[\\]*-]*\\.(?:${EXTENSION})$`, "i");
const BARE_PATH = new RegExp(
  `(?<![\\w/@.:\`-])((?:\\.{1,2}/)?(?:[\\w@-][\\w@.-]*/)+[\\w@.-]*\\.(?:${EXTENSION})|(?:package|tsconfig|biome|composer)\\.json|Makefile|Dockerfile)(?![\\w/\`-])`,
  "g",
);
const URL_TEXT = /https?:\/\/[^\s<>()"'`，。；]+[^\s<>()"'`.,;:!?，。；]/g;
const MIME = /^(?:application|text|image|audio|video|font|multipart)\/[\w.+-]+$/;

const PACKAGE_COMMANDS = new Set(
  "add audit ci config create dlx exec i info init install link list login ls outdated pack publish rebuild remove root set-script uninstall unlink up update upgrade version view why x".split(
    " ",
  ),
);

type Found = Omit<Reference, "isDisclaimed">;

const withoutPlace = (text: string): string => text.replace(/(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$/, "");

function asPath(text: string): Found[] {
  const plain = withoutPlace(text).replace(/^\.\//, "");
  if (/^(?:\/|~|[A-Za-z]:\\|\$)/.test(plain) || /[<>{}$…]|\.\.\./.test(plain)) return [];
  if (MIME.test(plain) || /^@[\w-]+\/[\w.-]+$/.test(plain) || /^\d+\/\d+$/.test(plain)) return [];
  const isPath = FILE.test(plain) || /^(?:[\w@.*()[\]-]+\/)+[\w@.*()[\]-]*$/.test(plain);
  return isPath ? [{ kind: "path", text: plain }] : [];
}

/** The commands of package managers that run something of the repository. */
function asScript(words: readonly string[]): Found[] {
  const [program = "", first = "", second = ""] = words;
  if (!["npm", "pnpm", "yarn", "bun"].includes(program)) return [];
  if (first === "run" || first === "run-script")
    return second === "" ? [] : [{ kind: "script", text: second }];
  if (["test", "start", "stop"].includes(first) || (program === "npm" && first === "t"))
    return [{ kind: "script", text: first === "t" ? "test" : first }];
  if (program === "npm" || first === "" || first.startsWith("-") || PACKAGE_COMMANDS.has(first)) return [];
  return [{ kind: "script", text: first }];
}

const flagsOf = (words: readonly string[], program: string): Found[] =>
  words.flatMap((word) => {
    const flag = /^(--[A-Za-z][\w-]*)(?:=.*)?$/.exec(word)?.[1];
    return flag === undefined ? [] : [{ kind: "flag" as const, text: flag, program }];
  });

function asCommand(text: string): Found[] {
  const words = text
    .replace(/^\$ /, "")
    .split(/\s+/)
    .filter((word) => !/^[A-Z_][A-Z0-9_]*=/.test(word));
  const program = (words[0] ?? "").replace(/^npx$/, "") || (words[1] ?? "");
  const rest = words.slice(1);
  const paths = rest.flatMap((word) =>
    /^-/.test(word) || /^https?:/.test(word) ? [] : asPath(word.replace(/^.*=/, "")),
  );
  if (program === "make" || program === "just")
    return rest
      .filter((word) => /^[\w./-]+$/.test(word) && !word.startsWith("-"))
      .slice(0, 1)
      .map((target) => ({ kind: "target", text: target }));
  if (program === "git") {
    const branch = /^git (?:checkout|switch|merge|rebase) (?:-\S+ )*([\w./-]+)$/.exec(text)?.[1];
    return branch === undefined || /^[0-9a-f]{7,40}$|^HEAD/.test(branch) || FILE.test(branch)
      ? paths
      : [{ kind: "branch", text: branch }];
  }
  const script = asScript(words);
  if (script.length > 0)
    return [...script, ...paths, ...flagsOf(words.slice(words.indexOf("--") + 1 || words.length), "npm")];
  if (["npm", "pnpm", "yarn", "bun"].includes(program)) return paths;
  const subcommands = rest.filter((word) => /^[a-z][a-z-]+$/.test(word) && rest.indexOf(word) === 0);
  return [
    ...subcommands.map((word): Found => ({ kind: "program", text: word, program })),
    ...flagsOf(rest, program),
    ...paths,
  ];
}

const SETTING = /^[a-z][\w]*(?:\.[a-z][\w]*)+$/;
const VARIABLE = /^\$?\{?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\}?(?:=.*)?$/;
const HUMPED =
  /^(?:[a-z][a-z0-9]*(?:[A-Z][A-Za-z0-9]*)+|(?:[A-Z][a-z0-9]+){2,}|[a-z][a-z0-9]*(?:_[a-z0-9]+)+)$/;
const CALL = /^(?:new )?([A-Za-z_$][\w$]*(?:[.#:]{1,2}[A-Za-z_$][\w$]*)*)\((?:[^()]*)\)$/;

/** What stands in backticks. */
function inCode(code: string, isBranch: boolean): Found[] {
  const text = code.trim();
  if (/^https?:\/\//.test(text)) return [{ kind: "url", text }];
  const call = CALL.exec(text)?.[1];
  if (call !== undefined) return [{ kind: "symbol", text: call }];
  if (/\s/.test(text))
    return /^(?:\$ )?(?:[A-Z_][A-Z0-9_]*=\S* )*[\w./@-]+ /.test(text) ? asCommand(text) : [];
  if (isBranch && /^[\w./-]+$/.test(text)) return [{ kind: "branch", text }];
  if (/^--[A-Za-z][\w-]*(?:=\S*)?$/.test(text)) return [{ kind: "flag", text: text.replace(/=.*/, "") }];
  const variable = VARIABLE.exec(text)?.[1];
  if (variable !== undefined) return [{ kind: "variable", text: variable }];
  const path = asPath(text);
  if (path.length > 0) return path;
  if (SETTING.test(text)) return [{ kind: "setting", text }];
  if (HUMPED.test(text) || /^[A-Za-z_$][\w$]*(?:::|#)[\w$]+$/.test(text)) return [{ kind: "symbol", text }];
  return [];
}

const GONE =
  "removed|deleted|dropped|gone|renamed|moved|replaced|deprecated|retired|superseded|missing|absent";
const BEFORE = new RegExp(
  `(?:\\b(?:instead of|rather than|no longer (?:use|have|need)|there is no|there's no|(?:we |was |were |has been |have been |got )?(?:${GONE}|replaces?|removes?|deletes?|renames?)|formerly|previously|used to (?:be|live in|use)|(?:renamed|moved) from|old|former|(?:will|should|must|to|plan(?:ned)? to|need to|want to|going to|todo:?) (?:add|create|introduce|write|build)|not yet|never had)(?: (?:the|a|an|our|any|called|named|file|script|flag|function|branch))*|删除了?|移除了?|废弃了?|不再(?:使用|有)|取代了?|代替了?|而不是|没有|旧的?|计划(?:新增|添加|创建)|将(?:新增|添加|创建))\\s*$`,
  "i",
);
const AFTER = new RegExp(
  `^\\s*(?:(?:file|script|flag|function|branch|folder|setting|option|command)\\s+)?(?:(?:is|was|were|has been|have been|got|will be)\\s+(?:since |long |later |now )?(?:${GONE})|no longer\\b|does(?: not|n't) exist|did(?: not|n't) exist|never existed|is not there|(?:已经?|被|已被|后来)*(?:删除|移除|废弃|重命名|改名|不存在|取代|不再))`,
  "i",
);

interface Place {
  readonly start: number;
  readonly end: number;
}

/** Whether the words around a place say that what it names is not there. */
function isDisclaimed(text: string, { start, end }: Place): boolean {
  const sentenceStart = Math.max(
    0,
    ...["\n", ". ", "。", "; ", "；", "! "].map((mark) => {
      const at = text.lastIndexOf(mark, start - 1);
      return at === -1 ? 0 : at + mark.length;
    }),
  );
  const before = text.slice(Math.max(sentenceStart, start - 80), start).replace(/`$/, "");
  const after =
    text
      .slice(end, end + 60)
      .replace(/^`/, "")
      .split("\n")[0] ?? "";
  return BEFORE.test(before) || AFTER.test(after);
}

const isBranchTalk = (text: string, { start, end }: Place): boolean =>
  /(?:\bbranch(?:es)?(?: (?:called|named|is))?|分支(?:是|叫|名为)?)\s*`?$/i.test(
    text.slice(Math.max(0, start - 30), start),
  ) || /^`?\s*(?:branch\b|分支)/i.test(text.slice(end, end + 12));

/** Every reference of a text, each once, in order. */
export function referencesIn(text: string): Reference[] {
  const found = new Map<string, Reference>();
  const take = (references: readonly Found[], place: Place): void => {
    for (const reference of references) {
      const key = `${reference.kind} ${reference.program ?? ""} ${reference.text}`;
      const disclaimed = isDisclaimed(text, place);
      const known = found.get(key);
      // Said once to be gone, it is gone for the whole memory.
      if (known === undefined || disclaimed) found.set(key, { ...reference, isDisclaimed: disclaimed });
    }
  };
  const prose = text.replace(
    /```[\s\S]*?(?:```|$)|`([^`\n]+)`/g,
    (whole, code: string | undefined, start: number) => {
      if (code === undefined) takeBlock(whole, start, take);
      else {
        const place = { start, end: start + whole.length };
        take(inCode(code, isBranchTalk(text, place)), place);
      }
      return " ".repeat(whole.length);
    },
  );
  for (const { 0: url, index } of prose.matchAll(URL_TEXT))
    take([{ kind: "url", text: url }], { start: index, end: index + url.length });
  const bare = prose.replace(URL_TEXT, (url) => " ".repeat(url.length));
  for (const { 0: path, index } of bare.matchAll(BARE_PATH))
    take(asPath(path), { start: index, end: index + path.length });
  for (const { 0: command, index } of bare.matchAll(/\b(?:npm|pnpm|yarn) run [\w:.-]*\w/g))
    take(asCommand(command), { start: index, end: index + command.length });
  return [...found.values()];
}

/** The lines of a block of shell are commands; of other code only its paths could be told, and they are examples. */
function takeBlock(
  block: string,
  start: number,
  take: (found: readonly Found[], place: Place) => void,
): void {
  if (!/^```(?:sh|bash|shell|console|zsh)?\s*\n/.test(block)) return;
  let at = start;
  for (const line of block.split("\n")) {
    const command = line.trim().replace(/^\$ /, "");
    if (/^[\w./@-]+( |$)/.test(command) && !command.startsWith("```"))
      take(asCommand(command), { start: at, end: at + line.length });
    at += line.length + 1;
  }
}
