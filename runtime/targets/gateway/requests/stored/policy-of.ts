import type { Spender } from '../../accounts/identity/identity.ts';
import type { Clock } from '#platform/clock.ts';
import type { PolicyRequest } from '../policy/policy-request.ts';
import type { StoredRequest } from './stored.ts';

interface About {
  /** Path of the route. */
  readonly endpoint: string;
  readonly spender: Spender | undefined;
  /** Empty for a file that no model is named for. */
  readonly model: string;
  /** Length of what the user has written, in bytes. */
  readonly size: number;
}

/** What the policy knows of a request about stored objects. */
export const policyRequestOf = (
  { caller, requestId, signal, setHeader }: StoredRequest,
  about: About,
  clock: Pick<Clock, 'now'>,
): PolicyRequest => ({ ...about, caller, requestId, signal, setHeader, startedAt: clock.now() });
