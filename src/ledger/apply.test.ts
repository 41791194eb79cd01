// Properties of apply, at the number of cases that a quick run can afford; `apply.soak.ts` has the many.
import { describe, it } from "vitest";
import { applyProperties } from "../../test/properties/apply.ts";
import { recallProperty } from "../../test/properties/recall.ts";
import { chosenSeed } from "../../test/seed.ts";

const CASES_EACH = 1_800;

describe("apply", () => {
  for (const { says, holds } of applyProperties)
    it(says, () => holds({ numRuns: CASES_EACH, seed: chosenSeed() }));
});

describe("recall", () => {
  it(recallProperty.says, () => recallProperty.holds({ numRuns: CASES_EACH, seed: chosenSeed() }));
});
