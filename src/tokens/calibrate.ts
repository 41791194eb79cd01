// Learning a model's rates from exact counts: a small Kalman filter over one factor per content class.
import { contentClasses, type Shape } from "./shape.ts";

/** What is known of the factors: their values, and how sure they are (a covariance, row by row). */
export interface Rates {
  readonly factors: readonly number[];
  readonly covariance: readonly (readonly number[])[];
}

/** How far a class may be off before anything was seen. Classes counted by rule are never learned. */
const doubt: Record<(typeof contentClasses)[number], number> = {
  prose: 0.06,
  file: 0.05,
  output: 0.06,
  call: 0.06,
  thinking: 0.06,
  cjk: 0.3,
  rule: 0,
  fineImage: 0,
};

/** Content changes in the course of a session, so old evidence fades by this much an observation. */
const DRIFT = 0.002;
/** A count is off by hidden reminders and by what the classes do not see: a part fixed, a part by size. */
const NOISE_FIXED = 60;
const NOISE_SHARE = 0.035;
/** Surprises beyond this many deviations teach only as much as this many. */
const SURPRISE = 0.7;
const LOWEST_FACTOR = 0.4;
const HIGHEST_FACTOR = 3;

/** `widening` multiplies the doubt, for starting factors that were not fitted on real counts. */
export function startRates(factors: readonly number[], widening: number): Rates {
  const covariance = contentClasses.map((name, row) =>
    contentClasses.map((_, column) => (row === column ? (doubt[name] * widening) ** 2 : 0)),
  );
  return { factors, covariance };
}

/** The rates after seeing that content of the given shape cost `tokens`. */
export function learn(rates: Rates, shape: Shape, tokens: number): Rates {
  const { factors, covariance } = rates;
  const size = factors.length;
  let expected = 0;
  const spread: number[] = [];
  let variance = 0;
  for (let row = 0; row < size; row++) {
    const amount = shape[row] ?? 0;
    expected += amount * (factors[row] ?? 0);
    let sum = 0;
    for (let column = 0; column < size; column++)
      sum += (covariance[row]?.[column] ?? 0) * (shape[column] ?? 0);
    spread.push(sum);
    variance += amount * sum;
  }
  const noise = NOISE_FIXED + NOISE_SHARE * Math.abs(expected);
  const total = variance + noise * noise;
  const miss = tokens - expected;
  const limit = SURPRISE * Math.sqrt(total);
  // A clipped miss must not make the factors look surer than a believable one would.
  const trust = Math.min(1, limit / Math.max(Math.abs(miss), 1e-9));
  return {
    factors: factors.map((factor, row) =>
      Math.min(HIGHEST_FACTOR, Math.max(LOWEST_FACTOR, factor + ((spread[row] ?? 0) / total) * miss * trust)),
    ),
    covariance: covariance.map((line, row) =>
      line.map((value, column) => {
        const learned = value - (trust * (spread[row] ?? 0) * (spread[column] ?? 0)) / total;
        const name = contentClasses[row];
        return row === column && name && doubt[name] > 0 ? learned + DRIFT * DRIFT : learned;
      }),
    ),
  };
}
