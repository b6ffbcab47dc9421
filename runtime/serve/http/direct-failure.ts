import type { Context } from 'hono';
import type { Principal } from '../access.ts';

/** What went wrong with a request that was answered directly; the app turns it into the answer. */
export interface DirectFailure {
  readonly error: unknown;
  readonly requestId: string;
  readonly caller: Principal | undefined;
  readonly startedAt: number;
}

/** What the server hands the app beside such a request. */
export interface FailureBinding {
  readonly failure?: DirectFailure | undefined;
}

/** There are no bindings where an app is asked without a server. */
export const failureOf = (c: Context): DirectFailure | undefined =>
  (c.env as FailureBinding | undefined)?.failure;
