/** How requests with an `Idempotency-Key` are handled. */
export interface IdempotencySettings {
  /** Whether the header has an effect. */
  readonly enabled: boolean;
  /** How long a key is remembered after its request. */
  readonly retentionMs: number;
  /** Whether responses are stored; otherwise, only the fact that a request has ended is. */
  readonly storeResponses: boolean;
  /** Larger responses are not stored. */
  readonly maxResponseBytes: number;
  /** Maximum total size of the stored responses, in bytes. */
  readonly maxStoredBytes: number;
  /** Maximum number of remembered keys per user. */
  readonly maxKeysPerUser: number;
}

const MIB = 1024 * 1024;

export const IDEMPOTENCY_DEFAULTS: IdempotencySettings = {
  enabled: true,
  retentionMs: 24 * 3_600_000,
  storeResponses: true,
  maxResponseBytes: 8 * MIB,
  maxStoredBytes: 1024 * MIB,
  maxKeysPerUser: 10_000,
};
