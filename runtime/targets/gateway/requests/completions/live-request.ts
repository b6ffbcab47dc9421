import type { Attempt } from '../routing/routing.ts';

/** A request in flight. */
export interface LiveRequest {
  readonly requestId: string;
  readonly endpoint: string;
  /** Start in milliseconds since 1970. */
  readonly startedAt: number;
  /** Undefined until the request is admitted. */
  readonly userId: string | undefined;
  readonly keyId: string | undefined;
  readonly teamId: string | undefined;
  /** The model that answers; undefined until one has begun to. */
  readonly model: string | undefined;
  /** Attempts that have ended. */
  readonly attempts: readonly Attempt[];
}
