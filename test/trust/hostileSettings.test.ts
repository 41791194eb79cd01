// A cloned repository tries to change settings elsewhere and to have its programs run.
import { configAttacks, settingAttacks } from "./hostile/settings.ts";
import { withstand } from "./hostile/withstand.ts";

withstand({ attacks: settingAttacks, installs: configAttacks });
