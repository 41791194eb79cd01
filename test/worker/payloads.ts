// Payloads in the shape in which Claude Code hands them to hooks.

type Payload = Record<string, unknown>;

const cwd = "/";

export function toolPayload(session: string, at: number, more: Payload = {}): Payload {
  return {
    hook_event_name: "PostToolUse",
    session_id: session,
    cwd,
    prompt_id: `${session}-prompt`,
    tool_name: "Bash",
    tool_use_id: `toolu_${session}_${at}`,
    tool_input: { command: `echo ${at}` },
    tool_response: { stdout: `line ${at}\n`.repeat(20), stderr: "", interrupted: false },
    ...more,
  };
}

export function promptPayload(session: string, prompt: string, more: Payload = {}): Payload {
  return {
    hook_event_name: "UserPromptSubmit",
    session_id: session,
    cwd,
    prompt_id: `${session}-prompt`,
    prompt,
    ...more,
  };
}

export function stopPayload(session: string, more: Payload = {}): Payload {
  return {
    hook_event_name: "Stop",
    session_id: session,
    cwd,
    prompt_id: `${session}-prompt`,
    last_assistant_message: "Done.",
    ...more,
  };
}
