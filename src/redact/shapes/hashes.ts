// Finds stored forms of passwords: crypt, bcrypt, argon2, scrypt, PBKDF2, LDAP and phpass hashes.

import { type Find, type Finder, matchAt } from "../found.ts";

const HASH_RANK = 2;
const HASH =
  /\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}|\$(?:apr1|1|5|6|y|gy|7)\$(?:rounds=\d+\$)?[./A-Za-z0-9$]{2,48}\$[./A-Za-z0-9]{22,86}|\$argon2(?:id|i|d)\$v=\d+\$[\w=,]{5,60}\$[\w+/]{10,90}\$[\w+/]{20,180}|\$scrypt\$[\w=,]{5,60}\$[\w+/=]{10,90}\$[\w+/=]{20,180}|\$pbkdf2-sha\d{1,3}\$\d+\$[\w./]{8,64}\$[\w./]{20,120}|(?:pbkdf2_sha\d{1,3}|bcrypt_sha256|scrypt|argon2)\$[\w,$=.]{4,80}\$[\w+/=]{30,120}|\{S?(?:SHA|MD5)(?:256|512)?\}[\w+/]{22,120}={0,2}|\$[PH]\$[./A-Za-z0-9]{31}|scrypt:\d+:\d+:\d+\$\w{8,32}\$[0-9a-f]{64,128}/y;
/** `user:` before a hash at the start of a line: an entry of htpasswd or shadow. */
const ENTRY = /(?:^|[\n"'\s>])([\w.@-]{1,64}:)$/;

function lookForHash(text: string, at: number): Find | undefined {
  const hash = matchAt(HASH, text, at)?.[0];
  if (hash === undefined || /(.)\1{9}|\.{3}|xxxx/.test(hash)) return undefined;
  const user = ENTRY.exec(text.slice(Math.max(0, at - 66), at))?.[1] ?? "";
  return {
    kind: "password-hash",
    start: at - user.length,
    end: at + hash.length,
    secret: { start: at, end: at + hash.length },
    rank: HASH_RANK,
  };
}

export const hashFinder: Finder = {
  name: "password-hash",
  landmarks:
    "$2$|$2a$|$2b$|$2x$|$2y$|$apr1$|$1$|$5$|$6$|$7$|$y$|$gy$|$P$|$H$|$argon2|$scrypt$|$pbkdf2-|pbkdf2_sha|bcrypt_sha256$|scrypt$|argon2$|scrypt:|{SHA|{SSHA|{MD5|{SMD5",
  look: lookForHash,
};
