// The seed of a random run: a new one each time, or the one that THROUGHLINE_SEED repeats.

export function chosenSeed(): number {
  const given = process.env.THROUGHLINE_SEED;
  // fast-check takes seeds of 32 bits, the sign among them.
  return given ? Number(given) | 0 : Date.now() | 0;
}
