// Text to bytes and back without loss: UTF-8, extended so that a lone surrogate survives too.

// JavaScript strings may hold half of a surrogate pair (a tool that cut its output in the middle of an emoji).
// UTF-8 has no bytes for that and Node writes U+FFFD instead. Here it becomes the three bytes that the UTF-8
// scheme would give its code point (known as WTF-8): well-formed text keeps its usual bytes, line ends stay line
// ends, and no stored flag is needed to read the string back.
const LONE_SURROGATE = /\p{Surrogate}/gu;

export function encodeText(text: string): Uint8Array {
  // Most text has none, and is told apart quickly.
  if ((text as string & { isWellFormed(): boolean }).isWellFormed()) return Buffer.from(text, "utf8");
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const { 0: half, index } of text.matchAll(LONE_SURROGATE)) {
    const code = half.charCodeAt(0);
    parts.push(Buffer.from(text.slice(from, index), "utf8"));
    parts.push(Uint8Array.of(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)));
    from = index + 1;
  }
  const rest = Buffer.from(text.slice(from), "utf8");
  return parts.length === 0 ? rest : Buffer.concat([...parts, rest]);
}

/** The text that `encodeText` made the bytes from. In bytes that never were text, U+FFFD stands for the unreadable. */
export function decodeText(content: Uint8Array) {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  let text = "";
  let from = 0;
  for (let at = bytes.indexOf(0xed); at >= 0; at = bytes.indexOf(0xed, at + 1)) {
    const second = bytes[at + 1] ?? 0;
    const third = bytes[at + 2] ?? 0;
    if (second < 0xa0 || second > 0xbf || third < 0x80 || third > 0xbf) continue;
    text += bytes.toString("utf8", from, at);
    text += String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | (third & 0x3f));
    from = at + 3;
  }
  return text + bytes.toString("utf8", from);
}
