// The charts: bars and dots of boxes, which wrap as text does, and lines of SVG, which stretch.

import { sumOf } from "../../lib/index.ts";
import { baselineName } from "../policies.ts";
import type { PolicyTotal } from "../report.ts";
import type { Course, Replayed } from "../run.ts";
import { heroOf, kindClass, kindIn, type PageData } from "./data.ts";
import { dollars, html, large, percent } from "./markup.ts";

const share = (part: number, all: number) => `${((100 * part) / Math.max(all, 1e-9)).toFixed(2)}%`;

function legend(entries: readonly (readonly [string, string])[]) {
  return html`<div class="legend">${entries.map(([colour, words]) => html`<span><i class="c-${colour}"></i>${words}</span>`)}</div>`;
}

const policyKinds = [
  ["ours", "Throughline"],
  ["base", "baseline"],
  ["peer", "rules of other agents"],
  ["thumb", "rules of thumb"],
] as const;

function kindLegend(data: PageData) {
  const there = new Set(data.policies.map(({ kind }) => kindClass(kind)));
  return legend(policyKinds.filter(([kind]) => there.has(kind)));
}

/** Cost of each rule as a share of the baseline's, the cheapest first. */
export function costBars(data: PageData) {
  const known = data.totals.filter((total) => total.ratio !== undefined);
  const widest = Math.max(1, ...known.map(({ ratio = 0 }) => ratio)) * 1.02;
  const sorted = [...known].sort((a, b) => (a.ratio ?? 0) - (b.ratio ?? 0));
  const bars = sorted.map(({ policy, ratio = 0 }) => {
    const kind = kindIn(data.policies, policy);
    return html`<div class="bar ${kind}"><span class="name">${policy}</span><span class="track"><span class="fill c-${kind}" style="width:${share(ratio, widest)}"></span><span class="at" style="left:${share(1, widest)}"></span></span><span class="value">${percent(ratio)}</span></div>`;
  });
  return html`${kindLegend(data)}${bars}`;
}

/** What the dollars were paid for. */
export function moneyBars(data: PageData) {
  const widest = Math.max(...data.totals.map((total) => total.dollars));
  const bars = data.totals
    .toSorted((a, b) => a.dollars - b.dollars)
    .map(({ policy, dollars: all }) => {
      const own = data.replayed.filter(({ result }) => result.policy === policy);
      const reads = sumOf(own, ({ course }) => course.readDollars);
      const writes = sumOf(own, ({ course }) => course.writeDollars);
      const part = (colour: string, amount: number, what: string) =>
        html`<span class="c-${colour}" style="width:${share(amount, all)}" title="${what} ${dollars(amount)}"></span>`;
      return html`<div class="bar ${kindIn(data.policies, policy)}"><span class="name">${policy}</span><span class="track"><span class="fill" style="width:${share(all, widest)}">${part("read", reads, "cache reads")}${part("write", writes, "cache writes")}${part("rest", Math.max(0, all - reads - writes), "summaries and recalls")}</span></span><span class="value">${dollars(all)}</span></div>`;
    });
  const colours = [
    ["read", "cache reads"],
    ["write", "cache writes"],
    ["rest", "words of the model for summaries and recalls"],
  ] as const;
  return html`${legend(colours)}${bars}`;
}

interface Scale {
  readonly from: number;
  readonly to: number;
  readonly steps: readonly number[];
}

/** A scale in round steps around the values. */
export function scaleFor(values: readonly number[], step: number, most = Number.POSITIVE_INFINITY): Scale {
  const from = Math.floor((Math.min(...values) - step / 4) / step) * step;
  const to = Math.min(most, Math.ceil((Math.max(...values) + step / 4) / step) * step);
  const count = Math.round((to - from) / step);
  const every = Math.max(1, Math.ceil(count / 6));
  const steps = Array.from({ length: count + 1 }, (_, at) => from + at * step);
  return { from, to, steps: steps.filter((_, at) => at % every === 0) };
}

const onScale = ({ from, to }: Scale, value: number) => (100 * (value - from)) / (to - from);

/** Cost across, what stays in view upwards: the best place is the upper left. */
export function costAndView(data: PageData) {
  const hero = heroOf(data)?.policy;
  const isMajor = ({ policy }: PolicyTotal) => policy === hero || policy === baselineName;
  const known = data.totals.filter((total) => total.ratio !== undefined);
  const totals = [...known.filter(isMajor), ...known.filter((total) => !isMajor(total))];
  const across = scaleFor(
    totals.map(({ ratio = 0 }) => ratio * 100),
    10,
  );
  const upwards = scaleFor(
    totals.map(({ retention }) => retention * 100),
    2,
    100,
  );
  const dots = totals.map((total) => ({
    total,
    name: total.policy,
    x: onScale(across, (total.ratio ?? 0) * 100),
    y: 100 - onScale(upwards, total.retention * 100),
  }));
  const places = placeLabels(dots);
  const marks = dots.map(({ total, x, y }, index) => {
    const kind = kindIn(data.policies, total.policy);
    const { side, shift } = places[index] ?? { side: "right", shift: 0 };
    const tag = `left:${x.toFixed(2)}%;top:calc(${y.toFixed(2)}% + ${shift}px)`;
    const words = `${total.policy}: ${percent(total.ratio)}, ${percent(total.retention)} in view`;
    return html`<span class="dot c-${kind}${isMajor(total) ? " big" : ""}" style="left:${x.toFixed(2)}%;top:${y.toFixed(2)}%" title="${words}"></span><span class="tag ${kind} ${side}${isMajor(total) ? "" : " minor"}" style="${tag}">${total.policy}</span>`;
  });
  return html`${kindLegend(data)}<div class="axes"><span>↑ needed names and lines in view</span></div><div class="plane">${gridOf(across, upwards)}${marks}</div><div class="axes"><span></span><span>cost, ${baselineName} = 100 % →</span></div>`;
}

function gridOf(across: Scale, upwards: Scale) {
  const left = (value: number) => `${onScale(across, value).toFixed(2)}%`;
  const top = (value: number) => `${(100 - onScale(upwards, value)).toFixed(2)}%`;
  const lines = [
    ...across.steps.map((value) => html`<span class="grid x" style="left:${left(value)}">${value} %</span>`),
    ...upwards.steps.map(
      (value) =>
        html`<span class="rule" style="top:${top(value)};left:0;right:0;height:1px"></span><span class="grid y" style="top:${top(value)}">${value} %</span>`,
    ),
  ];
  return html`${lines}<span class="rule strong" style="left:${left(100)};top:0;bottom:0;width:1px"></span>`;
}

const MOST_POINTS = 180;

/** As many points as a line can show; each is the highest of those it stands for. */
export function thinned(values: readonly number[], most = MOST_POINTS) {
  if (values.length <= most) return values;
  return Array.from({ length: most }, (_, at) => {
    const from = Math.floor((at * values.length) / most);
    return Math.max(...values.slice(from, Math.floor(((at + 1) * values.length) / most)));
  });
}

function line({ prompts }: Course, highest: number, colour: string) {
  const points = thinned(prompts);
  const step = 1_000 / Math.max(1, points.length - 1);
  const at = (value: number, index: number) =>
    `${(index * step).toFixed(1)} ${(100 - (100 * value) / highest).toFixed(1)}`;
  const path = points.map((value, index) => `${index === 0 ? "M" : "L"}${at(value, index)}`).join("");
  return html`<path class="s-${colour}" d="${path}"/>`;
}

function compactionMarks({ compactedAt, prompts }: Course, colour: string) {
  return compactedAt.map((index) => {
    const x = ((1_000 * index) / Math.max(1, prompts.length - 1)).toFixed(1);
    return html`<line class="s-${colour}" x1="${x}" x2="${x}" y1="0" y2="100"/>`;
  });
}

/** The size of the prompt from request to request, under the baseline and under one other rule. */
export function courseChart(base: Replayed, other: Replayed | undefined) {
  const highest = Math.max(1, ...base.course.prompts, ...(other?.course.prompts ?? []));
  const label = `prompt sizes of ${base.result.policy}${other ? ` and ${other.result.policy}` : ""}, request by request`;
  const lines = [base, ...(other ? [other] : [])].flatMap(({ course, result }) => {
    const colour = result.policy === baselineName ? "base" : "ours";
    return [...compactionMarks(course, colour), line(course, highest, colour)];
  });
  const names = [
    ["base", base.result.policy] as const,
    ...(other ? [["ours", other.result.policy] as const] : []),
  ];
  return html`${legend(names)}<div class="axes"><span>${large(highest)} tokens</span><span>dashed: a compaction</span></div><svg class="course" viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" aria-label="${label}">${lines}</svg><div class="axes"><span>first request</span><span>request ${base.result.requests}</span></div>`;
}

interface LabelledDot {
  readonly name: string;
  /** In percent of the plane, from its upper left. */
  readonly x: number;
  readonly y: number;
}

/** Which side of the dot the text begins at, and how far above or below it stands. */
interface LabelPlace {
  readonly side: "right" | "left" | "middle";
  /** Pixels, downwards. */
  readonly shift: number;
}

interface LabelBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The size that names are kept apart for, in pixels; where the plane is narrower most of them are hidden. */
const WIDTH = 920;
const HEIGHT = 340;
const LETTER_WIDTH = 7;
const LINE_HEIGHT = 16;
const GAP = 11;
const DOT = 8;

const places: readonly LabelPlace[] = [
  { side: "right", shift: 0 },
  { side: "left", shift: 0 },
  { side: "middle", shift: -17 },
  { side: "middle", shift: 17 },
  { side: "right", shift: -14 },
  { side: "right", shift: 14 },
  { side: "left", shift: -14 },
  { side: "left", shift: 14 },
  { side: "middle", shift: -33 },
  { side: "middle", shift: 33 },
];

const center = ({ x, y }: LabelledDot): readonly [number, number] => [(x * WIDTH) / 100, (y * HEIGHT) / 100];

function boxOf(dot: LabelledDot, { side, shift }: LabelPlace): LabelBox {
  const [x, y] = center(dot);
  const width = dot.name.length * LETTER_WIDTH;
  const left = { right: x + GAP, left: x - GAP - width, middle: x - width / 2 }[side];
  return { left, right: left + width, top: y + shift - LINE_HEIGHT / 2, bottom: y + shift + LINE_HEIGHT / 2 };
}

function dotBox(dot: LabelledDot): LabelBox {
  const [x, y] = center(dot);
  return { left: x - DOT, right: x + DOT, top: y - DOT, bottom: y + DOT };
}

function overlap(one: LabelBox, other: LabelBox) {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return width > 0 && height > 0 ? width * height : 0;
}

const outside = ({ left, right, top, bottom }: LabelBox) =>
  1_000 *
  (Math.max(0, -left) + Math.max(0, right - WIDTH) + Math.max(0, -top) + Math.max(0, bottom - HEIGHT));

/** A place for every name, in the order of the dots: those that come first have the choice. */
export function placeLabels(dots: readonly LabelledDot[]) {
  const taken = dots.map(dotBox);
  return dots.map((dot, index) => {
    const others = taken.filter((_, at) => at !== index);
    const trouble = (place: LabelPlace) => {
      const box = boxOf(dot, place);
      return others.reduce((sum, other) => sum + overlap(box, other), outside(box));
    };
    const best = places.reduce((a, b) => (trouble(b) < trouble(a) ? b : a));
    taken.push(boxOf(dot, best));
    return best;
  });
}
