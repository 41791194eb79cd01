// Codex CLI as an agent: its hooks are Claude Code's with other names for turns, and run only after the user trusts them.
import type { AgentAdapter } from "../adapter.ts";
import { CODEX, codexEdits, codexSessions, codexState } from "./install.ts";

export const codexAdapter: AgentAdapter = {
  name: CODEX,
  title: "Codex CLI",
  edits: codexEdits,
  state: codexState,
  sessionFolders: codexSessions,
  trust: {
    explanation:
      "Codex runs a hook only after you trust its exact command. That is usually done in Codex with /hooks, one by one. " +
      "With your yes the same entries ([hooks.state…] with the hash of each command) are written to config.toml now.",
    question: "Let Codex run these commands without a review in /hooks?",
    byHand:
      "Codex runs the hooks after you trust them there: type /hooks in Codex, or run this again with --trust",
  },
};
