// Every dialect, with some generated conversations.
import { dialectProperties } from "../../test/dialects/properties.ts";

dialectProperties(150);
