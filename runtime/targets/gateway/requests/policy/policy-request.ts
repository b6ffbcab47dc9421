import type { Payer, Spender } from '../../accounts/identity/identity.ts';
import type { Admission } from '../../accounts/ledger/admission.ts';

/** What the policy knows of a request on any way to a provider. */
export interface PolicyRequest {
  /** Path of the route. */
  readonly endpoint: string;
  readonly requestId: string;
  readonly caller: Payer;
  /** Undefined for the master key on routes on which it names no user. */
  readonly spender: Spender | undefined;
  /** The model that the request names; empty for a request without a model. */
  readonly model: string;
  /** Start of the request in milliseconds since 1970. */
  readonly startedAt: number;
  /** Length of the request in bytes. */
  readonly size: number;
  readonly signal: AbortSignal;
  /** Sets a header of the response. */
  readonly setHeader: (name: string, value: string) => void;
}

/** A request that the limits of its user have admitted. */
export interface AdmittedRequest extends PolicyRequest {
  readonly admission: Admission;
}
