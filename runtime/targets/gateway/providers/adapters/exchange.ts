import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { Clock } from '#platform/clock.ts';
import type { AnswerSummary } from '../streams/stream.ts';
import { CLIENT_WIRES } from '../wires/index.ts';
import type { Json, Wire } from '../shapes/chat.ts';
import type {
  FailedAnswer,
  ProviderAdapter,
  ProviderLimits,
  AbandonedAnswer,
  AbandonedRead,
} from './provider.ts';
import { describeAnswer, failure, refusedAnswer, thrownFailure } from './failure.ts';
import {
  createWaiter,
  type UpstreamBody,
  type Waiter,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamRequest,
} from './upstream.ts';
import type { Redact } from './redact.ts';
import { AppError } from '#contract/errors.ts';
import { editMembers } from '../../shared/json-members.ts';
import { readEvent } from '#serve/event-stream/event-frames.ts';
import type { ClientWire } from '../wires/request-members.ts';
import { membersOf } from '#core/json/members-of.ts';
import { callWithKeys, type KeyAccess } from './keys/call-with-keys.ts';
import type { KeyedCall } from './keys/key-state.ts';

interface ExchangeParts {
  readonly upstream: Upstream;
  readonly adapter: ProviderAdapter;
  readonly limits: ProviderLimits;
  readonly clock: Clock;
  readonly redact: Redact;
  /** The keys of a provider that has several; undefined if `upstream` adds the only one. */
  readonly keys?: KeyAccess | undefined;
}

/** A response whose body is a JSON object. */
export interface JsonAnswer {
  readonly bytes: Uint8Array;
  readonly json: Json;
  readonly headers: UpstreamAnswer['headers'];
}

interface UnsentRequest extends Omit<UpstreamRequest, 'waiter'> {
  /** What determines the key of a provider that has several. */
  readonly call?: KeyedCall | undefined;
  /** Called when the headers of the response have arrived. */
  readonly onHeaders?: ((headers: UpstreamAnswer['headers']) => void) | undefined;
}

interface CallLimit {
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /**
   * The time limit, counted from the start of the call, that applies once the provider has started to
   * respond.
   */
  readonly heardMs?: number | undefined;
  /** Whether the provider counts as having started to respond when its response headers arrive. */
  readonly isHeardByHeaders?: boolean | undefined;
}

/**
 * Returns the usage of a billed response. If this function is set, an abandoned response is read to its
 * end.
 */
type SummaryOf<Result> = ((result: Result) => AnswerSummary | Promise<AnswerSummary>) | undefined;

/** Sends requests with time and size limits, and classifies failures. */
export interface Exchange {
  /** Returns the result of `read`. If `read` throws, the provider's response counts as invalid. */
  json<Result extends object>(
    request: UnsentRequest,
    limit: CallLimit,
    read: (answer: JsonAnswer) => Result | FailedAnswer,
    summaryOf?: SummaryOf<Result>,
  ): Promise<Result | FailedAnswer>;
  /** Passes a successful response of any type to `use`, which reads it in the same way as for `stream`. */
  open<Result extends object>(
    request: UnsentRequest,
    limit: CallLimit,
    use: (answer: UpstreamAnswer, heard: () => void) => Promise<Result | FailedAnswer>,
    summaryOf?: SummaryOf<Result>,
  ): Promise<Result | FailedAnswer>;
  /**
   * Reads a stream's body with `use`, which calls `heard` for the first event. The time limit applies until
   * the promise of `use` resolves.
   */
  stream<Result extends object>(
    request: UnsentRequest,
    limit: CallLimit,
    use: (body: UpstreamBody, heard: () => void) => Promise<Result | FailedAnswer>,
    summaryOf?: SummaryOf<Result>,
  ): Promise<Result | FailedAnswer>;
  /** Returns the response with another model name. */
  renamed(wire: Wire, answer: JsonAnswer, model: string): Uint8Array;
  /** Returns the failure for a response with an error status. */
  refused(answer: UpstreamAnswer): Promise<FailedAnswer>;
  /** Returns the failure for an error that the provider sent as an event. */
  errorEvent(body: unknown): FailedAnswer;
}

/** Maximum number of bytes read from an error body. Providers' error bodies are short. */
const MAX_ERROR_BYTES = 64 * 1024;

export function createExchange({ upstream, adapter, limits, clock, redact, keys }: ExchangeParts): Exchange {
  const refused = async ({ status, headers, body }: UpstreamAnswer): Promise<FailedAnswer> => {
    const text = await body.collect(MAX_ERROR_BYTES).catch(() => Buffer.alloc(0));
    const errorText = adapter.errorText(parsed(text) ?? text.toString('utf8'));
    const detail = describeAnswer(status, text, redact);
    return refusedAnswer({
      status,
      retryAfter: headers['retry-after'],
      errorText,
      detail,
      redact,
      now: clock.now(),
    });
  };

  /**
   * Sends a request and reads its response within the time limit. When the limit expires, a billed response
   * is still read to its end, although its client no longer waits for it.
   */
  const withOneKey = async <Result extends object>(
    request: UnsentRequest,
    { signal, timeoutMs, heardMs, isHeardByHeaders = false }: CallLimit,
    use: (answer: UpstreamAnswer, heard: () => void) => Promise<Result | FailedAnswer>,
    summaryOf?: SummaryOf<Result>,
  ): Promise<Result | FailedAnswer> => {
    const waiter = createWaiter();
    const { promise, resolve } = Promise.withResolvers<Result | FailedAnswer>();
    let timedOut = false;
    let hasBegun = false;
    const send = async (): Promise<Result | FailedAnswer> => {
      let body: UpstreamBody | undefined;
      try {
        const answer = await upstream.request({ ...request, waiter });
        ({ body } = answer);
        request.onHeaders?.(answer.headers);
        hasBegun = answer.status >= 200 && answer.status < 300;
        if (hasBegun && isHeardByHeaders) heard();
        return hasBegun ? await use(answer, heard) : await refused(answer);
      } catch (error) {
        body?.destroy();
        return {
          kind: 'failed',
          failure: thrownFailure(error, { isCancelled: signal.aborted, timedOut, redact }),
        };
      }
    };
    const giveUp = (): void => {
      forget();
      if (!summaryOf || !waiter.isSent()) return waiter.cancel();
      const parts = { answer, summaryOf, hasBegun: () => hasBegun, waiter, clock, signal };
      const abandoned = readAbandoned({ ...parts, drainMs: limits.drainMs });
      const detail = timedOut ? `no response within ${limitMs} ms` : undefined;
      resolve(failure(timedOut ? 'timeout' : 'cancelled', { abandoned, detail }));
    };
    const expire = (): void => {
      timedOut = true;
      giveUp();
    };
    let limitMs = timeoutMs;
    let disarm = clock.after(timeoutMs, expire);
    const startedAt = heardMs === undefined ? 0 : clock.now();
    let isOver = false;
    /**
     * A provider that has started to respond is working on the rest of the response, so it gets more time.
     */
    const heard = (): void => {
      if (isOver || heardMs === undefined || heardMs <= limitMs) return;
      limitMs = heardMs;
      disarm();
      disarm = clock.after(Math.max(0, startedAt + heardMs - clock.now()), expire);
    };
    const forget = (): void => {
      isOver = true;
      disarm();
      signal.removeEventListener('abort', giveUp);
    };
    if (signal.aborted) waiter.cancel();
    signal.addEventListener('abort', giveUp, { once: true });
    const answer = send();
    void answer.then(resolve);
    try {
      return await promise;
    } finally {
      forget();
    }
  };

  const within: Exchange['open'] = keys
    ? (request, limit, use, summaryOf) =>
        callWithKeys(keys, request.call ?? {}, clock, ({ headers, heard, elapsedMs }) =>
          withOneKey(
            { ...request, headers: { ...request.headers, ...headers }, onHeaders: heard },
            { ...limit, timeoutMs: Math.max(1, limit.timeoutMs - elapsedMs) },
            use,
            summaryOf,
          ),
        )
    : withOneKey;

  const unreadable = (what: string, status: number, bytes?: Uint8Array, cause?: unknown): FailedAnswer => {
    const answer = describeAnswer(status, bytes ?? new Uint8Array(), redact);
    return failure('provider_error', { cause, detail: `the response is ${what}: ${answer}`, isPaid: true });
  };

  return {
    json: (request, limit, read, summaryOf) =>
      within(
        request,
        limit,
        async ({ status, headers, body }) => {
          const bytes = await body.collect(limits.maxResponseBytes);
          const json = parsed(bytes);
          if (!isObject(json)) return unreadable('not a JSON object', status, bytes);
          try {
            return read({ bytes, json, headers });
          } catch (cause) {
            // A response in an unexpected format counts as a provider error, so that a fallback can be
            // called.
            return unreadable('not in the format of the API', status, bytes, cause);
          }
        },
        summaryOf,
      ),
    stream: (request, limit, use, summaryOf) =>
      within(
        request,
        limit,
        async ({ status, headers, body }, heard) => {
          if (String(headers['content-type'] ?? '').startsWith('text/event-stream'))
            return await use(body, heard);
          const begin = await body.next();
          body.destroy();
          return unreadable('not an event stream', status, begin);
        },
        summaryOf,
      ),
    open: within,
    refused,
    renamed: (wire, { bytes, json }, model) => renameInAnswer(CLIENT_WIRES[wire], bytes, json, model),
    errorEvent: (body) =>
      refusedAnswer({
        status: statusIn(body),
        retryAfter: undefined,
        errorText: adapter.errorText(body),
        detail: describeAnswer(200, Buffer.from(JSON.stringify(body) ?? ''), redact),
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

/** The HTTP status in an error event, which some providers include; otherwise 200. */
function statusIn(body: unknown): number {
  const { code, status }: Json = isObject(body) && isObject(body['error']) ? body['error'] : {};
  const found = [code, status].find((value) => typeof value === 'number' && value >= 400 && value < 600);
  return typeof found === 'number' ? found : 200;
}

interface AbandonedAnswerParts<Result extends object> {
  /** The parsed response, or its failure. Never rejects. */
  readonly answer: Promise<Result | FailedAnswer>;
  readonly summaryOf: (result: Result) => AnswerSummary | Promise<AnswerSummary>;
  /** Whether the provider has started a response with a successful status. */
  readonly hasBegun: () => boolean;
  readonly waiter: Waiter;
  readonly clock: Clock;
  readonly drainMs: number;
  readonly signal: AbortSignal;
}

/** Reads an abandoned response to its end, for at most `drainMs`, because the provider bills it anyway. */
function readAbandoned<Result extends object>({
  answer,
  summaryOf,
  hasBegun,
  waiter,
  clock,
  drainMs,
  signal,
}: AbandonedAnswerParts<Result>): AbandonedAnswer {
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
    waiter.cancel();
  };
  const disarm = clock.after(drainMs, stop);
  // If the reason is an AppError, the gateway is shutting down and has no time left to read the response.
  if (signal.reason instanceof AppError) stop();

  const read = async (): Promise<AbandonedRead> => {
    try {
      const result = await answer;
      if (!isFailed(result)) return { kind: 'answered', summary: await summaryOf(result) };
      const isRefused = result.failure.upstreamStatus !== undefined;
      const isUnanswered = !hasBegun() && !isStopped;
      return isRefused || isUnanswered ? { kind: 'failed' } : { kind: 'answered', summary: undefined };
    } finally {
      disarm();
    }
  };
  return { read: read(), stop };
}

/** Replaces the model name in a response. All other bytes stay the same. */
function renameInAnswer(wire: ClientWire, bytes: Uint8Array, json: Json, model: string): Uint8Array {
  const edits = wire.renames(json, model);
  return edits ? editMembers(bytes, edits) : bytes;
}

/** Replaces the model name in a stream event. All other bytes stay the same. */
export function renameInEvent(wire: ClientWire, frame: Buffer, model: string): Buffer {
  const { data } = readEvent(frame);
  if (data === undefined || !data.startsWith('{')) return frame;
  const edits = wire.renames(membersOf(parseJsonText(data)), model);
  const at = edits ? frame.indexOf(data) : -1;
  if (!edits || at === -1) return frame;
  const end = at + Buffer.byteLength(data);
  return Buffer.concat([
    frame.subarray(0, at),
    editMembers(frame.subarray(at, end), edits),
    frame.subarray(end),
  ]);
}

export const isFailed = (value: object): value is FailedAnswer => 'kind' in value && value.kind === 'failed';

/** Builds a provider request, or returns the failure if the request cannot be translated. */
export function requestOrFailure<Request extends object>(make: () => Request): Request | FailedAnswer {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const kind = error.code === 'NotImplementedError' ? 'unsupported' : 'bad_request';
    return failure(kind, { text: error.message, cause: error });
  }
}
