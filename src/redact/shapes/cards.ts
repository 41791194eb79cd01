// Finds payment card numbers: a known first digit, a right check digit, and either a word before them or groups of four.
import { type Find, type Finder, findAt, matchAt } from "../found.ts";

const GROUPED = /(?<![\d.-])(?:[3-6]\d{3}([ -])\d{4}\1\d{4}\1\d{4}|3[47]\d\d([ -])\d{6}\2\d{5})(?![\d.-])/g;
const NAMED_CARD_NUMBER = /[^\d\n]{2,40}(\d{4}[ -]?\d{4,6}[ -]?\d{4,5}(?:[ -]?\d{1,7})?)(?![\d.-])/y;

/** Numbers that payment providers publish for tests. */
const TEST_NUMBERS =
  /^(?:4242424242424242|4111111111111111|4012888888881881|4000056655665556|4000000000000\d{3}|5555555555554444|5105105105105100|5200828282828210|2223003122003222|378282246310005|371449635398431|378734493671000|6011111111111117|6011000990139424|3056930009020004|36227206271667|30569309025904|38520000023237|3530111333300000|3566002020360505|6200000000000005)$/;

function isCard(digits: string) {
  if (digits.length < 13 || digits.length > 19 || !/^(?:3[0-8]|4|5[0-8]|2[2-7]|6)/.test(digits)) return false;
  if (TEST_NUMBERS.test(digits) || /(\d)\1{6}/.test(digits)) return false;
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - at) - 48;
    const doubled = digit * 2;
    sum += at % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

function cardAt(value: string, start: number) {
  return isCard(value.replace(/\D/g, "")) ? [findAt("card-number", start, value)] : [];
}

/** Numbers in groups, as they stand on the card, need no word before them. */
function findGroupedCards(text: string) {
  if (text.length < 15 || !/\d{4}[ -]\d{4}/.test(text)) return [];
  const found: Find[] = [];
  for (const match of text.matchAll(GROUPED)) found.push(...cardAt(match[0], match.index));
  return found;
}

export const cardFinders: readonly Finder[] = [
  {
    name: "card",
    landmarks: "card|visa|amex|pan|cc_num|cc-num|cc num|ccnum|信用卡|银行卡|卡号",
    look(text, at) {
      const match = matchAt(NAMED_CARD_NUMBER, text, at);
      const value = match?.[1] ?? "";
      return match && cardAt(value, at + match[0].length - value.length);
    },
  },
  /** They have no landmark, but are cheap to look for. */
  { name: "grouped-card", landmarks: "", scan: findGroupedCards },
];
