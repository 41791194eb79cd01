// One failed command: its class, its message, and the signature that the same failure has the next time.
import { type Action, errorLine, failureName } from "../activity/index.ts";

export const failureClasses = [
  "test",
  "types",
  "lint",
  "build",
  "syntax",
  "dependency",
  "command-not-found",
  "file-not-found",
  "permission",
  "network",
  "timeout",
  "merge-conflict",
  "exception",
  "other",
] as const;

export type FailureClass = (typeof failureClasses)[number];

export interface Failure {
  readonly class: FailureClass;
  /** Equal for failures that differ only in numbers, times, hashes and the folders of paths. */
  readonly signature: string;
  /** The test or the file, where the output names one. */
  readonly subject?: string;
  readonly message: string;
}

/** What operating systems, shells and package managers say, whichever program says it. The first that matches. */
const causes: readonly (readonly [FailureClass, RegExp])[] = [
  ["merge-conflict", /^CONFLICT \(|Automatic merge failed|Merge conflict in |could not apply [0-9a-f]{7}/m],
  [
    "dependency",
    /Cannot find (?:module|package)|ModuleNotFoundError|No module named|ERR_MODULE_NOT_FOUND|ERESOLVE|unresolved import|no required module provides|Could not resolve (?:dependenc|")/i,
  ],
  [
    "command-not-found",
    /command not found|is not recognized as an internal|^\S+: (?:\d+: )?\S+: not found$/m,
  ],
  ["permission", /\bEACCES\b|\bEPERM\b|permission denied|PermissionError/i],
  [
    "network",
    /\bECONN(?:REFUSED|RESET|ABORTED)\b|\bENOTFOUND\b|\bEAI_AGAIN\b|Could not resolve host|Connection refused|Network is unreachable/i,
  ],
  ["timeout", /\bETIMEDOUT\b|\btimed out\b|Timeout of \d|exceeded timeout|TimeoutError/i],
  ["file-not-found", /\bENOENT\b|No such file or directory|FileNotFoundError/],
  ["syntax", /\bSyntaxError\b|Unexpected (?:token|identifier|end of)|\bparse error\b/i],
];

const exceptionName = /\b[A-Z]\w*(?:Error|Exception)\b|^panic: /m;

function classOf({ check }: Action, message: string): FailureClass {
  if (check?.why?.isTest === true) return "test";
  // Tests that did not compile never ran.
  const classes = check?.classes.filter((one) => one !== "test" || check.why?.subject === undefined) ?? [];
  const cause = causes.find(([, pattern]) => pattern.test(message))?.[0];
  if (cause !== undefined) return cause;
  if (check) return classes[0] ?? "build";
  return exceptionName.test(message) ? "exception" : "other";
}

const LONGEST_SIGNATURE = 200;

/** The message without what differs from run to run. */
function signatureOf(text: string) {
  return text
    .replace(/\b\d{4}-\d\d-\d\d[T ][\d:.]+Z?/g, "TIME")
    .replace(/(?:[A-Za-z]:)?(?:[\w.@~-]*[\\/])+(?=[\w.@-])/g, "")
    .replace(/\b(?:0x)?[0-9a-f]{7,}\b/gi, (found) => (/\d/.test(found) ? "HASH" : found))
    .replace(/(?<![A-Za-z_])\d+(?:[.:]\d+)*/g, "N")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, LONGEST_SIGNATURE);
}

/** Says that something failed, and nothing else. */
const unnamed =
  /^[\s:=-]*(?:\[[\w:.-]+\]\s*)?(?:(?:FAIL(?:ED)?|ERROR|task|tests?|failed|exit code \d+)[\s:!.]*)+$/i;

/** Undefined for what did not fail, and for what only looked: finding nothing is no failure. */
export function failureOf(action: Action): Failure | undefined {
  if (!action.failed || (action.kind !== "check" && action.kind !== "run")) return undefined;
  const named = action.check?.why && failureName(action);
  const said = named?.message || errorLine(action.output);
  const message = unnamed.test(said) ? "" : said;
  const subject = named?.subject === action.check?.name ? undefined : named?.subject;
  const failureClass = classOf(action, message);
  // A test is the same failure however it fails; anything else is told apart by its message.
  const told = failureClass === "test" && subject !== undefined ? subject : `${subject ?? ""} ${message}`;
  const what = signatureOf(told) || `${action.check?.name ?? action.purpose ?? action.tool} failed`;
  return {
    class: failureClass,
    signature: `${failureClass}: ${what}`,
    message,
    ...(subject !== undefined && subject !== "" && { subject }),
  };
}
