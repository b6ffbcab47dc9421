import type { AppError } from '../../../../contract/errors.ts';
import type { StreamGuard } from '../streams/stream.ts';
import type { Json } from '../shapes/chat.ts';

/** What an encoder of type sequence_classification is asked, and what of its answer is a reason to object. */
export interface GuardrailProfile {
  readonly name: string;
  /** Name of the encoder. */
  readonly encoder: string;
  /** The labels that texts must not have. */
  readonly labels: readonly string[];
  /** A text is flagged if its probability to have one of the labels is at least this. */
  readonly threshold: number;
  /**
   * Code units of text that are judged at once, 400 unless said otherwise, and by how much the next begin earlier. Encoders cut
   * longer texts without a word, and nothing may hide behind the cut: 400 are at most 512 tokens in nearly every script.
   */
  readonly windowLength?: number | undefined;
  readonly windowOverlap?: number | undefined;
  readonly timeoutMs?: number | undefined;
}

export type GuardrailPlace = 'input' | 'output';

export interface GuardrailRule {
  readonly profile: string;
  readonly mode: 'block' | 'monitor';
  /** When the encoder cannot be asked. */
  readonly onUnavailable: 'block' | 'monitor';
  readonly on: readonly GuardrailPlace[];
}

export interface GuardrailVerdict {
  readonly profile: string;
  readonly mode: GuardrailRule['mode'];
  readonly place: GuardrailPlace;
  readonly valid: boolean;
  /** The highest probability of all windows; undefined if the encoder could not be asked. */
  readonly score: number | undefined;
  readonly explanation: string;
}

export interface Checked {
  readonly verdicts: readonly GuardrailVerdict[];
  /** A ForbiddenError, or an UpstreamError where nobody could judge; undefined if everything may go on. */
  readonly blocked: AppError | undefined;
}

export interface Guardrails {
  /**
   * What the policy demands, with what a request asks for. A request can add and sharpen, never weaken. Throws an InputError
   * for a request that asks for what is not configured.
   */
  rules(requested: unknown): readonly GuardrailRule[];
  checkInput(rules: readonly GuardrailRule[], body: Json, signal: AbortSignal): Promise<Checked>;
  checkOutput(rules: readonly GuardrailRule[], text: string, signal: AbortSignal): Promise<Checked>;
  /**
   * For a stream; undefined if no rule is about output. Under a rule that blocks, text waits until a window of it is full or the
   * answer has ended, and goes out once that was judged; otherwise nothing waits, and all is judged at the end.
   */
  streamGuard(
    rules: readonly GuardrailRule[],
    signal: AbortSignal,
    onVerdicts: (verdicts: readonly GuardrailVerdict[]) => void,
  ): StreamGuard | undefined;
}
