import type { Nanos } from '../../../core/money.ts';
import type { Attempt } from '../routing/api.ts';
import type { TokenUsage } from '../streams/api.ts';

/** What became of a request to a model. Told once for each, when its accounts are settled. */
export interface CompletionEvent {
  /** The path of the route. */
  readonly endpoint: string;
  readonly requestId: string;
  /** Of the client, as it came; spans of the request continue it. */
  readonly traceparent: string | undefined;
  /** `provider:model` of who answered or failed last; undefined if nobody was asked. */
  readonly model: string | undefined;
  readonly provider: string | undefined;
  readonly status: number;
  /** The stable word for what went wrong. */
  readonly reason: string | undefined;
  readonly usage: Pick<TokenUsage, 'promptTokens' | 'completionTokens' | 'cachedTokens'> | undefined;
  readonly cost: Nanos | undefined;
  readonly attempts: readonly Attempt[];
  readonly streamed: boolean;
  /** All by the clock of the gateway, in milliseconds. */
  readonly startedAt: number;
  readonly firstByteMs: number | undefined;
  readonly durationMs: number;
}

/** Numbers and spans of what models were asked. Never throws, and nobody waits for it. */
export interface Telemetry {
  completed(event: CompletionEvent): void;
  /** The credential of a request was refused; the reason of the error. */
  authFailed(reason: string): void;
  /** Sends what is still to be sent. */
  close(): Promise<void>;
}
