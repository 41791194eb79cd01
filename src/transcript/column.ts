// A growing list of whole numbers outside the JavaScript heap: a row of a huge file costs a few bytes in it.

const FIRST_CAPACITY = 1024;

export class Column {
  length = 0;
  #values = new Int32Array(FIRST_CAPACITY);

  push(value: number): void {
    if (this.length === this.#values.length) {
      const wider = new Int32Array(this.length * 2);
      wider.set(this.#values);
      this.#values = wider;
    }
    this.#values[this.length] = value;
    this.length += 1;
  }

  /** The value at `place`, or undefined outside the list. */
  at(place: number): number | undefined {
    return place < this.length ? this.#values[place] : undefined;
  }

  set(place: number, value: number): void {
    if (place < this.length) this.#values[place] = value;
  }

  slice(start: number, end: number): number[] {
    return Array.from(this.#values.subarray(start, Math.min(end, this.length)));
  }
}
