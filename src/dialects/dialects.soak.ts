// Every dialect, with 10,000 generated conversations for each of its properties.
import { dialectProperties } from "../../test/dialects/properties.ts";

dialectProperties(10_000);
