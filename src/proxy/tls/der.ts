// DER, the binary form of certificates: the few ASN.1 types that an X.509 certificate is written with.

/** One encoded value. */
type Der = Buffer;

function tagged(tag: number, content: Uint8Array): Der {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const digits = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, "0"), "hex");
  return Buffer.concat([Buffer.from([tag, 0x80 | digits.length]), digits, content]);
}

export const sequence = (...parts: readonly Der[]): Der => tagged(0x30, Buffer.concat(parts));
export const set = (...parts: readonly Der[]): Der => tagged(0x31, Buffer.concat(parts));
export const bool = (value: boolean): Der => tagged(0x01, Buffer.from([value ? 0xff : 0]));
export const octets = (content: Uint8Array): Der => tagged(0x04, content);
export const utf8 = (text: string): Der => tagged(0x0c, Buffer.from(text, "utf8"));
/** `unused` counts the bits at the end that do not belong to the value. */
export const bits = (content: Uint8Array, unused = 0): Der =>
  tagged(0x03, Buffer.concat([Buffer.from([unused]), content]));

/** A number that is not negative, given by its bytes. */
export function unsigned(bytes: Uint8Array): Der {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first === -1 ? Buffer.from([0]) : bytes.subarray(first);
  return tagged(0x02, (digits[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), digits]) : digits);
}

/** An object identifier such as `2.5.29.17`. */
export function oid(dotted: string): Der {
  const [first = 0, second = 0, ...others] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second, ...others].flatMap((arc) => {
    const digits = [arc % 128];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128))
      digits.unshift((left % 128) | 0x80);
    return digits;
  });
  return tagged(0x06, Buffer.from(bytes));
}

/** In UTC, to the second; valid for the years 1950 to 2049, which X.509 writes in this form. */
export function utcTime(ms: number): Der {
  const text = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, "");
  return tagged(0x17, Buffer.from(text.slice(2), "latin1"));
}

/** A value with a context-specific tag: `explicit` wraps a whole value, `implicit` gives content another tag. */
export const explicit = (number: number, value: Der): Der => tagged(0xa0 | number, value);
export const implicit = (number: number, content: Uint8Array): Der => tagged(0x80 | number, content);
