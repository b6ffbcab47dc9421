import { isObject } from '../../../core/is-object.ts';
import { parseJsonText } from '../../../core/json-text.ts';
import type { Clock } from '../../../platform/clock.ts';
import { CLIENT_WIRES } from '../wires/index.ts';
import type { Json } from '../wires/chat/shape.ts';
import type {
  FailedAnswer,
  ProviderAdapter,
  ProviderLimits,
  Upstream,
  UpstreamAnswer,
  UpstreamRequest,
  Wire,
} from './api.ts';
import { failure, refusedAnswer, thrownFailure } from './failure.ts';
import type { UpstreamBody } from './http/upstream-body.ts';
import { createWaiter } from './http/waiter.ts';
import type { Redact } from './redact.ts';
import { renameInAnswer } from './rename-model.ts';

export interface ExchangeParts {
  readonly upstream: Upstream;
  readonly adapter: ProviderAdapter;
  readonly limits: ProviderLimits;
  readonly clock: Clock;
  readonly redact: Redact;
}

/** An answer that is a JSON object. */
export interface JsonAnswer {
  readonly bytes: Uint8Array;
  readonly json: Json;
  readonly headers: UpstreamAnswer['headers'];
}

type Asked = Omit<UpstreamRequest, 'waiter'>;

/** Requests and answers, with limits for their time and size, and the meaning of what fails. */
export interface Exchange {
  /** What `read` makes of the answer; if it throws, the provider sent what cannot be understood. */
  json<Result>(
    asked: Asked,
    signal: AbortSignal,
    timeoutMs: number,
    read: (answer: JsonAnswer) => Result,
  ): Promise<Result | FailedAnswer>;
  /** The body of an answer that is a stream, read by `use`, whose time ends when `use` has resolved. */
  stream<Result>(
    asked: Asked,
    signal: AbortSignal,
    timeoutMs: number,
    use: (body: UpstreamBody) => Promise<Result>,
  ): Promise<Result | FailedAnswer>;
  /** The answer with another name for the model. */
  renamed(wire: Wire, answer: JsonAnswer, model: string): Uint8Array;
  /** An error that the provider sent as an event. */
  errorEvent(body: unknown): FailedAnswer;
}

/** What providers say of errors is short. */
const MAX_ERROR_BYTES = 64 * 1024;

export function createExchange({ upstream, adapter, limits, clock, redact }: ExchangeParts): Exchange {
  const refused = async ({ status, headers, body }: UpstreamAnswer): Promise<FailedAnswer> => {
    const text = await body.collect(MAX_ERROR_BYTES).catch(() => Buffer.alloc(0));
    const said = adapter.errorText(parsed(text) ?? text.toString('utf8'));
    return refusedAnswer({ status, retryAfter: headers['retry-after'], said, redact, now: clock.now() });
  };

  /** Everything within the time, and nothing once the client has left. */
  const within = async <Result>(
    asked: Asked,
    signal: AbortSignal,
    timeoutMs: number,
    use: (answer: UpstreamAnswer) => Promise<Result>,
  ): Promise<Result | FailedAnswer> => {
    const waiter = createWaiter();
    let timedOut = false;
    if (signal.aborted) waiter.leave();
    signal.addEventListener('abort', waiter.leave, { once: true });
    const disarm = clock.after(timeoutMs, () => {
      timedOut = true;
      waiter.leave();
    });
    let body: UpstreamBody | undefined;
    try {
      const answer = await upstream.request({ ...asked, waiter });
      ({ body } = answer);
      if (answer.status >= 200 && answer.status < 300) return await use(answer);
      return await refused(answer);
    } catch (error) {
      body?.destroy();
      return { kind: 'failed', failure: thrownFailure(error, { hasLeft: signal.aborted, timedOut }) };
    } finally {
      disarm();
      signal.removeEventListener('abort', waiter.leave);
    }
  };

  return {
    json: (asked, signal, timeoutMs, read) =>
      within(asked, signal, timeoutMs, async ({ headers, body }) => {
        const bytes = await body.collect(limits.maxResponseBytes);
        const json = parsed(bytes);
        if (!isObject(json))
          return failure('provider_error', { cause: new Error('The answer is no JSON object.') });
        try {
          return read({ bytes, json, headers });
        } catch (cause) {
          // Whatever shape it has that nobody thought of: it is the provider's, and another one may be asked.
          return failure('provider_error', { cause });
        }
      }),
    stream: (asked, signal, timeoutMs, use) =>
      within(asked, signal, timeoutMs, async ({ headers, body }) => {
        if (String(headers['content-type'] ?? '').startsWith('text/event-stream')) return await use(body);
        body.destroy();
        return failure('provider_error', { cause: new Error('The answer is no event stream.') });
      }),
    renamed: (wire, { bytes, json }, model) => renameInAnswer(CLIENT_WIRES[wire], bytes, json, model),
    errorEvent: (body) =>
      refusedAnswer({
        status: statusIn(body),
        retryAfter: undefined,
        said: adapter.errorText(body),
        redact,
        now: clock.now(),
      }),
  };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return parseJsonText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Some tell in the event which status it would have been. */
function statusIn(body: unknown): number {
  const { code, status }: Json = isObject(body) && isObject(body['error']) ? body['error'] : {};
  const told = [code, status].find((value) => typeof value === 'number' && value >= 400 && value < 600);
  return typeof told === 'number' ? told : 200;
}
