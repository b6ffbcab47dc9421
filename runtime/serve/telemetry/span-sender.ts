import { membersOf } from '#core/json/members-of.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { retryDelay, type RetryPolicy } from '#core/limits/retry-delay.ts';
import type { Clock } from '#platform/clock.ts';
import { pause } from '#platform/wait-for.ts';
import { type OtlpSource, type OtlpSpan, traceRequest } from './otlp.ts';
import type { TracingSettings } from './tracing-settings.ts';
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

interface SentSpans {
  readonly accepted: number;
  /** The reason why spans were not accepted. */
  readonly problem: Error | undefined;
}

interface SendLimits {
  /**
   * Aborted when the program shuts down. Instead of further retries, one last attempt is then made
   * immediately.
   */
  readonly closing: AbortSignal;
  /** Aborted when the time for the last attempt has expired. */
  readonly giveUp: AbortSignal;
}

export interface SpanSender {
  /** Sends spans. Never rejects. */
  readonly send: (spans: readonly OtlpSpan[], until: SendLimits) => Promise<SentSpans>;
  readonly close: () => void;
}

const POLICY: RetryPolicy = { retries: 4, baseDelay: 1000, maxDelay: 16_000, maxPause: 60_000 };
/** @see https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

type Outcome =
  | { readonly kind: 'accepted'; readonly rejected: number; readonly message: string }
  | { readonly kind: 'failed'; readonly problem: Error; readonly retry: boolean; readonly pauseMs?: number };

/** Sends spans to a collector with OTLP over HTTP, as JSON. */
export function createSpanSender(
  { endpoint, headers }: Pick<TracingSettings, 'endpoint' | 'headers'>,
  source: OtlpSource,
  clock: Clock,
): SpanSender {
  const client = createCollectorClient(endpoint, headers);

  const post = async (body: string, signal: AbortSignal): Promise<Outcome> => {
    try {
      const { status, retryAfter, text } = await client.post(body, signal);
      if (status >= 200 && status < 300) return { kind: 'accepted', ...partialSuccess(text) };
      const problem = new Error(`The OTLP collector returned status ${status}.`);
      const seconds = Number(retryAfter);
      return {
        kind: 'failed',
        problem,
        retry: RETRYABLE.has(status),
        ...(seconds > 0 ? { pauseMs: seconds * 1000 } : {}),
      };
    } catch (error) {
      const problem = new Error('Cannot reach the OTLP collector.', { cause: error });
      return { kind: 'failed', problem, retry: true };
    }
  };

  return {
    send: async (spans, { closing, giveUp }) => {
      const awake = AbortSignal.any([closing, giveUp]);
      let body: string;
      try {
        body = traceRequest(source, spans);
      } catch (error) {
        return { accepted: 0, problem: new Error('Cannot encode spans.', { cause: error }) };
      }
      for (let tries = 0; ; tries += 1) {
        const isLast = closing.aborted;
        const outcome = await post(body, giveUp);
        if (outcome.kind === 'accepted') {
          const { rejected, message } = outcome;
          const problem =
            rejected > 0 ? new Error(`The OTLP collector rejected spans: ${message}`) : undefined;
          return { accepted: Math.max(0, spans.length - rejected), problem };
        }
        const { problem, retry, pauseMs } = outcome;
        const canRetry = retry && !isLast && !giveUp.aborted;
        const delay = canRetry ? retryDelay(tries, pauseMs, Math.random, POLICY) : undefined;
        if (delay === undefined) return { accepted: 0, problem };
        await pause(delay, clock, awake);
      }
    },
    close: client.close,
  };
}

/** Reads how many spans a collector rejected although its status is a success. */
function partialSuccess(text: string): { readonly rejected: number; readonly message: string } {
  try {
    const { partialSuccess: partial } = membersOf(parseJsonText(text));
    const { rejectedSpans: rejected, errorMessage: message } = membersOf(partial);
    return { rejected: Number(rejected ?? 0) || 0, message: typeof message === 'string' ? message : '' };
  } catch {
    // An empty response means that all spans are accepted.
    return { rejected: 0, message: '' };
  }
}

interface CollectorAnswer {
  readonly status: number;
  /** The `Retry-After` header, or an empty string. */
  readonly retryAfter: string;
  readonly text: string;
}

/** Sends JSON to a collector over one kept-alive connection. */
interface CollectorClient {
  /** Sends a request. Rejects if there is no complete response. */
  readonly post: (body: string, signal: AbortSignal) => Promise<CollectorAnswer>;
  readonly close: () => void;
}

const ANSWER_TIMEOUT_MS = 10_000;
const MAX_ANSWER_CHARACTERS = 64 * 1024;

/**
 * Uses Node's own HTTP client, because model executables do not include undici, which would double
 * the size of their program code.
 */
function createCollectorClient(endpoint: string, headers: Readonly<Record<string, string>>): CollectorClient {
  const url = new URL(endpoint);
  const isSecure = url.protocol === 'https:';
  const agent = new (isSecure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: 1 });
  const request = isSecure ? requestHttps : requestHttp;
  return {
    post: (body, signal) =>
      new Promise((resolve, reject) => {
        const timeout = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
        const outgoing = request(
          url,
          {
            method: 'POST',
            agent,
            signal: AbortSignal.any([signal, timeout]),
            headers: {
              'content-type': 'application/json',
              'content-length': Buffer.byteLength(body),
              ...headers,
            },
          },
          (incoming) => void readAnswer(incoming).then(resolve, reject),
        );
        outgoing.on('error', reject);
        outgoing.end(body);
      }),
    close: () => agent.destroy(),
  };
}

async function readAnswer(incoming: IncomingMessage): Promise<CollectorAnswer> {
  let text = '';
  incoming.setEncoding('utf8');
  for await (const piece of incoming) {
    text += String(piece);
    if (text.length > MAX_ANSWER_CHARACTERS)
      throw new Error('The response of the OTLP collector is too large.');
  }
  return { status: incoming.statusCode ?? 0, retryAfter: incoming.headers['retry-after'] ?? '', text };
}
