import { retryDelay } from '../../../shared/retry-plan.ts';
import type {
  FailureKind,
  ProviderAdapter,
  ProviderFailure,
  Upstream,
} from '../../../ask/providers/provider.ts';
import { createExchange } from '../../../ask/providers/exchange.ts';
import { isFailed } from '../../../ask/providers/failure.ts';
import { createRedact } from '../../../ask/providers/redact.ts';
import { pause } from '../../../../../platform/pause.ts';
import { type Pacing, RESTART_RETRIES, ROW_RETRIES } from '../pacing.ts';
import { WORK_LIMITS } from './address.ts';
import { askError, isDown, isRefusedAddress } from './ask-error.ts';

interface Parts {
  /** As sentences call it. */
  readonly name: string;
  readonly upstream: Upstream;
  readonly adapter: ProviderAdapter;
  readonly apiKey: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly json: Json;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface Connection {
  /** Asks again where that can help. Throws an AppError if there is no answer in the end. */
  ask(request: { readonly path: string; readonly body?: Json }, signal: AbortSignal): Promise<Answer>;
  readonly close: () => Promise<void>;
}

const ANSWER_MS = 300_000;
const FACTS_MS = 10_000;

/** A model that is asked over HTTP. */
export function connect({ name, upstream, adapter, apiKey }: Parts, { clock, random }: Pacing): Connection {
  const redact = createRedact([apiKey]);
  const exchange = createExchange({ upstream, adapter, limits: WORK_LIMITS, clock, redact });
  return {
    async ask({ path, body }, signal) {
      const bytes = body && Buffer.from(JSON.stringify(body));
      const asked = { method: body ? 'POST' : 'GET', path, body: bytes } as const;
      const timeoutMs = body ? ANSWER_MS : FACTS_MS;
      for (let retries = 0; ; retries++) {
        const answer = await exchange.json(asked, { signal, timeoutMs }, (given): Answer => given);
        if (!isFailed(answer)) return answer;
        signal.throwIfAborted();
        const { failure } = answer;
        const wait = canPass(failure) ? pauseBefore(retries, failure, body !== undefined) : undefined;
        if (wait === undefined) throw askError(name, failure);
        await pause(wait, clock, signal);
        signal.throwIfAborted();
      }
    },
    close: () => upstream.close(),
  };

  /** Whoever asks what a model is wants to know now; rows can wait for it to be started again. */
  function pauseBefore(retries: number, failure: ProviderFailure, isAboutRows: boolean): number | undefined {
    const { kind, upstreamStatus, retryAfterSeconds } = failure;
    const isAway = kind === 'unreachable' || upstreamStatus === 503 || isDown(failure);
    const asked = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000;
    return retryDelay(retries, asked, random, isAboutRows && isAway ? RESTART_RETRIES : ROW_RETRIES);
  }
}

const CAN_PASS: ReadonlySet<FailureKind> = new Set([
  'rate_limited',
  'timeout',
  'unreachable',
  'provider_error',
  'stream_incomplete',
]);

const canPass = (failure: ProviderFailure): boolean =>
  CAN_PASS.has(failure.kind) && !isRefusedAddress(failure);
