/** Spans of OpenTelemetry. Deno exports them where the environment has `OTEL_DENO=true`; elsewhere they cost nothing. */
import { VERSION } from "../../../core/version.ts";
import { reason } from "../system/reason.ts";

/** A span as far as it is used here; Deno does not type it. */
interface Span {
  setStatus(status: { readonly code: number; readonly message: string }): void;
  end(): void;
}

/** The status of a span whose work failed. */
const FAILED = 2;

/** Does work in a span of this name. */
export async function inSpan<T>(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  work: () => Promise<T>,
): Promise<T> {
  const span = startSpan(name, attributes);
  try {
    return await work();
  } catch (error) {
    span?.setStatus({ code: FAILED, message: reason(error) });
    throw error;
  } finally {
    span?.end();
  }
}

function startSpan(name: string, attributes: Readonly<Record<string, string | number>>): Span | undefined {
  try {
    return Deno.telemetry.tracerProvider.getTracer("patchloom", VERSION).startSpan(name, { attributes });
  } catch {
    return undefined; // Deno says "otel not initialized" unless it exports
  }
}
