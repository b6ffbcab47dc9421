import { retryDelay } from '../../../../../core/limits/retry-delay.ts';
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
import { backendError, isDown, isRefusedAddress } from './backend-error.ts';

interface Parts {
  /** Name for messages. */
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
  /** Sends a request, with retries for temporary failures. Throws an AppError if all fail. */
  request(options: { readonly path: string; readonly body?: Json }, signal: AbortSignal): Promise<Answer>;
  readonly close: () => Promise<void>;
}

const RESPONSE_MS = 300_000;
const INSPECTION_MS = 10_000;

/** Connects to a model over HTTP. */
export function connect({ name, upstream, adapter, apiKey }: Parts, { clock, random }: Pacing): Connection {
  const redact = createRedact([apiKey]);
  const exchange = createExchange({ upstream, adapter, limits: WORK_LIMITS, clock, redact });
  return {
    async request({ path, body }, signal) {
      const bytes = body && Buffer.from(JSON.stringify(body));
      const request = { method: body ? 'POST' : 'GET', path, body: bytes } as const;
      const timeoutMs = body ? RESPONSE_MS : INSPECTION_MS;
      for (let retries = 0; ; retries++) {
        const answer = await exchange.json(request, { signal, timeoutMs }, (json): Answer => json);
        if (!isFailed(answer)) return answer;
        signal.throwIfAborted();
        const { failure } = answer;
        const wait = isTemporary(failure) ? pauseBefore(retries, failure, body !== undefined) : undefined;
        if (wait === undefined) throw backendError(name, failure);
        await pause(wait, clock, signal);
        signal.throwIfAborted();
      }
    },
    close: () => upstream.close(),
  };

  /** Requests with rows wait longer for a server that restarts than requests that inspect a model. */
  function pauseBefore(retries: number, failure: ProviderFailure, hasRows: boolean): number | undefined {
    const { kind, upstreamStatus, retryAfterSeconds } = failure;
    const isDownNow = kind === 'unreachable' || upstreamStatus === 503 || isDown(failure);
    const requested = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000;
    return retryDelay(retries, requested, random, hasRows && isDownNow ? RESTART_RETRIES : ROW_RETRIES);
  }
}

const TEMPORARY_FAILURES: ReadonlySet<FailureKind> = new Set([
  'rate_limited',
  'timeout',
  'unreachable',
  'provider_error',
  'stream_incomplete',
]);

const isTemporary = (failure: ProviderFailure): boolean =>
  TEMPORARY_FAILURES.has(failure.kind) && !isRefusedAddress(failure);
