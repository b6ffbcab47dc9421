import type { Spender } from '../../accounts/identity/identity.ts';
import type { Admission } from '../../accounts/ledger/admission.ts';
import type { Ledger, Reservation, UsageEntry } from '../../accounts/ledger/ledger.ts';
import type { TokenPrice } from '../../shared/token-price.ts';
import { priceOf, providerOf } from '../completions/usage-entries.ts';
import type { CountedTokens } from '../../providers/streams/stream.ts';

export interface RealtimeAccountParts {
  readonly ledger: Pick<Ledger, 'reserve' | 'settle' | 'release' | 'bill'>;
  readonly spender: Spender;
  readonly model: string;
  readonly price: TokenPrice | undefined;
  readonly estimate: Parameters<Ledger['reserve']>[1];
  readonly requestId: string;
  readonly now: () => number;
}

/** The budget of a session: the cost of one response is reserved at any time. */
export interface RealtimeAccount {
  /** Reserves the next response. Throws the error of a limit. */
  reserve(): Promise<Admission>;
  /** Records a response. */
  record(tokens: CountedTokens, isEstimated?: boolean): Promise<void>;
  /** Releases what is reserved. */
  release(): Promise<void>;
}

export const REALTIME = '/v1/realtime';

export function openRealtimeAccount(parts: RealtimeAccountParts): RealtimeAccount {
  const { ledger, spender, model, price, estimate, requestId, now } = parts;
  let reservation: Reservation | undefined;
  let since = now();
  return {
    async reserve() {
      since = now();
      reservation ??= await ledger.reserve(spender, estimate);
      return reservation;
    },
    async record(tokens, isEstimated = false) {
      const entry: UsageEntry = {
        model,
        provider: providerOf(model),
        endpoint: REALTIME,
        promptTokens: tokens.promptTokens,
        completionTokens: tokens.completionTokens,
        cachedTokens: tokens.cachedTokens,
        cost: priceOf(tokens, price),
        pricedBy: price ? (price.source ?? 'own') : null,
        status: isEstimated ? 'cancelled' : 'success',
        errorMessage: isEstimated ? 'The connection was closed.' : null,
        statusCode: isEstimated ? 499 : 200,
        latencyMs: now() - since,
        estimated: isEstimated,
        requestId,
        attempt: 1,
      };
      const held = reservation;
      reservation = undefined;
      // A response right after another one can end before its own reservation is made.
      await (held ? ledger.settle(held, entry) : ledger.bill(spender, entry));
    },
    async release() {
      const held = reservation;
      reservation = undefined;
      if (held) await ledger.release(held);
    },
  };
}
