// Looks a sentence up: whether the names in it, and most of what it says about them, stand together in one place of the
// repository or of its history.
import type { Place } from "../../claims/index.ts";
import { englishFor } from "../../terms/index.ts";
import { neededShare, outsideWords } from "./outsideCode.ts";
import { thresholds } from "./thresholds.ts";

const PATH =
  /(?<![\w/:])(?:[\w@.-]+\/)+[\w@.-]*|(?<![\w/.])[\w-]+\.(?:[cm]?[jt]sx?|json|md|sql|py|go|rs|ya?ml|toml|sh|java|kts?|rb|php|swift|scala|dart|lua|exs?|cs|cc|cpp|hpp?|vue|svelte|s?css|html|xml|proto|tf|ini|gradle)\b/g;
const IDENTIFIER =
  /\b(?:[a-z][a-z\d]*[A-Z]\w*|[A-Z][a-z\d]+[A-Z]\w*|[A-Za-z]\w*_\w+|_+[A-Za-z]\w+|[A-Z]+[a-z]+[A-Z]\w*|0x[\da-fA-F]+)\b|#[\da-fA-F]{6}\b|`([\w.$:@-]+)`/g;

/** A port is a name: its number stands where it is set, and hardly anywhere else. */
const PORT = /\bport (\d{2,5})\b|(\d{2,5}) ?端口|端口(?:号)?(?:是|为)? ?(\d{2,5})/gi;

/** What a tool that runs tasks is asked for. */
const TARGET = /\b(?:make|just|rake|(?:npm|pnpm|yarn) run) ([a-z][\w:-]+)/g;

/** Neither a year nor an amount. */
const NUMBER = /(?<![\d.:-])(?:\d{3,}|\d+\.\d+)(?![\d.:-]|\s?(?:年|元|块|人|家|号|万|倍))/g;

/** Words that any sentence about code has. Some are names of scripts too: as such they would say nothing. */
const COMMON = new Set(
  `a about across both after again all app npm npx pnpm yarn make also an and any are as at back backend base based be been before below both by can class classes client code
  column columns command component config constant constructor contains crate current data default defaults defined describe described
  database dev directory do does each end entries entry every field file files find folder folders for found framework from front frontend function functions get gets
  call calls called calling invoke invokes load loads loaded import imports imported export exports exported extend extends inherit inherits wrap wraps
  given had handle handled handler has have if image implemented in input interface into is it its keep keeps key keys layout library listen listens live lives
  located made main method methods module modules name named new newer no not now number of on one only or other our out output
  package packages parameter parameters port project put read reads repository required return returns run runs same see set setting since so
  script server service source start started state status store stored structure such table take takes tests than that the their them then there these
  they this those through time times to two type types under up use used uses using value values version was we were what
  sit sits land lands hand hands handed pass passes passed goes gone got far rid away moved move switched switch dropped drop removed remove replaced replace
  begin begins ends trigger triggers triggered execute executes executed follow follows followed reach reached reachable exist exists draw draws drawn show shows shown
  pick picks picked send sends sent receive receives make makes save saves saved hold holds happen happens become becomes sits belongs consist consists place placed may up must otherwise until only ci first second third sort sorted order ordered
  exactly just still either most least over under between while local implementation implementations implements
  when where which who whose with written yes say says you last week month day today yesterday ago via them tries done`.split(
    /\s+/,
  ),
);

const stemOf = (word: string) => {
  const stem = word.replace(/(?:ations?|ing|ied|ies|ed|es|e|s|d)$/, "");
  return (stem.length >= 3 ? stem : word).replace(/([b-df-hj-np-tv-z])\1$/, "$1");
};

interface Claims {
  readonly paths: readonly string[];
  readonly identifiers: readonly string[];
  /** Long numbers in a text that names no identifier: as rare as one. */
  readonly numbers: readonly string[];
  /** Names of packages and scripts; they are often plain words. */
  readonly packages: readonly string[];
  /** Names of people and things: capitalised inside a sentence. */
  readonly proper: readonly string[];
  /** Stems of what else is said, and numbers. */
  readonly words: readonly string[];
}

/** Capitalised inside a sentence. */
const PROPER = /(?<=[a-z,] )[A-Z][a-z]{2,}\b/g;

/** A member is often written with its owner, which stands elsewhere: `Queue.push` is the two names. */
const partsOf = (name: string, places: readonly Place[]) =>
  places.some(({ text }) => text.includes(name)) ? [name] : name.split(".").filter(Boolean);

const MANIFEST =
  /(?:^|\/)(?:package\.json|pyproject\.toml|requirements[\w-]*\.txt|cargo\.toml|go\.mod|gemfile|makefile)$/i;

/** Whether a manifest has a script or a package of that name: as a key, as a whole string, or at the beginning of a line. */
function isInManifest(word: string, places: readonly Place[]) {
  const isNamed = new RegExp(`["']${word}(?:["']|[<>=~^ ])|^\\s*${word}\\s*(?:$|[:=<>~^\\[])`, "m");
  return places.some(({ name, text }) => MANIFEST.test(name) && isNamed.test(text));
}

/** Whether a file declares a type of that name. */
function isDeclared(word: string, places: readonly Place[]) {
  const declaration = new RegExp(
    `\\b(?:class|struct|interface|type|enum|record|trait|object|module|service) i?${word}\\b`,
  );
  return places.some(({ kind, text }) => kind === "file" && declaration.test(text));
}

function claimsIn(text: string, places: readonly Place[]): Claims {
  const paths = [...text.matchAll(PATH)].map(([found]) => found.replace(/[./]+$/, "").toLowerCase());
  const ports = [...text.matchAll(PORT)].map(([, one, two, three]) => one ?? two ?? three ?? "");
  const rest = text.replace(PATH, " ").replace(PORT, " ");
  const named = [...rest.matchAll(IDENTIFIER)].flatMap(([found, quoted]) =>
    partsOf((quoted ?? found).toLowerCase(), places),
  );
  const commands = [...rest.matchAll(TARGET)].flatMap(([, target = ""]) =>
    isInManifest(target, places) ? [target] : [],
  );
  // A type of the code is a name: in a Chinese sentence anywhere, in an English one where nothing else is capitalised.
  const capitalised = hanIn(text) > 0 ? /\b[A-Z][A-Za-z]{2,}\b/g : PROPER;
  const types = (rest.match(capitalised) ?? [])
    .map((word) => word.toLowerCase())
    .filter((word) => isDeclared(word, places));
  const identifiers = [...named, ...ports, ...commands, ...types];
  const isNameless = identifiers.length + paths.length === 0;
  const words = (rest.replace(IDENTIFIER, " ").match(/[A-Za-z]{2,}|\d+(?:\.\d+)?/g) ?? [])
    .map((word) => word.toLowerCase())
    .filter((word) => !COMMON.has(word) && !identifiers.includes(word));
  const packages = words.filter((word) => isInManifest(word, places));
  const unique = (list: readonly string[]) => [...new Set(list)].filter((each) => each !== "");
  const proper = [...rest.matchAll(PROPER)]
    .map(([name]) => name.toLowerCase())
    .filter((name) => !DATE_WORD.test(name) && !identifiers.includes(name));
  // A name has to be known, wherever that is; the other words have to stand together.
  const others = words.filter((word) => !packages.includes(word) && !proper.includes(word)).map(stemOf);
  return {
    paths: unique(paths),
    identifiers: unique(identifiers),
    numbers: isNameless ? unique(rest.match(NUMBER) ?? []) : [],
    packages: unique(packages),
    proper: unique(proper),
    words: unique(others),
  };
}

/** Written like names, and in every repository. */
const DATE_WORD =
  /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|(?:septem|novem|decem)ber|october)$/;

const numberWords = "zero one two three four five six seven eight nine ten eleven twelve"
  .split(" ")
  .map(stemOf);

const isShortWord = (word: string) => word.length < 4;
/** A short word counts only at a word's beginning: "id" stands in many others. */
const hasWord = (text: string, word: string) =>
  isShortWord(word)
    ? new RegExp(`(?<![a-z\\d])${word.replace(/[.$]/g, "\\$&")}`).test(text)
    : text.includes(word);
/** "six" is 6 in code. */
const has = (text: string, word: string) =>
  hasWord(text, word) ||
  (numberWords.includes(word) && new RegExp(`(?<![\\w.])${numberWords.indexOf(word)}(?![\\w.])`).test(text));

/** Chinese words that any sentence about code has. */
const COMMON_CHINESE =
  /我们|项目|目录|文件夹|文件|结构|代码|模块|函数|方法|参数|接口|路由|字段|变量|常量|默认|毫秒|毫米|厘米|字节|像素|分钟|位于|定义|实现|存放|继承|导出|导入|引用|依赖|使用|调用|返回|接收|读取|写入|处理|计算|运行|启动|执行|监听|测试|构建|配置|业务|回调|状态|崩溃|修复|判断|检查|重命名|改名|改成|改为|移到|移动|抽取|提取|拆分|合并|升级|替换|删除|添加|加了|新增|已经|版本|包含|挂在|分为|两个|三个|几个|数据库|工具链|锁定|数量|大小|子命令|迁移|命令|命名空间|下面|里面|上面|导致|引起|前端|后端|端口|框架|脚本|入口|组件|底层|服务|类|表|列|值|秒|最近|上周|本周|昨天|上个月|提到|提高|降到|降低|调到|换成|变成|[一二三四五六七八九十百千]+|里|中|下|上|取|在|的|了|是|有|和|与|用|会|给|为|从|到|把|由|自|已|存|放|加|个|种|两|三|第|并|及|等|其/g;

const isTerm = (word: string) => word.length > 1;
const hanIn = (text: string) => text.match(/\p{Script=Han}/gu)?.length ?? 0;
const withoutCommon = (run: string) => run.replace(COMMON_CHINESE, "");

/** Han characters of a text that neither are words of programming nor say what the place says in English. */
function unexplainedIn(text: string, place: string) {
  let count = 0;
  for (const [run] of text.matchAll(/\p{Script=Han}+/gu)) {
    // One character has too many meanings.
    const said = englishFor(run).filter(
      ({ word, terms }) => word.length > 1 && terms.some((term) => has(place, term)),
    );
    count += hanIn(withoutCommon(said.reduce((rest, { word }) => rest.replace(word, " "), run)));
  }
  return count;
}

/** Conditions that code has too: what a person forbids is worded the same. */
const CHINESE_CONDITIONS = /必须|只能|不能/g;

/** A condition in Chinese is that of the code where it joins several names of one place and says little else. */
function saysMoreThanCondition(text: string, place: string, { paths, identifiers, words }: Claims) {
  const rest = text.replace(CHINESE_CONDITIONS, " ");
  if (rest === text) return false;
  const names = paths.length + identifiers.length + words.filter((word) => has(place, word)).length;
  return names < thresholds.conditionNames || unexplainedIn(rest, place) > thresholds.unexplainedCharacters;
}

/**
 * Whether the Chinese of a text says more than code does: more than a few characters, or half of it where it names numbers or
 * English words of the place. What it says about identifiers and paths cannot be compared with English code: without a word
 * that no code says (`outsideCode.ts`), it describes them.
 */
function saysMore(text: string, place: string, { paths, identifiers, numbers, words }: Claims) {
  if (paths.length + identifiers.length > 0) return false;
  const few = numbers.length > 0 ? 0 : thresholds.unexplainedCharacters;
  // An English word in a Chinese sentence is a name, if the place has it.
  const isWordNamed = words.length > 0 && words.every((word) => has(place, word));
  const most = isWordNamed || numbers.length > 0 ? hanIn(text) * thresholds.unexplainedShare : 0;
  return unexplainedIn(text, place) > Math.max(few, most);
}

/**
 * The share of the words that the best of the texts has; names count, as they are known to be somewhere. Each name beyond the first
 * counts too: two that stand together are what a claim is about, whatever verb joins them.
 */
function covered({ words: said, proper, paths, identifiers, numbers }: Claims, texts: Iterable<string>) {
  const words = said.filter((word) => !numbers.includes(word));
  let most = 0;
  for (const text of texts) most = Math.max(most, words.filter((word) => has(text, word)).length);
  const known = proper.length + numbers.length + Math.max(0, paths.length + identifiers.length - 1);
  const all = words.length + known;
  return all === 0 ? 1 : (most + known) / all;
}

/** Windows of lines that overlap by half: in a long file any word stands somewhere. */
function* lineWindows(places: readonly Place[]) {
  const { windowLines } = thresholds;
  for (const { text } of places) {
    const lines = text.split("\n");
    for (let at = 0; at === 0 || at + windowLines / 2 < lines.length; at += windowLines / 2)
      yield lines.slice(at, at + windowLines).join("\n");
  }
}

/** Where a sentence goes on with another claim. */
const CLAUSE = /[;；，。]\s*|, (?:and |then )?| and (?=\w+s\b)/;

/** Where it gives a reason or a purpose: code that says so explains itself. */
const REASON = /,? (?:because|so that|due to|in order to) |, so (?=\w)/;

/** "there are two so far" claims nothing that could be elsewhere. */
function saysSomething(clause: string, places: readonly Place[]) {
  const claims = claimsIn(clause, places);
  return hanIn(clause) > 0 || Object.values(claims).some((said) => said.length > 0);
}

/**
 * Looks a text up as a whole, or each of its clauses: what it says may stand in two places. A reason has to stand somewhere
 * by nearly all of its words, with a name of the code.
 */
export function isLookedUp(text: string, places: readonly Place[]) {
  const [said = "", ...reasons] = text.split(REASON);
  if (reasons.length === 0 || isInOnePlace(text, places)) return areLookedUp(text, places);
  return areLookedUp(said, places) && reasons.every((reason) => isInOnePlace(reason, places, "whole"));
}

function areLookedUp(text: string, places: readonly Place[]) {
  const clauses = text.split(CLAUSE).filter((clause) => saysSomething(clause, places));
  return (
    isInOnePlace(text, places) ||
    (clauses.length > 1 && clauses.every((clause) => isInOnePlace(clause, places)))
  );
}

/**
 * True when every path exists, every identifier stands in one place, and that place has most of the other words. Without
 * an identifier or a path, the words have to stand close together. A name that is nowhere in the repository is of something else.
 */
function isInOnePlace(text: string, places: readonly Place[], share = neededShare(text)) {
  const claims = claimsIn(text, places);
  const { paths, identifiers, numbers, packages, proper, words } = claims;
  const isKnown = (name: string) => places.some((place) => place.text.includes(name));
  if (![...paths, ...proper].every(isKnown)) return false;
  const outside = outsideWords(text);
  // A package is known by its manifest: beside a name of the code it need not stand in the same place.
  const isOfCode = paths.length + identifiers.length > 0;
  const names = [...identifiers, ...numbers, ...(isOfCode ? [] : packages)];
  const isWhole = share === "whole";
  if (isWhole && !isOfCode) return false;
  const together = places.filter(
    (place) =>
      names.every((name) => place.text.includes(name)) &&
      outside.every((english) => english.some((word) => place.text.includes(word))) &&
      !saysMore(text, place.text, claims) &&
      !saysMoreThanCondition(text, place.text, claims),
  );
  if (paths.length + identifiers.length + numbers.length > 0) {
    const texts = together.map((place) => place.text);
    return texts.length > 0 && covered(claims, texts) >= thresholds[isWhole ? "saidWhole" : "saidOfNames"];
  }
  const isNamed = packages.length > 0;
  const about = words.length + proper.length + (text.match(COMMON_CHINESE) ?? []).filter(isTerm).length;
  if (!isNamed && (words.length === 0 || about < thresholds.lookedUpWords)) return false;
  const close = [...lineWindows(together)].filter((window) =>
    packages.every((name) => window.includes(name)),
  );
  const wanted = isNamed ? thresholds.saidOfNames : thresholds.saidWithoutNames;
  return close.length > 0 && covered(claims, close) >= wanted;
}
