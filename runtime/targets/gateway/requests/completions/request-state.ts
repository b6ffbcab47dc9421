import type { Reservation } from '../../accounts/ledger/ledger.ts';
import type { Attempt } from '../routing/routing.ts';
import type { RequestTrace } from '#serve/telemetry/request-trace.ts';
import type { CompletionRequest } from './completion.ts';
import type { ExpectedTokens, PriceList } from './priced-targets.ts';

/** State of a request that usage tracking needs. */
export interface RequestState {
  readonly request: CompletionRequest;
  readonly trace: RequestTrace | undefined;
  readonly attempts: readonly Attempt[];
  /** Undefined until the ledger has admitted the request. */
  readonly admitted: Admitted | undefined;
}

export interface Admitted {
  readonly reservation: Reservation;
  readonly prices: PriceList;
  readonly tokens: ExpectedTokens;
  /** The client's own user. */
  readonly endUser?: string | undefined;
  /** Ids that the request names. */
  readonly references: ReadonlySet<string>;
}
