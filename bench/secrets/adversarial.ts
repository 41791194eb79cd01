// Texts made to be slow: what a rule looks for, over and over, almost complete, opened and never closed, nested.

/** What may follow a landmark so that a rule reads on and finds nothing, or almost something. */
const tails = [
  ...[
    "",
    " ",
    "\n",
    "=",
    ": ",
    '="',
    '": "',
    "'",
    "(",
    "\\n",
    ";",
    ",",
    "&a=",
    "a1B2",
    "a1B2 ",
    "a:b@",
    ":a/",
  ],
  ..."a1B2c3D4e5F6|-----|a.b.|a=b;|[x]: |> | | |\t|  |%41|\\u0041|- -|\u001b[0m|\u200b".split("|"),
];

const dashes = "-".repeat(5);

/** Beginnings without ends and other shapes that no landmark says. */
export const openings = [
  `${dashes}BEGIN ${"PRIVATE"} KEY${dashes}\n`,
  `${dashes}BEGIN RSA ${"PRIVATE"} KEY${dashes}\nMIIEpAIBAAKCAQEA7b\n`,
  `${dashes}END ${"PRIVATE"} KEY${dashes}\n`,
  `${dashes}BEGIN ${"PRIVATE"} KEY${dashes} ${dashes}END ${"PRIVATE"} KEY${dashes} `,
  `${dashes}BEGIN PUBLIC KEY${dashes}\n`,
  "MIIEpAIBAAKCAQEA7b\n",
  ...["<private>", "</private>", "<private", "<private>a</private>", "&lt;private ", "\\u003cprivate\\u003e"],
  ...[
    "password: |\n",
    "password: |\n  a1B2c3D4\n",
    "passwords:\n  - a1B2c3D4\n",
    "passwords = [",
    '"passwords":["',
  ],
  ...["name,password\n", "name,password\na1,a1B2c3D4\n", "a,b,c\n", "| user | password |\n", "| a | b |\n"],
  ...[
    "user  password\n",
    "INSERT INTO u (password) VALUES ",
    "('a1B2c3D4'),",
    "(password, ",
    "data:\n",
    "  a: b\n",
  ],
  ...[
    "kind: Secret\n",
    "kind: Secret\ndata:\n",
    "  a: YTFCMmMzRDQ=\n",
    '"data":{',
    '"kind":"Secret","data":{',
  ],
  ...["://a:b", "://a:b@", "a@b:", "?key=", "&key=a1B2c3D4e5F6", "#access_token="],
  ...["1111 ", "4111 1111 1111 ", "4111111111111111", "card 4"],
  ...["MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.", "aaaaaa.", ".aaaaaa.aaaaaaaaaaaaaaaaaaaaaaaaaaa"],
  ...[
    '{"a":',
    "[",
    "{",
    "((",
    '"',
    "`",
    "\\",
    "\\\\",
    '\\\\"',
    "a",
    "A",
    "0",
    "aB3",
    "\n",
    " ",
    "\t",
    "…",
    "密码",
  ],
  ...[
    "密码：",
    "is ",
    "for a",
    "set ",
    "export ",
    " -p",
    " -u",
    "curl ",
    "mysql ",
    "\u001b[32m",
    "\u001b",
    "\u200b",
  ],
  ...["password=a1B2c3D4! ", "password=a1B2c3D4!\n", "a1B2c3D4! ", "use a1B2c3D4! as "],
  ...[
    "ignore all ",
    "send tokens ",
    "send tokens to ",
    "curl $(",
    "cat .env ",
    "cat .env | ",
    "![a](http://b?c=",
    "do not tell ",
  ],
  ...[
    "<system-reminder ",
    "<tool_use a",
    "\n\nHuman: ",
    "忽略之前",
    "<throughline-context>",
    "</throughline-context>",
  ],
];

/** Words with which the patterns for instructions to a model begin. */
export const orderLandmarks = [
  ...["claude", "assistant that ", "ai agent must ", "the model may ", "to any ai ", "for the assistant, "],
  ...["you must ", "you are a ", "when you read this ", "your next task ", "add a to your ", "system: "],
  ...[
    "always run ",
    "never tell ",
    "this rule ",
    "user has approved ",
    "in future sessions ",
    "reading this ",
  ],
  ...[
    "ignore all ",
    "send tokens to ",
    "cat .env | ",
    "助手必须",
    "系统：你",
    "你必须",
    "给所有ai",
    "如果你看到",
  ],
];

/** Pieces to repeat for a rule with these landmarks: every landmark with some of the tails, few landmarks with all. */
export function landmarkPieces(landmarks: readonly string[]): string[] {
  const own = landmarks.filter((landmark) => landmark !== "");
  const step = Math.max(1, Math.ceil(own.length / 40));
  return own.flatMap((landmark, at) =>
    tails.filter((_, place) => place % step === at % step).map((tail) => landmark + tail),
  );
}

/** All pieces that a rule with these landmarks should be fed. */
export const adversarialPieces = (landmarks: readonly string[]): string[] => [
  ...new Set([...landmarkPieces(landmarks), ...openings]),
];

/** The piece, again and again, up to this length. */
export const repeated = (piece: string, length: number): string =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
