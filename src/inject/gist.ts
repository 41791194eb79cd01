// A prompt in a few words: without courtesies, and of a plan its name.
import { planInRequest } from "../lib/index.ts";

/** What only leads to the request. Taken off again and again, since people say several. */
const leading =
  /^(?:(?:hi|hey|hello|ok(?:ay)?|alright|great|perfect|thanks|so|and|now|also|then|next|well|please)\b[\s,.!:–-]*|(?:can|could|would|will) (?:you|we)(?: please)?\s+|(?:i'd|i would) like (?:you )?to\s+|i (?:want|need) (?:you )?to\s+|(?:let's|lets)\s+|(?:你好|请问|请|麻烦|帮我|能不能|能否|可以|我想让你|我想要你)[，,\s]*)/iu;

export function gistOf(request: string) {
  let rest = planInRequest(request) ?? request.trim();
  for (let shorter = rest.replace(leading, ""); shorter !== rest; shorter = rest.replace(leading, ""))
    rest = shorter;
  // Who only greets has asked for nothing less.
  const gist = rest === "" ? request.trim() : rest;
  return gist.charAt(0).toUpperCase() + gist.slice(1);
}
