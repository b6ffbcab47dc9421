import type { AppError } from '../../../../contract/errors.ts';
import type { StreamGuard } from '../streams/stream.ts';
import type { Json } from '../shapes/chat.ts';

/** A check of text by an encoder of type sequence_classification. */
export interface GuardrailProfile {
  readonly name: string;
  /** Name of the encoder. */
  readonly encoder: string;
  /** Labels that are not allowed. */
  readonly labels: readonly string[];
  /** A text is flagged if the probability of the labels together is at least this. */
  readonly threshold: number;
  /**
   * Length of the windows that a text is split into, in UTF-16 code units; default: 400. Encoders silently truncate longer texts,
   * and a truncated part would not be checked. 400 code units are at most 512 tokens in nearly every script.
   */
  readonly windowLength?: number | undefined;
  /** How much a window overlaps the one before, in UTF-16 code units. */
  readonly windowOverlap?: number | undefined;
  readonly timeoutMs?: number | undefined;
}

export type GuardrailPlace = 'input' | 'output';

export interface GuardrailRule {
  readonly profile: string;
  readonly mode: 'block' | 'monitor';
  /** What to do if the encoder is unavailable. */
  readonly onUnavailable: 'block' | 'monitor';
  readonly on: readonly GuardrailPlace[];
}

export interface GuardrailVerdict {
  readonly profile: string;
  readonly mode: GuardrailRule['mode'];
  readonly place: GuardrailPlace;
  readonly valid: boolean;
  /** The highest probability of all windows; undefined if the encoder was unavailable. */
  readonly score: number | undefined;
  readonly explanation: string;
}

export interface Checked {
  readonly verdicts: readonly GuardrailVerdict[];
  /** A ForbiddenError, or an UpstreamError if the encoder was unavailable; undefined if nothing is blocked. */
  readonly blocked: AppError | undefined;
}

export interface Guardrails {
  /**
   * Combines the rules of the policy with those of a request, which can add rules and make them stricter, but never weaken them.
   * Throws an InputError if a request names an unknown guardrail.
   */
  rules(requested: unknown): readonly GuardrailRule[];
  checkInput(rules: readonly GuardrailRule[], body: Json, signal: AbortSignal): Promise<Checked>;
  checkOutput(rules: readonly GuardrailRule[], text: string, signal: AbortSignal): Promise<Checked>;
  /**
   * A guard for a stream; undefined if no rule is for output. With a blocking rule, text is held back until a window is full or the
   * answer has ended, and is sent after the check. Otherwise nothing is held back, and the whole text is checked at the end.
   */
  streamGuard(
    rules: readonly GuardrailRule[],
    signal: AbortSignal,
    onVerdicts: (verdicts: readonly GuardrailVerdict[]) => void,
  ): StreamGuard | undefined;
}
