// The same for the other kinds of damage, in a file of its own so that both halves run side by side.
import { describeRecovery } from "./damageRecovery.ts";

describeRecovery("second");
