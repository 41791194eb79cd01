// What a memory points at: paths, symbols, commands, scripts, flags, settings, variables, branches and addresses in its text.
import { isElsewhere, isHost, isKnownElsewhere } from "./knownNames.ts";

const referenceKinds = [
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
type ReferenceKind = (typeof referenceKinds)[number];

/** Something in the repository that a text refers to. */
export interface MemoryReference {
  readonly kind: ReferenceKind;
  readonly text: string;
  /** The memory says itself that it is not there: removed, replaced, still to come, forbidden, or somewhere else. */
  readonly isDisclaimed: boolean;
  /** The program whose flag or command it is. */
  readonly program?: string;
}

const EXTENSION =
  "[cm]?[jt]sx?|json[c5l]?|md|mdx|py|go|rs|rb|java|kt|swift|cs|cc?|cpp|hh?|hpp|php|sh|bash|sql|ya?ml|toml|ini|cfg|env|css|scss|html?|vue|svelte|txt|lockb?|proto|graphql|tf|xml|csv|rst|adoc|ipynb|ps1|fish|zsh|nix|gradle|kts|scala|lua|exs?|erl|hs|snap";
const FILE = new RegExp(`^(?:[\\w@.()\\[\\]-]+/)*[\\w@.()\\[\\]*-]*\\.(?:${EXTENSION})$`, "i");
const BARE_PATH = new RegExp(
  `(?<![\\w/@.:\`-])((?:\\.{1,2}/)?(?:[\\w@-][\\w@.-]*/)+[\\w@.-]*\\.(?:${EXTENSION})|(?:package|tsconfig|biome|composer)\\.json|[\\w-]+(?:\\.[\\w-]+)*\\.(?:config|test|spec|d)\\.[cm]?[jt]sx?|Makefile|Dockerfile|Rakefile|Gemfile|Jenkinsfile|Procfile|Justfile)(?![\\w/\`-])`,
  "g",
);
export const NAMED_FILE =
  /^(?:GNUm|M|m)akefile$|^(?:Docker|Rake|Gem|Jenkins|Proc|Just|Vagrant)file$|^CODEOWNERS$/;
/** Files that begin with a dot, as repositories have them. Those of a home folder are left out. */
const DOTFILE =
  /^\.(?!(?:bash|zsh|vim|nvim|net|psql|screen|tmux|npm|input|wget|curl|irb|sql)rc$)(?:[\w-]+rc(?:\.[\w-]+)*|[\w-]+ignore|editorconfig|gitattributes|gitmodules|(?:node|python|ruby|java|tool)-versions?|env\.[\w.-]+)$/;
const URL_TEXT = /https?:\/\/[^\s<>()"'`，。；]+[^\s<>()"'`.,;:!?，。；]/g;
const MIME = /^(?:application|text|image|audio|video|font|multipart)\/[\w.+-]+$/;

/** What package managers do by themselves; any other word is a script, or a program of a package. */
const PACKAGE_COMMANDS = new Set(
  "add approve-builds audit autoclean bin cache check ci config constraints create dedupe deploy dlx env exec fetch global help i import info init install licenses link list login logout ls node npm outdated owner pack patch plugin pm prune publish rebuild recursive remove repl root self-update set set-script setup store tag team uninstall unlink unplug up update upgrade upgrade-interactive version view why workspace workspaces x".split(
    " ",
  ),
);
/** Bun has these itself. */
const BUN_COMMANDS = new Set(["test", "build", "start", "stop"]);
const MANAGERS = new Set(["npm", "pnpm", "yarn", "bun"]);

type FoundReference = Omit<MemoryReference, "isDisclaimed">;

const withoutPlace = (text: string) => text.replace(/(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$/, "");

function asPath(text: string): FoundReference[] {
  const plain = withoutPlace(text).replace(/^\.\//, "");
  if (/^(?:\/|~|[A-Za-z]:\\|\$)/.test(plain) || /[<>{}$…]|\.\.\./.test(plain)) return [];
  if (DOTFILE.test(plain) || NAMED_FILE.test(plain)) return [{ kind: "path", text: plain }];
  if (plain.includes("/") && isHost(plain.slice(0, plain.indexOf("/")))) return [];
  if (MIME.test(plain) || /^@[\w-]+\/[\w.-]+$/.test(plain) || /^\d+\/\d+$/.test(plain)) return [];
  const isPath = FILE.test(plain) || /^(?:[\w@.*()[\]-]+\/)+[\w@.*()[\]-]*$/.test(plain);
  return isPath ? [{ kind: "path", text: plain }] : [];
}

/** What a package manager is asked to run: a script of the repository, or a file. */
function asScript([program = "", ...words]: readonly string[]): FoundReference[] {
  const isRun = ["run", "run-script"].includes(words[0] ?? "");
  const rest = isRun ? words.slice(1) : words;
  // The value of a flag cannot be told from the script behind it.
  const first = rest[0] ?? "";
  const [script = ""] = isRun && /^-[a-z]$|^--(?:silent|if-present|bun)$/.test(first) ? rest.slice(1) : rest;
  if (!/^[A-Za-z]/.test(script) && !script.startsWith("./")) return [];
  if (isRun) return FILE.test(script) ? asPath(script) : [{ kind: "script", text: script }];
  if (program === "npm" && script === "t") return [{ kind: "script", text: "test" }];
  if (program === "bun" ? BUN_COMMANDS.has(script) : ["test", "start", "stop"].includes(script))
    return program === "bun" ? [] : [{ kind: "script", text: script }];
  if (program === "npm" || PACKAGE_COMMANDS.has(script)) return [];
  // It may as well be a program of a package.
  return FILE.test(script) ? asPath(script) : [{ kind: "script", text: script, program }];
}

const flagsOf = (words: readonly string[], program: string): FoundReference[] =>
  words.flatMap((word) => {
    const flag = /^(--[A-Za-z][\w-]*)(?:=.*)?$/.exec(word)?.[1];
    return flag === undefined ? [] : [{ kind: "flag" as const, text: flag, program }];
  });

/** The words of a command without runners such as `npx` in front of it. */
function commandWords(text: string) {
  const words = text
    .replace(/^\$ /, "")
    .split(/\s+/)
    .filter((word) => !/^[A-Z_][A-Z0-9_]*=/.test(word));
  const [first = "", second = ""] = words;
  const isRunner = ["npx", "bunx", "sudo", "time", "uvx"].includes(first);
  const isExec =
    (MANAGERS.has(first) && ["exec", "dlx", "x"].includes(second)) ||
    ["uv run", "poetry run", "pipenv run", "hatch run", "bundle exec"].includes(`${first} ${second}`);
  if (!isRunner && !isExec) return words;
  const rest = words.slice(isExec ? 2 : 1);
  return rest.slice(
    Math.max(
      0,
      rest.findIndex((word) => !word.startsWith("-")),
    ),
  );
}

function makeTargetIn(rest: readonly string[], program: string): FoundReference[] {
  const target = rest.find(
    (word, at) => /^[\w./-]+$/.test(word) && !word.startsWith("-") && !/^-[Cfj]$/.test(rest[at - 1] ?? ""),
  );
  return target === undefined ? [] : [{ kind: "target", text: target, program }];
}

function asCommand(text: string): FoundReference[] {
  const words = commandWords(text);
  const [program = "", ...rest] = words;
  const paths = rest.flatMap((word) =>
    /^-/.test(word) || /^https?:/.test(word) ? [] : asPath(word.replace(/^.*=/, "")),
  );
  if (program === "make" || program === "just") return makeTargetIn(rest, program);
  if (program === "git") {
    const branch = /^git (?:checkout|switch|merge|rebase) (?:-\S+ )*([\w./-]+)$/.exec(text)?.[1];
    return branch === undefined || /^[0-9a-f]{7,40}$|^HEAD/.test(branch) || FILE.test(branch)
      ? paths
      : [{ kind: "branch", text: branch }];
  }
  if (MANAGERS.has(program)) {
    const script = asScript(words);
    const passed = words.slice(words.indexOf("--") + 1 || words.length);
    return [...script, ...paths, ...(script.length === 0 ? [] : flagsOf(passed, "npm"))];
  }
  const subcommands = rest.filter((word) => /^[a-z][a-z-]+$/.test(word) && rest.indexOf(word) === 0);
  return [
    ...subcommands.map((word): FoundReference => ({ kind: "program", text: word, program })),
    ...flagsOf(rest, program),
    ...paths,
  ];
}

const SETTING = /^[a-z][\w]*(?:\.[a-z][\w]*)+$/;
const VARIABLE = /^\$?\{?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\}?(?:=.*)?$/;
/** `someName`, `SomeName`, `HTTPName`, `some_name`. */
const HUMPED =
  /^(?:[a-z][a-z0-9]*(?:[A-Z][A-Za-z0-9]*)+|(?=.*[a-z])[A-Z][A-Za-z0-9]*[A-Z][A-Za-z0-9]*|_{0,2}[a-z][a-z0-9]*(?:_[a-z0-9]+)+)$/;
const SYMBOL_CALL = /^(?:new )?([A-Za-z_$][\w$]*(?:[.#:]{1,2}[A-Za-z_$][\w$]*)*)\((?:[^()]*)\)$/;

/** What stands in backticks. */
function inCode(code: string, isBranch: boolean): FoundReference[] {
  const text = code.trim();
  if (/^https?:\/\//.test(text)) return [{ kind: "url", text }];
  const call = SYMBOL_CALL.exec(text)?.[1];
  if (call !== undefined) return [{ kind: "symbol", text: call }];
  if (/\s/.test(text))
    return /^(?:\$ )?(?:[A-Z_][A-Z0-9_]*=\S* )*[\w./@-]+ /.test(text) ? asCommand(text) : [];
  if (isBranch && /^[\w./-]+$/.test(text)) return [{ kind: "branch", text }];
  if (/^--[A-Za-z][\w-]*(?:=\S*)?$/.test(text)) return [{ kind: "flag", text: text.replace(/=.*/, "") }];
  const variable = VARIABLE.exec(text)?.[1];
  if (variable !== undefined) return isKnownElsewhere(variable) ? [] : [{ kind: "variable", text: variable }];
  const path = asPath(text);
  if (path.length > 0) return path;
  if (isHost(text) || isKnownElsewhere(text)) return [];
  if (SETTING.test(text)) return [{ kind: "setting", text }];
  if (HUMPED.test(text) || /^[A-Za-z_$][\w$]*(?:::|#)[\w$]+$/.test(text)) return [{ kind: "symbol", text }];
  return [];
}

const GONE =
  "removed|deleted|dropped|gone|renamed|moved|replaced|deprecated|retired|superseded|missing|absent";
const GONE_BEFORE = new RegExp(
  `(?:\\b(?:instead of|rather than|no longer (?:use|have|need)|there is no|there's no|(?:we |was |were |has been |have been |got )?(?:${GONE}|replaces?|removes?|deletes?|renames?)|formerly|previously|used to (?:be|live in|use)|(?:renamed|moved) from|old|former|(?:will|should|must|to|plan(?:ned)? to|need to|want to|going to|todo:?) (?:add|create|introduce|write|build)|not yet|never had)(?: (?:the|a|an|our|any|called|named|file|script|flag|function|branch))*|删除了?|移除了?|废弃了?|不再(?:使用|有)|取代了?|代替了?|而不是|没有|旧的?|计划(?:新增|添加|创建)|将(?:新增|添加|创建))\\s*$`,
  "i",
);
const GONE_AFTER = new RegExp(
  `^[)\\]\\s]*(?:(?:file|script|flag|function|branch|folder|setting|option|command)\\s+)?(?:(?:is|was|were|has been|have been|got|will be)\\s+(?:since |long |later |now )?(?:${GONE})|no longer\\b|does(?: not|n't) exist|did(?: not|n't) exist|never existed|is not there|(?:已经?|被|已被|后来)*(?:删除|移除|废弃|重命名|改名|不存在|取代|不再))`,
  "i",
);
/** The same, some words later in the sentence. */
const GONE_LATER =
  /^[^.;:`。；]{0,40}\b(?:was|were|is|are|has been|have been|got)\s+(?:since |long |later |now )?(?:removed|deleted|dropped|gone)\b/i;

/** What is forbidden need not be there; a file that must not be touched does. */
const FORBIDDEN_BEFORE =
  /\b(?:never|do not|don['’]t|must not|should not|shouldn['’]t|not|avoid|stop|without|ban(?:ned)?|forbid(?:s|den)?|reject(?:s|ed)?|instead of) (?:to )?(?:us(?:e|ing)|call(?:ing)?|import(?:ing)?|reach(?:ing)? for|rely(?:ing)? on|pass(?:ing)?|set(?:ting)?)?(?: (?:the|a|an|any|plain|raw|our))*\s*$|(?:不要|禁止|避免|别|切勿|不得|不能)(?:使用|调用|用|直接用|设置)?\s*$/i;
const FORBIDDEN_AFTER =
  /^\s*(?:is|are|was) (?:forbidden|banned|not allowed|off limits|unsafe|broken)\b|^\s*(?:must|should) not\b|^\s*(?:被|是)?禁止/i;
const TO_BE_MADE =
  /\b(?:never|do not|don['’]t|must not|should not|nobody should) (?:add|create|introduce|commit|bring back|write|make)(?: (?:the|a|an|any|another|new|back))*\s*$|(?:不要|禁止|别|切勿)(?:新增|添加|新建|创建|提交)\s*$/i;

interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Whether the words around a place say that what it names is not there, must not be, or is somewhere else. */
function isDisclaimed(text: string, { start, end }: TextRange, kind: ReferenceKind) {
  const sentenceStart = Math.max(
    0,
    ...["\n", ". ", "。", "; ", "；", "! "].map((mark) => {
      const at = text.lastIndexOf(mark, start - 1);
      return at === -1 ? 0 : at + mark.length;
    }),
  );
  // What is said of one name of a list is said of all of them.
  const before = text
    .slice(Math.max(sentenceStart, start - 120), start)
    .replace(/`$/, "")
    .replace(/(?:`[^`\n]+`(?:,|、| and| or|和|与|以及)*\s*)+$/, "");
  const [line = ""] = text.slice(end, end + 120).split("\n");
  const after = line.replace(/^`/, "").replace(/^(?:(?:,|、| and| or|和|与|以及)+\s*`[^`]+`)+/, "");
  if ([GONE_BEFORE, TO_BE_MADE].some((words) => words.test(before))) return true;
  if ([GONE_AFTER, GONE_LATER].some((words) => words.test(after))) return true;
  const isForbidden = FORBIDDEN_BEFORE.test(before) || FORBIDDEN_AFTER.test(after);
  if (isForbidden && ["symbol", "setting", "variable", "flag"].includes(kind)) return true;
  return (
    ["path", "symbol", "setting", "variable"].includes(kind) && isElsewhere(before, after, kind === "path")
  );
}

const isBranchTalk = (text: string, { start, end }: TextRange) =>
  /(?:\bbranch(?:es)?(?: (?:called|named|is))?|分支(?:是|叫|名为)?)\s*`?$/i.test(
    text.slice(Math.max(0, start - 30), start),
  ) || /^`?\s*(?:branch\b|分支)/i.test(text.slice(end, end + 12));

/** Every reference of a text, each once, in order. */
export function findReferences(text: string): MemoryReference[] {
  const found = new Map<string, MemoryReference>();
  const take = (references: readonly FoundReference[], place: TextRange) => {
    for (const reference of references) {
      const key = `${reference.kind} ${reference.program ?? ""} ${reference.text}`;
      const disclaimed = isDisclaimed(text, place, reference.kind);
      const known = found.get(key);
      // Said once to be gone, it is gone for the whole memory.
      if (!known || disclaimed) found.set(key, { ...reference, isDisclaimed: disclaimed });
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
  take: (found: readonly FoundReference[], place: TextRange) => void,
) {
  if (!/^```(?:sh|bash|shell|console|zsh)?\s*\n/.test(block)) return;
  let at = start;
  for (const line of block.split("\n")) {
    const command = line.trim().replace(/^\$ /, "");
    if (/^[\w./@-]+( |$)/.test(command) && !command.startsWith("```"))
      take(asCommand(command), { start: at, end: at + line.length });
    at += line.length + 1;
  }
}
