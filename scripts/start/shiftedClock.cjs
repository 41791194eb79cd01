// Moves a Node process's time of day: whoever is started with this file lives so many milliseconds later.
const shift = Number(process.env.SHIFT_MS) || 0;
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shift);
    else super(...given);
  }
  static now() {
    return RealDate.now() + shift;
  }
};
