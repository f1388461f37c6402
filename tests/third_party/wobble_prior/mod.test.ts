import { priorChecks } from "@patchloom/patchloom/testing";
import wobble from "./mod.ts";
for (const [title, check] of priorChecks(wobble)) Deno.test(title, check);
