// Where providers usually are, and which variable has their key.

export const usual = {
  anthropic: { place: "https://api.anthropic.com", key: "ANTHROPIC_API_KEY" },
  "openai-compatible": { place: "http://127.0.0.1:11434/v1", key: "OPENAI_API_KEY" },
} as const;

export const USUAL_COMMAND = "claude";
