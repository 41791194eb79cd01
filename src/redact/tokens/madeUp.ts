// Tells a token that was issued from one that somebody typed into documentation or a test.

// Long words only: short ones turn up in random text.
const WORDS =
  /example|placeholder|changeme|redacted|replace|dummy|xxxx|your[-_a-z]|insert|notreal|not[-_]a[-_]real|abcdefgh|12345678|1234567890|deadbeef|\.\.\.|\*\*\*|(.)\1{5}|sample[-_]|(?:^|[-_])(?:fake|test|mock|demo|my|foo)[-_](?:key|token|secret|value|api)/i;

/** Whether a token of a known shape is a placeholder: words in it, or hardly any variety. */
export function isMadeUp(token: string, prefix: string): boolean {
  const body = token.startsWith(prefix) ? token.slice(prefix.length) : token;
  if (WORDS.test(body)) return true;
  const variety = new Set(body).size;
  if (variety < Math.min(8, body.length / 2.5)) return true;
  // Words joined by dashes, as in sk-learn-style-guide-for-beginners.
  return /^[a-z]+(?:[-_.][a-z]+)*$/.test(body) && body.length < 60;
}
