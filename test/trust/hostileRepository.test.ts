// A cloned repository tries to have its files and its sessions read as Throughline's own words.
import { expect, it } from "vitest";
import { fileAttacks } from "./hostile/files.ts";
import { importAttacks } from "./hostile/imports.ts";
import { settingAttacks } from "./hostile/settings.ts";
import { withstand } from "./hostile/withstand.ts";
import { wordAttacks } from "./hostile/words.ts";

withstand({ attacks: [...fileAttacks, ...importAttacks], alone: fileAttacks });

it("there are at least forty attacks in the three files", () => {
  const names = [...fileAttacks, ...settingAttacks, ...wordAttacks, ...importAttacks].map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(40);
  expect(new Set(names).size).toBe(names.length);
});
