// Tells a token that was issued from a made-up one in documentation or a test.
import { isWordy } from "../wordy.ts";

// Long words only: short ones turn up in random text.
const WORDS =
  /example|placeholder|changeme|redacted|replace|dummy|xxxx|your[-_a-z]|insert|here$|notreal|not[-_]a[-_]real|\.\.\.|\*\*\*|sample[-_]|(?:^|[-_])(?:fake|test|mock|demo|my|foo)[-_](?:key|token|secret|value|api)/i;

/** Whether a token of a known shape is a placeholder: words in it, or hardly any variety. */
export function isMadeUp(token: string, prefix: string) {
  const from = token.startsWith(prefix) ? prefix.length : 0;
  const body = token.slice(from, from + 256);
  if (WORDS.test(body)) return true;
  const variety = new Set(body.replace(/(.)\1{4,}/g, "")).size;
  if (variety < Math.min(8, body.length / 2.5)) return true;
  // Words, as in sk-learn-style-guide or hf_requiredCharacteristicTypes.
  return /[a-z]/.test(body) && isWordy(body);
}
