// Stop words, irregular forms, and the abbreviations that programmers use.

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Left out of a question, never out of the index: a phrase may contain them. */
export const stopWords: ReadonlySet<string> = new Set([
  ...words(`a an the and or but if then else of at by for with about to from in on off is are was were be been
    being am do does did have has had having i me my myself we our ours us you your yours he him his she her hers
    it its they them their this that these those what which who whom whose when where why how can could will would
    shall should may might must not no nor so than too very just as s t d ll m o re ve y there here also any some
    all each into out up down over such both only own same more most other again once because while during before
    after above below between through im ive id although even though still instead rather really actually thing things way
    back`),
  ...words(`的 了 是 在 我 你 他 她 它 们 我们 你们 他们 吗 呢 啊 吧 呀 哦 和 与 及 或 就 都 也 还 又 很 这 那 这个 那个
    哪个 哪 什么 怎么 怎样 多少 几 几个 谁 为 为了 对 对于 把 被 给 让 从 到 向 有 没有 没 不 会 能 可以 要 想 请 一个 一 个
    上 下 里 中 来 去 来着 另外 以及 其 之 以 而 但 但是 如果 因为 所以`),
]);

/** They say in what a thing is written, seldom what it is. */
export const languageNames: ReadonlySet<string> = new Set(
  words("python python3 java javascript typescript js ruby golang php perl scala kotlin swift rust csharp"),
);

const irregular = `went go, goes go, gone go, bought buy, made make, said say, took take, taken take, got get, gotten get,
  ran run, wrote write, written write, found find, gave give, given give, met meet, told tell, felt feel, kept keep,
  left leave, lost lose, won win, saw see, seen see, ate eat, eaten eat, drove drive, driven drive, began begin,
  begun begin, broke break, broken break, chose choose, chosen choose, came come, became become, did do, done do,
  grew grow, grown grow, knew know, known know, spoke speak, spoken speak, taught teach, thought think, built build,
  sent send, spent spend, slept sleep, sold sell, paid pay, held hold, heard hear, hid hide, hidden hide,
  brought bring, caught catch, fell fall, fallen fall, flew fly, forgot forget, forgotten forget, swam swim,
  sang sing, sung sing, wore wear, worn wear, rode ride, ridden ride, rose rise, risen rise, drew draw, drawn draw,
  led lead, lent lend, meant mean, shot shoot, stood stand, understood understand, children child, men man,
  women woman, people person, feet foot, teeth tooth, mice mouse, wives wife, lives life, better good, best good,
  threw throw, thrown throw, woke wake, froze freeze, frozen freeze, indices index, matrices matrix,
  vertices vertex`;

const short = `str string, strs string, int integer, ints integer, dict dictionary, dicts dictionary,
  dct dictionary, num number, nums number, idx index, arr array, func function, fn function, funcs function,
  param parameter, params parameter, arg argument, args argument, dir directory, dirs directory,
  folder directory, folders directory, msg message, msgs message, obj object, objs object, val value, vals value,
  char character, chars character, regexp regex, db database, env environment, config configuration,
  cfg configuration, conf configuration, auth authentication, repo repository, repos repository, deps dependency,
  impl implementation, docs documentation, err error, errs error, init initialize, calc calculate, avg average,
  async asynchronous, tmp temporary, temp temporary, src source, dest destination, dst destination, prev previous,
  cmd command, cmds command, exec execute, del delete, bool boolean, fmt format, lang language, lib library,
  libs library, util utility, utils utility, pkg package, spec specification, attr attribute, attrs attribute,
  cls class, ctx context, elem element, len length, max maximum, min minimum, seq sequence, var variable,
  vars variable, col column, cols column, app application, apps application, photo photograph,
  photos photograph, kid child, kids child, mom mother, mum mother, dad father, tv television, fam family`;

/**
 * Nouns and the verbs or adjectives that they come from, where no rule leads from one to the other. Left out are those
 * that are things of their own to a programmer, such as `extension`, `closure`, `worker`.
 */
const derived = `decision decide, division divide, provision provide, collision collide, explosion explode, conclusion conclude,
  inclusion include, exclusion exclude, conversion convert, inversion invert, inverse invert, expansion expand,
  suspension suspend, comprehension comprehend, submission submit, permission permit, admission admit,
  omission omit, transmission transmit, subscription subscribe, description describe, prescription prescribe,
  reception receive, resolution resolve, solution solve, evolution evolve, absorption absorb,
  destruction destroy, reduction reduce, introduction introduce, reproduction reproduce, acquisition acquire,
  repetition repeat, competition compete, definition define, addition add, recognition recognize,
  composition compose, opposition oppose, proposition propose, explanation explain, maintenance maintain,
  pronunciation pronounce, multiplication multiply, notification notify, verification verify,
  identification identify, classification classify, modification modify, simplification simplify,
  certification certify, qualification qualify, clarification clarify, publication publish, analysis analyze,
  analyses analyze, synthesis synthesize, emphasis emphasize, comparison compare, choice choose, loss lose,
  sale sell, death die, growth grow, flight fly, speech speak, belief believe, proof prove, advice advise,
  success succeed, failure fail, departure depart, exposure expose, mixture mix, erasure erase, marriage marry,
  storage store, leakage leak, linkage link, discovery discover, delivery deliver, recovery recover,
  inquiry inquire, injury injure, occurrence occur, width wide, height high, depth deep, strength strong,
  warmth warm, hunger hungry, anger angry, painter paint, teacher teach, writer write, singer sing, dancer dance,
  swimmer swim, gardener garden, photographer photograph, counselor counsel, counsellor counsel,
  instructor instruct`;

/** What the trade writes by its first letters, and the stems of the words. */
export const initials: readonly (readonly [short: string, words: readonly string[]])[] = words(
  "pr:pull-request mr:merg-request ci:continu-integr e2e:end-to-end ui:user-interfac cli:command-line os:oper-system tz:time-zone",
).map((pair) => {
  const [short = "", stems = ""] = pair.split(":");
  return [short, stems.split("-")];
});

const pairsOf = (list: string): [form: string, base: string][] =>
  list.split(",").map((pair) => {
    const [form = "", base = ""] = words(pair);
    return [form, base];
  });

/** What a word is counted as. */
export const baseForms: ReadonlyMap<string, string> = new Map([
  ...[irregular, short].flatMap(pairsOf),
  ...pairsOf(derived).flatMap(([form, base]): [string, string][] => [
    [form, base],
    [`${form.replace(/y$/, "ie")}s`, base],
  ]),
]);
