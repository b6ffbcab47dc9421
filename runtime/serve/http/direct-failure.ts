import type { Context } from 'hono';
import type { Principal } from '../access.ts';
import type { Span } from '../telemetry/tracer.ts';

/** The error of a request that was answered directly; the app turns it into a response. */
export interface DirectFailure {
  readonly error: unknown;
  readonly requestId: string;
  readonly caller: Principal | undefined;
  readonly startedAt: number;
  /** Span of the request, which the app ends; undefined if the request is not traced. */
  readonly span: Span | undefined;
}

/** Bindings that the server passes to the app with such a request. */
export interface FailureBinding {
  readonly failure?: DirectFailure | undefined;
}

/** Bindings are undefined if an app is called without a server. */
export function failureOf(c: Context): DirectFailure | undefined {
  const bindings: FailureBinding | undefined = c.env;
  return bindings?.failure;
}
