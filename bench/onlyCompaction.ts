// Settings under which compaction alone acts: the whole history comes to it as it was.
import { thriftySettings } from "../src/pipeline/index.ts";

export const onlyCompaction = {
  ...thriftySettings,
  budget: { ...thriftySettings.budget, resultLimit: 1e9, toolLimits: {}, messageLimit: 1e9, rereads: false },
  microcompact: { ...thriftySettings.microcompact, idle: 1e12 },
};
