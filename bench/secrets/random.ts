// Random text that is the same on every run, so that no secret-looking literal has to be committed.
import { createHash } from "node:crypto";

export const alphabets = {
  hex: "0123456789abcdef",
  HEX: "0123456789ABCDEF",
  upper: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
  lower: "abcdefghijklmnopqrstuvwxyz0123456789",
  digits: "0123456789",
  alnum: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
  url: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
  base64: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
} as const;

export class Random {
  readonly #seed: string;
  #block = 0;
  #bytes: number[] = [];

  constructor(seed: string) {
    this.#seed = seed;
  }

  #byte(): number {
    if (this.#bytes.length === 0) {
      this.#bytes = [...createHash("sha256").update(`${this.#seed}/${this.#block}`).digest()];
      this.#block += 1;
    }
    return this.#bytes.pop() ?? 0;
  }

  below(limit: number): number {
    return (this.#byte() * 65_536 + this.#byte() * 256 + this.#byte()) % limit;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError("nothing to pick from");
    return item;
  }

  text(alphabet: keyof typeof alphabets, length: number): string {
    return Array.from({ length }, () => alphabets[alphabet][this.below(alphabets[alphabet].length)]).join("");
  }

  uuid(): string {
    return [8, 4, 4, 4, 12].map((length) => this.text("hex", length)).join("-");
  }

  base64(bytes: number): string {
    return Buffer.from(Array.from({ length: bytes }, () => this.#byte())).toString("base64");
  }

  /** A password as people make them: letters of both cases, digits and signs. */
  password(): string {
    const words = [
      "Tulpe",
      "Harbor",
      "mango",
      "Zeppelin",
      "quartz",
      "Nebel",
      "Falcon",
      "lotus",
      "Wander",
      "sierra",
    ];
    const signs = ["!", "@", "#", "%", "^", "&", "*", "?", "+", "~"];
    const forms = [
      () => `${this.pick(words)}${this.pick(signs)}${this.below(9_000) + 1_000}`,
      () => `${this.text("alnum", 9)}${this.pick(signs)}${this.below(10)}`,
      () => `${this.text("alnum", 15)}${this.below(10)}`,
      () => `${this.pick(words)}-${this.pick(words)}-${this.below(90) + 10}${this.pick(signs)}`,
    ];
    return this.pick(forms)();
  }
}
