// Words in prompts, tool results and answers try to speak to the model as Throughline.
import { withstand } from "./hostile/withstand.ts";
import { wordAttacks } from "./hostile/words.ts";

withstand({ attacks: wordAttacks, isPromptAnswered: true });
