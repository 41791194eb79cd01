// A cloned repository tries to speak to the model as Throughline, to change settings elsewhere, and to have its programs run.
import { expect, it } from "vitest";
import { fileAttacks } from "./hostile/files.ts";
import { importAttacks } from "./hostile/imports.ts";
import { configAttacks, settingAttacks } from "./hostile/settings.ts";
import type { Attack } from "./hostile/site.ts";
import { withstand } from "./hostile/withstand.ts";
import { wordAttacks } from "./hostile/words.ts";

const attacks: readonly Attack[] = [...fileAttacks, ...settingAttacks, ...wordAttacks, ...importAttacks];

withstand({ attacks, alone: fileAttacks, installs: configAttacks });

it("there are at least forty attacks", () => {
  expect(attacks.length).toBeGreaterThanOrEqual(40);
  expect(new Set(attacks.map(({ name }) => name)).size).toBe(attacks.length);
});
