// The picture of the README: the sample session under some rules, as a drawing that is light or dark as its reader is.
import { baselineName, type Replayed, totalsByPolicy } from "../src/replay/index.ts";

const WIDTH = 860;
const HEIGHT = 330;
const BARS = { left: 118, right: 372, top: 64, step: 30, height: 17 };
const LINES = { left: 486, right: 836, top: 70, bottom: 268 };
const SHOWN = ["thrifty", "cold-only", "timer-60m", "seed", "append-only", "keep-5"] as const;
const HERO = "thrifty";

const style = `text{font:13px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;fill:#1d2126}
.title{font-size:15px;font-weight:600}.soft{fill:#5c6570}.name{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:12.5px}
.end{text-anchor:end}.ground{fill:#fbfaf7}.base{fill:#475569}.ours{fill:#0f766e}.other{fill:#a8a29e}.strong{font-weight:650;fill:#0f766e}
.line{fill:none;stroke-width:2.2;stroke-linejoin:round}.s-base{stroke:#475569}.s-ours{stroke:#0f766e}.rule{stroke:#d9d5cc}.dash{stroke:#5c6570;stroke-dasharray:3 3}
@media (prefers-color-scheme:dark){text{fill:#e7e5e0}.soft{fill:#9aa3ae}.ground{fill:#15181d}.base{fill:#94a3b8}.ours{fill:#2dd4bf}.other{fill:#78716c}
.strong{fill:#2dd4bf}.s-base{stroke:#94a3b8}.s-ours{stroke:#2dd4bf}.rule{stroke:#2c313a}.dash{stroke:#9aa3ae}}`;

const at = (value: number): string => value.toFixed(1);

function bars(replayed: readonly Replayed[]): string[] {
  const totals = totalsByPolicy(replayed.map(({ result }) => result));
  const shown = SHOWN.flatMap((name) => totals.find(({ policy }) => policy === name) ?? []);
  const sorted = [...shown].sort((a, b) => (a.ratio ?? 0) - (b.ratio ?? 0));
  const widest = Math.max(1, ...sorted.map(({ ratio = 0 }) => ratio));
  const width = (share: number): number => ((BARS.right - BARS.left) * share) / widest;
  const rows = sorted.map(({ policy, ratio = 0 }, index) => {
    const top = BARS.top + index * BARS.step;
    const kind = policy === HERO ? "ours" : policy === baselineName ? "base" : "other";
    const strong = policy === HERO ? " strong" : "";
    return [
      `<text class="name end${strong}" x="${BARS.left - 10}" y="${top + 13}">${policy}</text>`,
      `<rect class="${kind}" x="${BARS.left}" y="${top}" width="${at(width(ratio))}" height="${BARS.height}" rx="3"/>`,
      `<text class="${strong.trim() || "soft"}" x="${at(BARS.left + width(ratio) + 8)}" y="${top + 13}">${(ratio * 100).toFixed(1)} %</text>`,
    ].join("");
  });
  const hundred = at(BARS.left + width(1));
  const bottom = BARS.top + sorted.length * BARS.step - 6;
  return [
    `<text class="title" x="24" y="34">What each rule costs</text>`,
    `<line class="dash" x1="${hundred}" x2="${hundred}" y1="${BARS.top - 6}" y2="${bottom}"/>`,
    ...rows,
    `<text class="soft" x="24" y="${bottom + 34}">Sending everything is 100 %. Recalls are paid;</text>`,
    `<text class="soft" x="24" y="${bottom + 52}">what every rule pays alike is left out.</text>`,
  ];
}

function lines(replayed: readonly Replayed[]): string[] {
  const of = (name: string): readonly number[] =>
    replayed.find(({ result }) => result.policy === name)?.course.prompts ?? [];
  const [base, ours] = [of(baselineName), of(HERO)];
  const highest = Math.ceil(Math.max(1, ...base, ...ours) / 10_000) * 10_000;
  const x = (index: number, count: number): number =>
    LINES.left + ((LINES.right - LINES.left) * index) / Math.max(1, count - 1);
  const y = (tokens: number): number => LINES.bottom - ((LINES.bottom - LINES.top) * tokens) / highest;
  const path = (values: readonly number[]): string =>
    values
      .map((value, index) => `${index === 0 ? "M" : "L"}${at(x(index, values.length))} ${at(y(value))}`)
      .join("");
  const steps = [0, highest / 2, highest];
  return [
    `<text class="title" x="${LINES.left - 44}" y="34">The size of its prompts, request by request</text>`,
    ...steps.map(
      (tokens) =>
        `<line class="rule" x1="${LINES.left}" x2="${LINES.right}" y1="${at(y(tokens))}" y2="${at(y(tokens))}"/><text class="soft end" x="${LINES.left - 8}" y="${at(y(tokens) + 4)}">${tokens / 1_000} k</text>`,
    ),
    `<path class="line s-base" d="${path(base)}"/><path class="line s-ours" d="${path(ours)}"/>`,
    `<text class="end" x="${LINES.right}" y="${at(y(base.at(-1) ?? 0) - 10)}">${baselineName}</text>`,
    `<text class="strong end" x="${LINES.right}" y="${at(y(ours.at(-1) ?? 0) - 10)}">${HERO}</text>`,
    `<text class="soft" x="${LINES.left}" y="${LINES.bottom + 20}">first request</text><text class="soft end" x="${LINES.right}" y="${LINES.bottom + 20}">request ${base.length}</text>`,
  ];
}

/** The drawing of one session that was replayed under every rule. */
export function replayPicture(replayed: readonly Replayed[]): string {
  const parts = [...bars(replayed), ...lines(replayed)].join("\n");
  const label =
    "The sample session under six rules: what each costs, and how large its prompts are, request by request";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${label}">
<style>${style}</style>
<rect class="ground" width="${WIDTH}" height="${HEIGHT}" rx="12"/>
${parts}
</svg>
`;
}
