import type { Session } from '../../../shared/moved-sessions.ts';

/** The data of a call that determines which of a provider's keys is used. */
export interface KeyedCall {
  /** Limits of most providers apply to each model separately. */
  readonly model?: string | undefined;
  /** The session whose prompts the provider caches. */
  readonly session?: Session | undefined;
  /** The key that a call requires at each provider, because its objects were stored with that key. */
  readonly requiredKeys?: ReadonlyMap<string, string> | undefined;
  /** The payer. A failure that a request can cause only concerns requests of the same payer. */
  readonly owner?: string | undefined;
  /** The request body, from whose size its tokens are estimated. */
  readonly bytes?: Uint8Array | undefined;
}

/** Why a key is used last. */
interface Cooling {
  /** The kind of failure. */
  readonly reason: string;
  /** The model; undefined for all models. */
  readonly model: string | undefined;
  readonly until: number;
}

/** The state of a key in one process. It never contains the key itself. */
export interface KeyState {
  readonly provider: string;
  readonly key: string;
  readonly weight: number;
  /** Provider calls with the key. */
  readonly calls: number;
  /** Failed calls, by kind of failure. */
  readonly failures: Readonly<Record<string, number>>;
  /** The longest time for which it is still cooling down, for all calls or some. */
  readonly coolingMs: number;
  /** Longest first; not all if there are many. */
  readonly cooling: readonly Cooling[];
  /** The limits that the provider has reported. */
  readonly limits: readonly ReportedLimit[];
}

interface ReportedLimit {
  readonly model: string;
  readonly of: 'requests' | 'tokens';
  readonly remaining: number;
  readonly resetsAt: number;
}

/** What one thread has learned about a key, for the other threads (docs/decisions/0160). */
export interface KeyEvent {
  readonly kind: 'key';
  readonly provider: string;
  readonly key: string;
  readonly scope: string;
  /** Whether it begins or ends to cool down; false if only the time has changed. */
  readonly isNew: boolean;
  /** Undefined if the key works again. */
  readonly cooling: (Cooling & { readonly since: number; readonly repeats: number }) | undefined;
}

/** The keys of a provider that has several, without their secrets. */
export interface ProviderKeys {
  readonly names: readonly [string, ...string[]];
  states(now: number): readonly KeyState[];
  /** Applies what another thread has learned. */
  apply(event: KeyEvent): void;
}
