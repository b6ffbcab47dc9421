import type { EncoderAddress } from '#serve/encoder/keep-encoder.ts';
import type { AppError } from '#contract/errors.ts';
import type { ModelType } from '#contract/model-types.ts';
import type { JsonMember, MemberEdits } from '../../shared/json-members.ts';
import type { FormFile } from '#serve/http/form.ts';
import type { AnswerSummary, EventDecoder, OpenedStream, TokenUsage } from '../streams/stream.ts';
import { MAX_EVENT_BYTES } from '#serve/event-stream/event-frames.ts';
import type { DecodedFrame } from '../streams/frames.ts';
import type { RequestPolicy } from '../shapes/policies.ts';
import type { Wire, ChatRequest, Json } from '../shapes/chat.ts';
import type { CloudSettings } from './cloud-settings.ts';
import type { KeyedCall, ProviderKeys } from './keys/key-state.ts';
import type { OpenedSocket, RealtimeCall, ProviderObjects, Relay, RelayRoute } from './other-calls.ts';

export type ProviderType = 'openai' | 'anthropic' | 'gemini' | 'encoder' | CloudSettings['kind'];

/** A provider as configured. */
export interface ProviderInstance {
  /** The part of a model string before the colon, in lower case. */
  readonly name: string;
  readonly type: ProviderType;
  /** The base URL for the paths of all routes. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Several keys, one of which is chosen for each call, instead of `apiKey`. */
  readonly keys?: readonly ProviderKey[] | undefined;
  /** Headers sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether the provider's address can be on this machine or in a private network. */
  readonly local: boolean;
  /** The provider's models, if the provider has no route that lists them. */
  readonly models?: readonly string[] | undefined;
  readonly limits?: Partial<ProviderLimits> | undefined;
  /** How the provider's version of OpenAI's API differs from others. */
  readonly dialect?: Partial<OpenAiDialect> | undefined;
  /** Its name in the price map; undefined if none of the map's prices apply. */
  readonly listedAs?: string | undefined;
  /** Azure, Amazon or Google settings. */
  readonly cloud?: CloudSettings | undefined;
  /** Secrets, in addition to the key and the headers, that messages must not contain. */
  readonly secrets?: readonly string[] | undefined;
}

/** One of several keys of a provider. */
export interface ProviderKey {
  /** The name by which the key is referred to. */
  readonly name: string;
  readonly apiKey: string;
  readonly weight: number;
}

/** An `.encoder` executable started by the gateway. */
export interface EncoderProgram {
  readonly name: string;
  readonly type: 'encoder';
  readonly path: string;
  readonly limits?: Partial<ProviderLimits> | undefined;
}

export interface ProviderLimits {
  readonly connectMs: number;
  /** Maximum time until a stream's first event with output. */
  readonly firstByteMs: number;
  /** Maximum time until the complete response, for requests that do not stream. */
  readonly answerMs: number;
  /** Maximum time between two stream events. */
  readonly idleMs: number;
  /** Maximum time from a stream's first event to its end. */
  readonly streamMs: number;
  /** Maximum time for reading an abandoned response to its end. */
  readonly drainMs: number;
  readonly maxResponseBytes: number;
  readonly maxEventBytes: number;
  /** Maximum number of concurrent connections; additional requests wait for a free one. Undefined means no limit. */
  readonly maxConnections: number | undefined;
}

export const PROVIDER_LIMITS: ProviderLimits = {
  connectMs: 10_000,
  firstByteMs: 60_000,
  answerMs: 600_000,
  idleMs: 120_000,
  streamMs: 3_600_000,
  drainMs: 120_000,
  maxResponseBytes: 64 * 1024 * 1024,
  maxEventBytes: MAX_EVENT_BYTES,
  maxConnections: undefined,
};

export interface OpenAiDialect {
  /** Name of the request member that limits output tokens. */
  readonly maxTokens: 'max_tokens' | 'max_completion_tokens';
  /**
   * Whether the API supports `stream_options.include_usage`, without which its streams do not report usage.
   */
  readonly streamUsage: boolean;
  readonly hasResponses: boolean;
}

export interface ProviderCall extends Pick<KeyedCall, 'session' | 'requiredKeys'> {
  readonly wire: Wire;
  /** The provider's name for the model. */
  readonly model: string;
  /** The model name to return in the response, if it differs from the provider's name for the model. */
  readonly showModel?: string | undefined;
  /** The unparsed request body; `body` is the same body, parsed. */
  readonly bytes: Uint8Array;
  /** The body's members, if they have already been listed. */
  readonly members?: readonly JsonMember[] | undefined;
  readonly body: Json;
  /** Client headers for a provider with the same API, for example `anthropic-beta`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Trace context headers, which are sent to every provider. */
  readonly trace?: Readonly<Record<string, string>> | undefined;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
  /** What to do with tools that cannot be translated to the provider's format. */
  readonly unsupportedTools?: RequestPolicy['unsupportedTools'] | undefined;
  /** Whether another target is tried if this one fails. */
  readonly hasFallback?: boolean | undefined;
  /** The payer, for whom call signatures are kept; undefined for clients without accounts. */
  readonly owner?: string | undefined;
  /** A limit that is used instead of the provider's `firstByteMs`. */
  readonly firstByteMs?: number | undefined;
  /** Whether the response is billed to a user. If so, it is read to its end even if it is abandoned. */
  readonly isBilled?: boolean | undefined;
}

export type EmbeddingsCall = Omit<ProviderCall, 'wire'>;

export interface RelayCall extends EmbeddingsCall {
  readonly route: RelayRoute;
  /** The files in a form request, whose fields are the members of the body. */
  readonly files?: readonly FormFile[] | undefined;
}

export interface ClassifyCall extends Pick<ProviderCall, 'trace' | 'signal' | 'isBilled'> {
  readonly texts: readonly string[];
}

/**
 * Why an attempt failed. The kind determines whether to retry the attempt and whether to call another
 * provider.
 */
export type FailureKind =
  | 'bad_request'
  | 'content_filtered'
  | 'model_not_found'
  | 'unsupported'
  | 'too_large'
  | 'credentials'
  | 'billing'
  | 'rate_limited'
  | 'overloaded'
  | 'timeout'
  | 'unreachable'
  | 'provider_error'
  | 'answer_too_large'
  | 'stream_incomplete'
  | 'cancelled';

export interface ProviderFailure {
  readonly kind: FailureKind;
  /** The error for the client. It never contains the gateway's secrets. */
  readonly error: AppError;
  /** The HTTP status of the provider's response, if there was one. */
  readonly upstreamStatus: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  /**
   * The provider's message without secrets, for administrators; it can contain details that clients are not
   * allowed to see.
   */
  readonly text: string | undefined;
  /**
   * Details for logs and administrators, without secrets: the thrown error, or the response's status and
   * the first bytes of its body.
   */
  readonly detail: string | undefined;
  /**
   * Whether the provider responded with a successful status and therefore bills the request, although the
   * response is invalid.
   */
  readonly isPaid: boolean;
  /** The abandoned response, if the provider can still respond and bill the request. */
  readonly abandoned: AbandonedAnswer | undefined;
  /** The name of the key that was used, at a provider that has several. */
  readonly providerKey?: string | undefined;
}

/**
 * A response that is no longer awaited, because the client disconnected or the time limit expired after the
 * request was sent. It is read to its end, because the provider bills it.
 */
export interface AbandonedAnswer {
  /** Resolves when the response has been read to its end or reading has been stopped. Never rejects. */
  readonly read: Promise<AbandonedRead>;
  /** Closes the connection; `read` then resolves with what has been read so far. */
  readonly stop: () => void;
}

export type AbandonedRead =
  /** Without a summary, the response could not be read, so its usage must be estimated. */
  | { readonly kind: 'answered'; readonly summary: AnswerSummary | undefined }
  /** The provider returned an error or could not be reached, so there is nothing to bill. */
  | { readonly kind: 'failed' };

/** Set on responses of a provider that has several keys. */
interface WithProviderKey {
  /** The name of the key that was used. */
  readonly providerKey?: string | undefined;
}

export interface WholeAnswer extends WithProviderKey {
  readonly kind: 'whole';
  readonly bytes: Uint8Array;
  /** Content type. Default: JSON. */
  readonly type?: string | undefined;
  /** The model's whole output as text, regardless of the format of the response. */
  readonly text: string;
  readonly summary: AnswerSummary;
  /** Types of the tools in the request that were not passed to the provider. */
  readonly droppedTools?: readonly string[] | undefined;
}

export interface StreamedAnswer extends WithProviderKey {
  readonly kind: 'stream';
  readonly stream: OpenedStream;
  /** Content type. Default: server-sent events. */
  readonly type?: string | undefined;
  readonly droppedTools?: readonly string[] | undefined;
}

export interface FailedAnswer {
  readonly kind: 'failed';
  readonly failure: ProviderFailure;
}

/** A classifier's result, with one item per text. */
export interface ClassifiedAnswer {
  readonly kind: 'classified';
  readonly scores: readonly LabelScores[];
  /** Number of input tokens, if reported by the classifier. */
  readonly tokens: number | undefined;
}

/** An entity that a model found in a text. `start` and `end` count UTF-16 code units. */
export interface FoundEntity {
  readonly label: string;
  readonly score: number;
  readonly start: number;
  readonly end: number;
}

/** Each text's entities. */
export interface EntitiesAnswer {
  readonly kind: 'entities';
  readonly entities: readonly (readonly FoundEntity[])[];
}

/** The number of tokens in a prompt. */
export interface CountedInput {
  readonly kind: 'counted';
  readonly tokens: number;
}

export type ChatAnswer = WholeAnswer | StreamedAnswer | FailedAnswer;

/** A response that is not a failure. */
export type SuccessfulAnswer = WholeAnswer | StreamedAnswer | ClassifiedAnswer;

/** A model as listed by `/v1/models`. */
export interface ModelEntry {
  readonly id: string;
  /** Creation time in seconds since 1970; 0 if the provider does not report it. */
  readonly created: number;
  readonly ownedBy: string;
  /** Set for an encoder that was available. */
  readonly modelType?: ModelType | undefined;
}

/** The probability of each label of a classifier. */
export type LabelScores = Readonly<Record<string, number>>;

type ModelNames = (model: string) => readonly [string, ...string[]];

/**
 * A configured provider. Its functions return failures instead of throwing them, so that the caller can try
 * another provider.
 */
export interface Provider {
  readonly name: string;
  readonly type: ProviderType;
  chat(call: ProviderCall): Promise<ChatAnswer>;
  embed(call: EmbeddingsCall): Promise<WholeAnswer | FailedAnswer>;
  /** Calls a route whose requests and responses pass through unchanged. */
  relay(call: RelayCall): Promise<ChatAnswer>;
  /** Requests the provider's own token count for a prompt, if the provider's API supports this. */
  countTokens?: ((call: ProviderCall) => Promise<CountedInput | FailedAnswer>) | undefined;
  models(signal: AbortSignal): Promise<readonly ModelEntry[] | ProviderFailure>;
  /** Files, batches and stored responses, if the provider's API supports them. */
  readonly objects?: ProviderObjects<FailedAnswer> | undefined;
  /** Opens a WebSocket to a model, if the provider's API supports it. */
  readonly realtime?: ((call: RealtimeCall) => Promise<OpenedSocket | FailedAnswer>) | undefined;
  /** All names of a model, the canonical name first; undefined if every model has only one name. */
  readonly modelNames?: ModelNames | undefined;
  /** Its name in the price map; undefined if none of the map's prices apply. */
  readonly listedAs?: string | undefined;
  /** Its keys, if it has several. */
  readonly keys?: ProviderKeys | undefined;
  /** Path of the executable that the gateway runs; only for encoders. */
  readonly program?: string | undefined;
  /** Where the started executable accepts requests, for other threads; undefined for other providers. */
  readonly encoderAddress?: (() => Promise<EncoderAddress>) | undefined;
  /** Whether requests in a client API pass through unchanged, with the provider's own tools. */
  readonly speaks?: ((wire: Wire) => boolean) | undefined;
  /** Only supported by encoders. */
  classify?(call: ClassifyCall): Promise<ClassifiedAnswer | FailedAnswer>;
  /** Finds entities. Only supported by encoders. */
  entities?(call: Pick<ClassifyCall, 'texts' | 'signal'>): Promise<EntitiesAnswer | FailedAnswer>;
  close(): Promise<void>;
}

/** One of a provider's APIs: its path and formats. */
export interface UpstreamWire {
  path(model: string, streams: boolean): string;
  /**
   * Translates events to the internal format without checking their members, just as `answer` does for
   * complete responses.
   */
  decoder(): EventDecoder<unknown>;
  answer(body: Json): unknown;
  /**
   * The changes to make to a client's request that is already in this format. Throws an AppError for
   * unsupported members.
   */
  edits(body: Json, model: string): MemberEdits;
  /** Matches events that contain nothing that the client asked for in this request. */
  hidden?(body: Json): ((frame: DecodedFrame) => boolean) | undefined;
  /**
   * Whether the provider stores the response to a request, so that clients can retrieve the response later.
   */
  stores?(body: Json): boolean;
}

/** The specifics of a provider type: pure translation without network access. */
export interface ProviderAdapter {
  readonly type: ProviderType;
  headers(apiKey: string | undefined): Record<string, string>;
  /** Client APIs that the provider supports natively. For these, bytes pass through unchanged. */
  readonly native: Readonly<Partial<Record<Wire, UpstreamWire>>>;
  /** Whether the provider's models sign calls and reject calls without a signature. */
  readonly signsCalls?: boolean | undefined;
  /** The translation used for all other client APIs. */
  readonly translated:
    | { readonly wire: UpstreamWire; request(chat: ChatRequest, model: string): Json }
    | undefined;
  readonly embeddings: EmbeddingsExchange | undefined;
  readonly relays?: Readonly<Partial<Record<RelayRoute, Relay>>> | undefined;
  readonly tokenCount?: TokenCount | undefined;
  /** Whether the provider supports OpenAI's APIs for files, batches and stored responses. */
  readonly hasObjects?: boolean | undefined;
  /** Path of the provider's WebSocket. */
  readonly realtimePath?: ((model: string) => string) | undefined;
  readonly models: { readonly path: string; list(body: Json): readonly ModelEntry[] };
  readonly modelNames?: ModelNames | undefined;
  /** Extracts the message and code from an error body. */
  errorText(body: unknown): ErrorText;
}

/** How a provider counts a prompt's tokens. */
export interface TokenCount {
  /** The client API whose token count requests the provider accepts unchanged, if any. */
  readonly wire: Wire | undefined;
  path(model: string): string;
  /** The changes to make to a token count request of that API. */
  edits(model: string): MemberEdits;
  /**
   * Converts a generation request to a token count request; undefined if only requests in its own API can be
   * counted.
   */
  readonly request: ((request: Json, model: string) => Json) | undefined;
  count(body: Json): unknown;
}

export interface EmbeddingsExchange {
  path(model: string): string;
  request(call: EmbeddingsCall): Uint8Array;
  /**
   * Translates the response to OpenAI's format. Undefined if it already has that format and is returned
   * unchanged.
   */
  readonly answer: ((body: Json, call: EmbeddingsCall) => Json) | undefined;
  usage(body: Json): TokenUsage | undefined;
}

export interface ErrorText {
  readonly message: string | undefined;
  /** The provider's own code or type. */
  readonly code: string | undefined;
}

/** The end of the year 9999 in seconds since 1970. Larger numbers are not valid times. */
const MAX_CREATED = 253_402_300_799;
// oxlint-disable-next-line no-control-regex -- Requests cannot name a model with control characters.
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

/**
 * The list entry for a model of a provider; empty if clients could not request the model. `created` is in
 * seconds since 1970.
 */
export function modelEntry(id: unknown, created: unknown, ownedBy: string): ModelEntry[] {
  if (typeof id !== 'string' || id === '' || id !== id.trim() || CONTROL_CHARACTERS.test(id)) return [];
  if (!id.isWellFormed()) return [];
  const isTime = typeof created === 'number' && created >= 0 && created <= MAX_CREATED;
  return [{ id, created: isTime ? Math.floor(created) : 0, ownedBy }];
}
