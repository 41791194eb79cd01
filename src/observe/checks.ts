// How a check ended, read from its output: which part failed, with which words.

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
const clean = (text: string | undefined): string =>
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
}

/** Runners of tests: a name here, a reason somewhere else. */
const runners: readonly Reader[] = [
  { subject: /^[ \t]*--- FAIL: (\S+)/m, message: /^[ \t]+\S+_test\.go:\d+: (.+)$/m },
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
  /^(?<subject>[\w./@-]+\.\w+):\d+(?::\d+)?:? (?:error:?\s+)?(?<message>\S.+)$/m,
];

const expectation = /Expected:?\s+(.+?)[ \t]*\n[ \t]*(?:Received|Actual|Got):?\s+(.+)/i;

/** Undefined where the output says nothing that could be named. */
export function failedCheck(output: string): FailedCheck | undefined {
  for (const { subject, message } of runners) {
    const name = subject.exec(output)?.[1];
    if (name === undefined) continue;
    const pair = expectation.exec(output);
    const reason = pair ? `expected ${pair[1]}, got ${pair[2]}` : message?.exec(output)?.[1];
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

/** "12 passed", where a run says how many. */
export function passedCount(output: string): number | undefined {
  const found =
    /\b(\d+) (?:passed|passing|tests? passed)\b/.exec(output)?.[1] ??
    /\bpass (\d+)\b/.exec(output)?.[1] ??
    /Tests?:?\s+(\d+) passed/.exec(output)?.[1];
  return found === undefined ? undefined : Number(found);
}
