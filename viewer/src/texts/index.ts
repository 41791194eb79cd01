// The texts of the page in both languages. The type of the Chinese ones is derived from the English ones.
import { en } from "./en.ts";
import { zh } from "./zh.ts";

export const languages = ["en", "zh"] as const;

export type Language = (typeof languages)[number];

/** Texts, and functions that build one from numbers and names. */
export type Texts = Widened<typeof en>;

type Widened<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...args: infer A) => string
      ? (...args: A) => string
      : Widened<T[K]>;
};

export const texts: Readonly<Record<Language, Texts>> = { en, zh };
