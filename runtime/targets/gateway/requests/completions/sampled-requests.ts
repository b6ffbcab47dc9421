import type { Spender } from '../../accounts/identity/identity.ts';
import type { AnswerSummary, ForwardedStream } from '../../providers/streams/stream.ts';
import type { ModelSet } from '../models/model-set.ts';
import type { Screened } from '../policy/policy.ts';
import type { ShadowSettings } from '../routing/shadow-settings.ts';
import type { AbSettings } from '../routing/ab-settings.ts';
import type { AbTest, Variant } from '../routing/ab-tests.ts';
import type { CompletionRequest } from './completion.ts';
import type { RequestObserver } from './settle-request.ts';

/** A request to an alias with a shadow evaluation, or in an A/B test with a judge. Guardrails have checked and masked it. */
export interface SampledRequest {
  readonly request: CompletionRequest;
  readonly alias: string;
  readonly settings: ShadowSettings | AbSettings;
  /** Set in an A/B test. */
  readonly variant?: VariantRequest | undefined;
  readonly spender: Spender;
  readonly screened: Screened;
  /** IDs in the body that refer to objects stored by a provider. */
  readonly references: ReadonlySet<string>;
  readonly set: ModelSet;
  /** A response's cost; null without a price. */
  readonly costOf: (key: string, summary: AnswerSummary) => bigint | null;
}

/** The model that responded, and what it reported. */
export interface TappedAnswer {
  readonly key: string;
  readonly summary: AnswerSummary;
}

/** Receives the response to a sampled request. Its functions never throw, and never wait. */
export interface ResponseTap {
  /** Called with a response that was sent, before masked values are restored. */
  whole(bytes: Uint8Array, answered: TappedAnswer): void;
  /** Copies a stream once it has been read to its end, if `answered` then returns what is known about it. */
  stream(
    events: ForwardedStream,
    firstByteMs: number,
    answered: () => TappedAnswer | undefined,
  ): ForwardedStream;
}

/** A request in an A/B test. */
export interface VariantRequest {
  readonly request: Pick<CompletionRequest, 'requestId' | 'startedAt'>;
  readonly test: AbTest;
  readonly variant: Variant;
  /** Hash of the user, or the other unit that always gets the same variant. */
  readonly unit: string;
  readonly spender: Pick<Spender, 'user' | 'key'>;
  /** The candidate's canonical name. */
  readonly candidate: string;
}

/** Selects requests whose responses are compared with those of another model, or judged. */
export interface RequestSampler {
  /** Returns undefined for a request that is not compared. Never throws. */
  take(sampled: SampledRequest): ResponseTap | undefined;
  /** Returns a function that records the result of a request in an A/B test. */
  observe(request: VariantRequest): RequestObserver;
  /** Counts a request to an alias with an A/B test that does not belong to the test. Never throws. */
  exclude(test: AbTest, reason: string): void;
}
