// How a check ended, read from its output, and which failures a turn repaired.
import type { Action } from "./actions.ts";
import type { CheckClass } from "./shell.ts";

export interface FailedCheck {
  /** The test, or the file: what failed. */
  readonly subject?: string;
  readonly message: string;
  /** It is a test by its name, and not a file that could not be compiled. */
  readonly isTest: boolean;
}

/** A pipe hides an exit code, so the words count too. */
const failing =
  /^[ \t]*(?:--- FAIL|FAIL\b|FAILED\b|not ok \d|✖ |✗ |× )|\b[1-9]\d* (?:failed|failing|failures?|errors?|issues|problems)\b|\berror (?:TS\d+|CS\d+)|^error(?:\[E\d+\])?:|\bfail [1-9]|ERROR task failed|^panic: |^Traceback |^\S+\.go:\d+:\d+: |npm ERR!|BUILD FAILED|Build FAILED|make(?:\[\d+\])?: \*\*\*/m;

export const looksFailed = (output: string): boolean => failing.test(output);

const LONGEST = 160;
const clean = (text: string | undefined) =>
  (text ?? "")
    .replace(/\s+/g, " ")
    .replace(/^(?:FAIL\s+)+/, "")
    .replace(/\s*\(\d+(?:\.\d+)?\s?m?s\)$/, "")
    .trim()
    .slice(0, LONGEST)
    .replace(/[:\s]+$/, "")
    .replace(/\s+\d+(?:\.\d+)?s$/, "")
    .replace(/\s+\d+(?:\.\d+)?s$/, "");

interface Reader {
  readonly subject: RegExp;
  readonly message?: RegExp;
  /** Finds the message where one pattern cannot, from the name of what failed. */
  readonly messageOf?: (output: string, name: string) => string | undefined;
}

const goComplaint = /\b(?:want|should|failed|error|unexpected)\b|^expected\b|!=/i;

/** Go prints logs and failures of a test alike, below its name or, as they come, above it: the first complaint, else the only line. */
function goMessage(output: string, name: string) {
  const lines = output.split("\n");
  const at = lines.findIndex((line) => line.trim().startsWith(`--- FAIL: ${name} `));
  const next = lines.findIndex((line, index) => index > at && /^\s*(?:---|===|FAIL|PASS|ok\s)/.test(line));
  const saidIn = (part: readonly string[]) => {
    const said = part.flatMap((line) => /^\s+\S+_test\.go:\d+: (.+)$/.exec(line)?.[1] ?? []);
    return said.find((line) => goComplaint.test(line)) ?? (said.length === 1 ? said[0] : undefined);
  };
  return saidIn(lines.slice(at + 1, next < 0 ? undefined : next)) ?? saidIn(lines.slice(0, at));
}

/** Runners of tests: a name here, a reason somewhere else. */
const runners: readonly Reader[] = [
  { subject: /^[ \t]*--- FAIL: (\S+)/m, messageOf: goMessage },
  { subject: /^FAILED (\S+?)(?: - .*)?$/m, message: /^(?:FAILED \S+ - |E\s+)(.+)$/m },
  { subject: /^test (\S+) \.\.\. FAILED/m, message: /panicked at [^\n]*\n\s*(.+)$/m },
  { subject: /^[ \t]*not ok \d+ - (.+)$/m, message: /^[ \t]*error: ['|]?-?\n?\s*(.+?)'?$/m },
  {
    subject: /^[ \t]*● (.+)$/m,
    message: /^[ \t]*(?:Error|TypeError|ReferenceError|AssertionError)[^:\n]*: (.+)$/m,
  },
  {
    subject: /^[ \t]*(?:FAIL|×)\s+(\S.*(?:>|\.(?:test|spec)\.|::|_test\.).*)$/m,
    message: /^[ \t]*\w*(?:Error|Exception)[^:\n]*: (.+)$/m,
  },
  { subject: /^[ \t]{2,}[✖✗] (.+)$/m, message: /^[ \t]*\w*(?:Error|Exception)[^:\n]*: (.+)$/m },
  { subject: /^[ \t]*[✖✗] (.+)$/m, message: /^[ \t]*\w*(?:Error|Exception)[^:\n]*: (.+)$/m },
];

/** Compilers and linters: a file, and what is wrong in it. */
const compilers: readonly RegExp[] = [
  /^(?<subject>\S+?\.\w+)[(:]\d+[,:]\d+\)?\s*(?::|-)\s*error (?<message>TS\d+: .+)$/m,
  /^error(?:\[E\d+\])?: (?<message>.+)\n\s*--> (?<subject>[^\s:]+)/m,
  /^(?<subject>[\w./@-]+\.\w+):\d+(?::\d+)?:? (?:error:?\s+)?(?<message>[^\s:#].+)$/m,
];

const expectation = /Expected:?\s+(.+?)[ \t]*\n[ \t]*(?:Received|Actual|Got):?\s+(.+)/i;

/** Undefined where the output says nothing that could be named. */
export function failedCheck(output: string): FailedCheck | undefined {
  for (const { subject, message, messageOf } of runners) {
    const name = subject.exec(output)?.[1];
    if (name === undefined) continue;
    const pair = expectation.exec(output);
    const reason = pair
      ? `expected ${pair[1]}, got ${pair[2]}`
      : (messageOf?.(output, name) ?? message?.exec(output)?.[1]);
    return { subject: clean(name), message: clean(reason), isTest: true };
  }
  for (const pattern of compilers) {
    const { subject, message } = pattern.exec(output)?.groups ?? {};
    if (subject !== undefined && message !== undefined)
      return { subject: subject.split("/").slice(-1).join("/"), message: clean(message), isTest: false };
  }
  const thrown = [...output.matchAll(/^[ \t]*(\w*(?:Error|Exception|panic)\w*: .+)$/gm)].at(-1)?.[1];
  return thrown === undefined ? undefined : { message: clean(thrown), isTest: false };
}

const MOST_FAILURE_LINES = 12;
/** Names of what failed, and then what was said of it. */
const failureNames =
  /^[ \t]*(?:--- FAIL|FAIL\b|FAILED\b|not ok \d|✖ |✗ |× |● )|\berror (?:TS|CS)\d+|^error\b/i;
const failureWords =
  /\b(?:\w*Error|\w*Exception|panic|fatal|expected|received|want|cannot|undefined|not found|denied)\b|^\S+\.\w+:\d+:\d+:/;

/** The lines of an output that name what failed, and those that say why. */
export function failureLines(output: string) {
  const lines = [...new Set(output.split("\n").map((line) => line.trim()))];
  const names = lines.filter((line) => failureNames.test(line)).slice(0, MOST_FAILURE_LINES);
  const said = lines.filter((line) => failureWords.test(line) && !names.includes(line));
  return [...names, ...said.slice(0, MOST_FAILURE_LINES - Math.floor(names.length / 2))];
}

/** "12 passed", where a run says how many. */
export function passedCount(output: string): number | undefined {
  const found =
    /\b(\d+) (?:passed|passing|tests? passed)\b/.exec(output)?.[1] ??
    /\bpass (\d+)\b/.exec(output)?.[1] ??
    /Tests?:?\s+(\d+) passed/.exec(output)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** A check that failed, and what was done until it passed. */
export interface Fix {
  readonly failed: Action;
  /** Every action that belongs to it: the failures, the changes, the run that passed. */
  readonly actions: readonly Action[];
  readonly files: readonly string[];
  /** It failed before any code but tests was changed, so it is what the turn was about. */
  readonly isOlder: boolean;
}

export const isTestFile = (path: string): boolean =>
  /(?:^|\/)(?:[\w-]*_)?(?:tests?|specs?|__tests__)\/|[._](?:test|spec)s?\.\w+$|(?:^|\/)test_\w+\.py$/i.test(
    path,
  );

const shareClass = (a: Action, b: Action) =>
  a.check?.classes.some((one) => b.check?.classes.includes(one)) === true;

const isPassed = (action: Action, failed: Action) => !action.failed && shareClass(action, failed);

export function fixesIn(actions: readonly Action[]): Fix[] {
  const claimed = new Set<Action>();
  const firstChange = actions.findIndex(({ kind, path = "" }) => kind === "change" && !isTestFile(path));
  return actions.flatMap((failed, at) => {
    if (!failed.check || !failed.failed || claimed.has(failed)) return [];
    let passed = at + 1;
    while (passed < actions.length && !isPassed(actions[passed] as Action, failed)) passed++;
    if (passed === actions.length) return [];
    const between = actions
      .slice(at, passed + 1)
      .filter((action) => !claimed.has(action) && (action.kind === "change" || shareClass(action, failed)));
    const changes = between.filter(({ kind }) => kind === "change");
    // Nothing was changed: the check passed by itself, which teaches nothing.
    if (changes.length === 0) return [];
    for (const action of between) claimed.add(action);
    const files = [...new Set(changes.flatMap(({ path }) => path ?? []))];
    return [{ failed, actions: between, files, isOlder: firstChange < 0 || at < firstChange }];
  });
}

/** Every failed check of a kind that has not passed since. */
export function failingSince(actions: readonly Action[]) {
  return failedWithout(actions, ({ failed }) => !failed);
}

/**
 * Of the messages from `since` on, the last word on each kind of check, where it is that the check fails. Where one passed and nothing was changed since, the other
 * one was called differently: that says nothing of the code.
 */
export function stillFailing(actions: readonly Action[], since = 0): Action[] {
  return failedWithout(actions, () => true, since).filter((failed) => {
    const before = actions.slice(0, actions.lastIndexOf(failed));
    const unchanged = before.slice(
      before.findLastIndex(({ kind, alters }) => kind === "change" || alters === true) + 1,
    );
    return !unchanged.some((action) => isPassed(action, failed));
  });
}

const compilingTests = /^(?:(?:go|cargo|swift|dotnet|mvn|gradle|(?:\.\/)?gradlew) (?:\S+ )*test|go vet)\b/;

/** Failed checks behind which no check of the same kind settles them, oldest first. */
function failedWithout(actions: readonly Action[], settles: (action: Action) => boolean, since = 0) {
  const settled = new Set<CheckClass>();
  const found: Action[] = [];
  for (let index = actions.length - 1; index >= 0; index--) {
    const action = actions[index] as Action;
    if (action.at < since) break;
    const classes = action.check?.classes ?? [];
    if (action.check && action.failed && !classes.some((one) => settled.has(one))) found.push(action);
    if (settles(action)) for (const one of classes) settled.add(one);
    // These build what they test: where the tests ran, the code compiles.
    if (!action.failed && compilingTests.test(action.check?.name ?? "")) settled.add("build");
  }
  return found.reverse();
}

/** What failed, in a few words. */
export function failureName({ check }: Action): { readonly subject: string; readonly message: string } {
  return { subject: check?.why?.subject ?? check?.name ?? "", message: check?.why?.message ?? "" };
}
