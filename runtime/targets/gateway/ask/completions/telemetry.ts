import type { Nanos } from '../../shared/money.ts';
import type { HeaderReader } from '../../accounts/identity/identity.ts';
import type { Attempt } from '../routing/routing.ts';
import type { CountedTokens } from '../streams/stream.ts';

/** What became of a request to a model. Told once for each, when its accounts are settled. */
export interface CompletionEvent {
  /** The path of the route. */
  readonly endpoint: string;
  readonly requestId: string;
  /** What `trace` gave for the request. */
  readonly trace: RequestTrace | undefined;
  /** `provider:model` of who answered or failed last; undefined if nobody was asked. */
  readonly model: string | undefined;
  readonly provider: string | undefined;
  readonly status: number;
  /** The stable word for what went wrong. */
  readonly reason: string | undefined;
  readonly usage: CountedTokens | undefined;
  readonly cost: Nanos | undefined;
  /** A model without a price answered a request under a budget. */
  readonly unpriced: boolean;
  readonly attempts: readonly Attempt[];
  readonly streamed: boolean;
  /** All by the clock of the gateway, in milliseconds. */
  readonly startedAt: number;
  readonly firstByteMs: number | undefined;
  readonly durationMs: number;
}

/** An answer that was read on, or given up, after its client or its time was gone. */
export interface AbandonedEvent {
  /** `provider:model`. */
  readonly model: string;
  /** Its usage was read, or had to be estimated; `failed` if there was nothing to bill. */
  readonly outcome: 'read' | 'estimated' | 'failed';
  /** Undefined where the event of the request has it. */
  readonly usage: CountedTokens | undefined;
  readonly cost: Nanos | undefined;
  readonly unpriced: boolean;
}

/** Where a request stands among the spans of others. @see https://www.w3.org/TR/trace-context/ */
export interface RequestTrace {
  readonly traceId: string;
  /** Of the request itself. */
  readonly spanId: string;
  /** Of the client's span, if it told one. */
  readonly parentId: string | undefined;
  /** Whether anybody is to see it; who is asked on behalf of the request decides alike. */
  readonly sampled: boolean;
  /** For whoever is asked on its behalf: `traceparent`, and `tracestate` as it came. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Numbers and spans of what models were asked. Never throws, and nobody waits for it. */
export interface Telemetry {
  /** When a request comes in, with its headers; undefined where no spans are sent. */
  trace(headers: HeaderReader): RequestTrace | undefined;
  completed(event: CompletionEvent): void;
  abandoned(event: AbandonedEvent): void;
  /** The credential of a request was refused; the reason of the error. */
  authFailed(reason: string): void;
  /** Sends what is still to be sent, as far as that takes seconds only. */
  close(): Promise<void>;
}
