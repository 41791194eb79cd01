// What an image costs: its size in pixels, read from the first bytes of its base64 text.

const PIXELS_PER_TOKEN = 750;
const UNKNOWN_SIZE = 1_600;
/** Larger images are scaled down before they are counted: by long edge, and by tokens in all. */
const STANDARD = { edge: 1_568, tokens: 1_600 };
const FINE = { edge: 2_576, tokens: 5_000 };

interface ImageTokens {
  /** Tokens on models that see at the standard resolution. */
  readonly standard: number;
  /** How much more models of the new family pay, because they see finer. */
  readonly finer: number;
}

interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** A JPEG's size stands in its first start-of-frame segment; what precedes it (thumbnails) can be long. */
function jpegSize(bytes: Buffer): PixelSize | undefined {
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const startOfFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (startOfFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** The size of a PNG or JPEG, or undefined for other formats and broken headers. */
function pixelSize(base64: string): PixelSize | undefined {
  if (base64.startsWith("iVBORw0KGgo")) {
    const head = Buffer.from(base64.slice(0, 32), "base64");
    return head.length >= 24 ? { width: head.readUInt32BE(16), height: head.readUInt32BE(20) } : undefined;
  }
  if (base64.startsWith("/9j/")) return jpegSize(Buffer.from(base64.slice(0, 256 * 1024), "base64"));
  return undefined;
}

function tokensWithin(size: PixelSize, limit: { edge: number; tokens: number }) {
  const scale = Math.min(1, limit.edge / Math.max(size.width, size.height, 1));
  const tokens = (size.width * scale * size.height * scale) / PIXELS_PER_TOKEN;
  return Math.min(limit.tokens, Math.ceil(tokens));
}

export function imageTokens(base64: string | undefined): ImageTokens {
  const size = base64 === undefined ? undefined : pixelSize(base64);
  if (!size) return { standard: UNKNOWN_SIZE, finer: 0 };
  const standard = tokensWithin(size, STANDARD);
  return { standard, finer: tokensWithin(size, FINE) - standard };
}
