import type { AppError } from '#contract/errors.ts';
import type { StreamGuard, StreamMask } from '../../providers/streams/stream.ts';
import type { LinearPattern } from '#platform/linear-pattern.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { Placeholders } from './mask/placeholders.ts';

interface NamedProfile {
  readonly name: string;
  /** Timeout for a check. */
  readonly timeoutMs?: number | undefined;
}

interface EncoderProfile extends NamedProfile {
  /** Name of the encoder. */
  readonly encoder: string;
  /**
   * Length of the windows that a text is split into, in UTF-16 code units; default: 400. Encoders silently
   * truncate longer texts, and the truncated part would not be checked. 400 code units are at most 512 tokens
   * in nearly every script.
   */
  readonly windowLength?: number | undefined;
  /** By how many UTF-16 code units each window overlaps the previous one. */
  readonly windowOverlap?: number | undefined;
}

/** A check in which an encoder of type sequence_classification classifies texts. */
export interface ClassifierProfile extends EncoderProfile {
  readonly kind?: 'classifier' | undefined;
  /** Labels that are not allowed. */
  readonly labels: readonly string[];
  /** A text is flagged if the combined probability of the labels reaches this value. */
  readonly threshold: number;
}

/**
 * What to do if something is found in a text: block the text, or replace the findings with placeholders.
 */
type FoundAction = 'mask' | 'block';

/** Finds entities, e.g. names of persons, with an encoder of type token_classification. */
export interface EntityProfile extends EncoderProfile {
  readonly kind: 'entities';
  /** Entity types, e.g. `PER`. */
  readonly entities: readonly string[];
  /** Entities with a lower score are ignored. */
  readonly threshold: number;
  readonly action: FoundAction;
}

/** Finds matches of regular expressions. */
export interface PatternProfile extends NamedProfile {
  readonly kind: 'patterns';
  /** Regular expressions, keyed by the names used in placeholders and messages. */
  readonly patterns: ReadonlyMap<string, LinearPattern>;
  readonly action: FoundAction;
}

/** Checks that a response is JSON that matches a schema. */
export interface SchemaProfile extends NamedProfile {
  readonly kind: 'schema';
  readonly schema: object;
  /** How many times a model is called again after invalid responses. */
  readonly retries: number;
}

/** Sends texts to a server, which decides whether they are allowed. */
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
  /** What to do if the check is unavailable, e.g. because its encoder or server is down. */
  readonly onUnavailable: 'block' | 'monitor';
  readonly on: readonly GuardrailPlace[];
  /** Whether values masked in the request are restored in the response; default: true. */
  readonly isRestored?: boolean | undefined;
}

export interface GuardrailVerdict {
  readonly profile: string;
  readonly mode: GuardrailRule['mode'];
  readonly place: GuardrailPlace;
  readonly valid: boolean;
  /** The highest score that the check found; undefined if the check was unavailable. */
  readonly score: number | undefined;
  readonly explanation: string;
  /** Number of masked values of each kind; undefined if none were masked. */
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
  /** How many times the model can be called again. 0 unless the response's format is the only problem. */
  readonly retries: number;
}

/** The information about a request that checks receive. */
export interface CheckedRequest {
  readonly requestId: string;
  readonly signal: AbortSignal;
}

/** A complete model response. */
interface WrittenAnswer {
  readonly bytes: Uint8Array;
  /** Content type. Default: JSON. */
  readonly type?: string | undefined;
  /** The whole output as text. */
  readonly text: string;
}

export interface OutputMasking {
  readonly request: CheckedRequest;
  /** The request as sent to the model. Placeholders that occur in it must not be used for other values. */
  readonly body: Json;
  /** The request's placeholders, if anything was masked in it. */
  readonly placeholders: Placeholders | undefined;
}

export interface Guardrails {
  /**
   * Combines the policy's rules with those in a request. A request can add rules and make the policy's
   * rules stricter, but never weaken them. Throws an InputError if a request specifies an unknown
   * guardrail.
   */
  rules(requested: unknown): readonly GuardrailRule[];
  /** The rules for a request that specifies none. */
  readonly always: readonly GuardrailRule[];
  /** Names of the profiles that replace findings with placeholders. */
  masking(): readonly string[];
  /** A digest of the policy and its profiles, which changes whenever they change. */
  readonly digest: string;
  /**
   * Whether realtime sessions can be opened, although their content cannot be checked: there is no policy,
   * or the configuration allows them.
   */
  readonly admitsSessions: boolean;
  checkInput(rules: readonly GuardrailRule[], body: Json, request: CheckedRequest): Promise<CheckedInput>;
  /** Masks a complete response; undefined if no rule masks output. */
  maskOutput(
    rules: readonly GuardrailRule[],
    answer: WrittenAnswer,
    masked: OutputMasking,
  ): Promise<MaskedOutput> | undefined;
  /** A mask for stream events; undefined if no rule masks output. */
  streamMask(
    rules: readonly GuardrailRule[],
    masked: OutputMasking,
    onVerdicts: (verdicts: readonly GuardrailVerdict[]) => void,
  ): StreamMask | undefined;
  /** Checks model output with all rules that do not mask it. */
  checkOutput(rules: readonly GuardrailRule[], text: string, request: CheckedRequest): Promise<CheckedOutput>;
  /**
   * A guard for a stream; undefined if no rule checks output. With a blocking rule, text is held back until
   * a window is full or the response has ended, and is sent after the check. Without one, nothing is held
   * back, and the whole text is checked at the end.
   */
  streamGuard(
    rules: readonly GuardrailRule[],
    request: CheckedRequest,
    onVerdicts: (verdicts: readonly GuardrailVerdict[]) => void,
  ): StreamGuard | undefined;
  /** Closes the webhook connections. */
  close(): Promise<void>;
}
