declare const admission: unique symbol;

/**
 * Proof that the limits of a user hold for a call of a provider. The policy demands it, so that a call without limits does not compile. Only
 * the ledger creates it, and `NO_LIMITS`.
 */
export interface Admission {
  readonly [admission]: true;
}

/** For calls that the gateway makes on its own, e.g. for the bill of a batch, and for those with the master key, which has no limits. */
export const NO_LIMITS: Admission = {} as Admission;

/** Marks what the ledger has admitted. */
export const admitted = <Value extends object>(value: Value): Value & Admission => value as Value & Admission;
