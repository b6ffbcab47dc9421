import type { AppError } from '#contract/errors.ts';
import type { StreamGuard, StreamMask } from '../../providers/streams/stream.ts';
import type { LinearPattern } from '#platform/linear-pattern.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { Placeholders } from './mask/placeholders.ts';

interface NamedProfile {
  readonly name: string;
  /** Time limit of a check. */
  readonly timeoutMs?: number | undefined;
}

interface EncoderProfile extends NamedProfile {
  /** Name of the encoder. */
  readonly encoder: string;
  /**
   * Length of the windows that a text is split into, in UTF-16 code units; default: 400. Encoders silently truncate longer texts,
   * and a truncated part would not be checked. 400 code units are at most 512 tokens in nearly every script.
   */
  readonly windowLength?: number | undefined;
  /** How much a window overlaps the one before, in UTF-16 code units. */
  readonly windowOverlap?: number | undefined;
}

/** A check of text by an encoder of type sequence_classification. */
export interface ClassifierProfile extends EncoderProfile {
  readonly kind?: 'classifier' | undefined;
  /** Labels that are not allowed. */
  readonly labels: readonly string[];
  /** A text is flagged if the probability of the labels together is at least this. */
  readonly threshold: number;
}

/** What happens to what was found in a text: the text is blocked, or a placeholder replaces it. */
type FoundAction = 'mask' | 'block';

/** Finds entities, e.g. names of persons, with an encoder of type token_classification. */
export interface EntityProfile extends EncoderProfile {
  readonly kind: 'entities';
  /** Types of entities, e.g. `PER`. */
  readonly entities: readonly string[];
  /** Entities with a lower score are ignored. */
  readonly threshold: number;
  readonly action: FoundAction;
}

/** Finds what patterns match. */
export interface PatternProfile extends NamedProfile {
  readonly kind: 'patterns';
  /** Patterns by the name that is used in placeholders and messages. */
  readonly patterns: ReadonlyMap<string, LinearPattern>;
  readonly action: FoundAction;
}

/** Checks that an answer is JSON with a schema. */
export interface SchemaProfile extends NamedProfile {
  readonly kind: 'schema';
  readonly schema: object;
  /** How often a model is called again after an invalid answer. */
  readonly retries: number;
}

/** Sends texts to a server that decides. */
export interface WebhookProfile extends NamedProfile {
  readonly kind: 'webhook';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type GuardrailProfile =
  | ClassifierProfile
  | EntityProfile
  | PatternProfile
  | SchemaProfile
  | WebhookProfile;

export type GuardrailPlace = 'input' | 'output';

export interface GuardrailRule {
  readonly profile: string;
  readonly mode: 'block' | 'monitor';
  /** What to do if the check is unavailable, e.g. its encoder or its server. */
  readonly onUnavailable: 'block' | 'monitor';
  readonly on: readonly GuardrailPlace[];
  /** Whether the answer gets back what was masked in the request; default: true. */
  readonly isRestored?: boolean | undefined;
}

export interface GuardrailVerdict {
  readonly profile: string;
  readonly mode: GuardrailRule['mode'];
  readonly place: GuardrailPlace;
  readonly valid: boolean;
  /** The highest score of what was found; undefined if the check was unavailable. */
  readonly score: number | undefined;
  readonly explanation: string;
  /** How many values of each kind were masked; undefined if none were. */
  readonly masked?: Readonly<Record<string, number>> | undefined;
}

export interface Checked {
  readonly verdicts: readonly GuardrailVerdict[];
  /** A ForbiddenError, or an UpstreamError if a check was unavailable; undefined if nothing is blocked. */
  readonly blocked: AppError | undefined;
}

export interface CheckedInput extends Checked {
  /** The body with placeholders; undefined if nothing was masked. */
  readonly masked?: { readonly body: Json; readonly placeholders: Placeholders } | undefined;
}

interface MaskedOutput extends Checked {
  readonly bytes: Uint8Array;
  /** The whole output as text. */
  readonly text: string;
}

interface CheckedOutput extends Checked {
  /** How often a model can be called again, because only the form of the answer is wrong. */
  readonly retries: number;
}

/** What checks know of a request. */
export interface CheckedRequest {
  readonly requestId: string;
  readonly signal: AbortSignal;
}

/** A whole answer of a model. */
interface WrittenAnswer {
  readonly bytes: Uint8Array;
  /** Content type. Default: JSON. */
  readonly type?: string | undefined;
  /** The whole output as text. */
  readonly text: string;
}

export interface OutputMasking {
  readonly request: CheckedRequest;
  /** The request as it was sent, in which placeholders are taken. */
  readonly body: Json;
  /** Those of the request, if anything was masked in it. */
  readonly placeholders: Placeholders | undefined;
}

export interface Guardrails {
  /**
   * Combines the rules of the policy with those of a request, which can add rules and make them stricter, but never weaken them.
   * Throws an InputError if a request names an unknown guardrail.
   */
  rules(requested: unknown): readonly GuardrailRule[];
  /** The rules of a request that names none. */
  readonly always: readonly GuardrailRule[];
  /** Identifies the policy and its profiles: another one after a change of either. */
  readonly digest: string;
  /** Whether sessions can be opened, in which nothing can be checked: there is no policy, or the configuration allows them. */
  readonly admitsSessions: boolean;
  checkInput(rules: readonly GuardrailRule[], body: Json, request: CheckedRequest): Promise<CheckedInput>;
  /** Masks a whole answer; undefined if no rule masks output. */
  maskOutput(
    rules: readonly GuardrailRule[],
    answer: WrittenAnswer,
    masked: OutputMasking,
  ): Promise<MaskedOutput> | undefined;
  /** A mask for the events of a stream; undefined if no rule masks output. */
  streamMask(
    rules: readonly GuardrailRule[],
    masked: OutputMasking,
    onVerdicts: (verdicts: readonly GuardrailVerdict[]) => void,
  ): StreamMask | undefined;
  /** Checks the output of a model by the rules that do not mask it. */
  checkOutput(rules: readonly GuardrailRule[], text: string, request: CheckedRequest): Promise<CheckedOutput>;
  /**
   * A guard for a stream; undefined if no rule checks output. With a blocking rule, text is held back until a window is full or the
   * answer has ended, and is sent after the check. Otherwise nothing is held back, and the whole text is checked at the end.
   */
  streamGuard(
    rules: readonly GuardrailRule[],
    request: CheckedRequest,
    onVerdicts: (verdicts: readonly GuardrailVerdict[]) => void,
  ): StreamGuard | undefined;
  /** Ends the connections of webhooks. */
  close(): Promise<void>;
}
