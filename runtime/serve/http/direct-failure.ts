import type { Context } from 'hono';
import type { Principal } from '../access.ts';

/** The error of a request that was answered directly; the app turns it into a response. */
export interface DirectFailure {
  readonly error: unknown;
  readonly requestId: string;
  readonly caller: Principal | undefined;
  readonly startedAt: number;
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
