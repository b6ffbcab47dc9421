import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import { repeat } from '../../accounts/ledger/repeat.ts';
import type { GatewayState } from '../../gateway-state.ts';
import type { CurrentModels } from '../models/model-set.ts';
import type { Policy } from '../policy/policy.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { createBatches } from './batches.ts';
import { createFiles } from './files.ts';
import { createProviderCalls } from './provider-calls.ts';
import { createResponses } from './responses.ts';
import { createSettler } from './settler.ts';
import type { Stored } from './stored.ts';

export interface StoredParts {
  readonly state: GatewayState;
  readonly models: CurrentModels;
  readonly policy: Policy;
  readonly tokenCounter: TokenCounter;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onError: (error: unknown) => void;
}

/** Interval between checks for unpaid batches and responses. */
const CHECK_MS = 10_000;

export function createStored({
  state,
  models,
  policy,
  tokenCounter,
  clock,
  log,
  onError,
}: StoredParts): Stored {
  const calls = createProviderCalls({ state, models, clock });
  const settler = createSettler({ state, calls, clock, log });
  const stopped = new AbortController();
  const settle = (): Promise<void> => settler.check(stopped.signal);
  const checking = repeat(clock, CHECK_MS, settle, onError);
  return {
    files: createFiles({ state, policy, calls, settler, tokenCounter, clock }),
    batches: createBatches({ state, calls, settler, clock, log }),
    responses: createResponses({ state, policy, calls, settler, clock }),
    settle,
    async close() {
      stopped.abort();
      await checking.stop();
    },
  };
}
