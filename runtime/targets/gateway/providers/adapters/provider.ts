import type { AppError } from '#contract/errors.ts';
import type { ModelType } from '#contract/model-types.ts';
import type { JsonMember, MemberEdits } from '../../shared/json-members.ts';
import type { FormFile } from '../../shared/form.ts';
import type { AnswerSummary, EventDecoder, OpenedStream, TokenUsage } from '../streams/stream.ts';
import { MAX_EVENT_BYTES } from '#serve/event-stream/event-frames.ts';
import type { DecodedFrame } from '../streams/frames.ts';
import type { RequestPolicy } from '../shapes/policies.ts';
import type { Wire, ChatRequest, Json } from '../shapes/chat.ts';
import type { CloudSettings } from './cloud-settings.ts';
import type { OpenedSocket, RealtimeCall, ProviderObjects, Relay, RelayRoute } from './other-calls.ts';

export type ProviderType = 'openai' | 'anthropic' | 'gemini' | 'encoder' | CloudSettings['kind'];

/** A provider as configured. */
export interface ProviderInstance {
  /** The part of a model string before the colon, in lower case. */
  readonly name: string;
  readonly type: ProviderType;
  /** URL that the paths of all its routes are appended to. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Headers that are sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether its address is allowed to be on this machine or in a private network. */
  readonly local: boolean;
  /** Its models, for a provider without a route that lists them. */
  readonly models?: readonly string[] | undefined;
  readonly limits?: Partial<ProviderLimits> | undefined;
  /** How its version of OpenAI's API differs from others. */
  readonly dialect?: Partial<OpenAiDialect> | undefined;
  /** Its name in the price map; undefined if none of its prices apply. */
  readonly listedAs?: string | undefined;
  /** Settings of Azure, Amazon or Google. */
  readonly cloud?: CloudSettings | undefined;
  /** Secrets besides the key and the headers, which messages must not contain. */
  readonly secrets?: readonly string[] | undefined;
}

/** An `.encoder` executable that the gateway starts. */
export interface EncoderProgram {
  readonly name: string;
  readonly type: 'encoder';
  readonly path: string;
  readonly limits?: Partial<ProviderLimits> | undefined;
}

export interface ProviderLimits {
  readonly connectMs: number;
  /** Maximum time to the first event of a stream that contains output. */
  readonly firstByteMs: number;
  /** Maximum time to the whole answer, for requests that do not stream. */
  readonly answerMs: number;
  /** Maximum time between two events of a stream. */
  readonly idleMs: number;
  /** Maximum time from the first event of a stream to its end. */
  readonly streamMs: number;
  /** Maximum time to read an abandoned answer to its end. */
  readonly drainMs: number;
  readonly maxResponseBytes: number;
  readonly maxEventBytes: number;
  /** Maximum concurrent connections; further requests wait for a free one. Undefined means no limit. */
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
  /** Name of the request member that limits the tokens of an answer. */
  readonly maxTokens: 'max_tokens' | 'max_completion_tokens';
  /** Whether it supports `stream_options.include_usage`, without which its streams do not report usage. */
  readonly streamUsage: boolean;
  readonly hasResponses: boolean;
}

export interface ProviderCall {
  readonly wire: Wire;
  /** The provider's name of the model. */
  readonly model: string;
  /** The name of the model in the answer, if it differs from the provider's. */
  readonly showModel?: string | undefined;
  /** The body of the request, unparsed; `body` is the same parsed. */
  readonly bytes: Uint8Array;
  /** Members of the body, if they have been listed before. */
  readonly members?: readonly JsonMember[] | undefined;
  readonly body: Json;
  /** Headers of the client for a provider with the same API, for example `anthropic-beta`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Trace context headers, for every provider. */
  readonly trace?: Readonly<Record<string, string>> | undefined;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
  /** What happens to tools that cannot be translated for the provider. */
  readonly unsupportedTools?: RequestPolicy['unsupportedTools'] | undefined;
  /** Whether another target follows if this one fails. */
  readonly hasFallback?: boolean | undefined;
  /** The payer, whose signatures of calls are kept; clients without accounts have none. */
  readonly owner?: string | undefined;
  /** Replaces the provider's own `firstByteMs`. */
  readonly firstByteMs?: number | undefined;
  /** Whether the answer is billed to a user: then it is read to its end even if it is abandoned. */
  readonly isBilled?: boolean | undefined;
}

export type EmbeddingsCall = Omit<ProviderCall, 'wire'>;

export interface RelayCall extends EmbeddingsCall {
  readonly route: RelayRoute;
  /** Files of a request that is a form. Its fields are the members of the body. */
  readonly files?: readonly FormFile[] | undefined;
}

export interface ClassifyCall extends Pick<ProviderCall, 'trace' | 'signal' | 'isBilled'> {
  readonly texts: readonly string[];
}

/** Why an attempt failed. It decides whether the attempt is retried and whether another provider is called. */
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
  /** The error for the client. It never contains a secret of the gateway. */
  readonly error: AppError;
  /** The provider's own status, if it answered. */
  readonly upstreamStatus: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The provider's message without secrets, for administrators: clients are not allowed to see all of it. */
  readonly text: string | undefined;
  /** Details for logs and administrators, without secrets: the thrown error, or the status and the first bytes of the body. */
  readonly detail: string | undefined;
  /** Whether the provider answered with a successful status, and therefore bills the request, although the answer is invalid. */
  readonly isPaid: boolean;
  /** Set if the provider can still answer and bill the request. */
  readonly abandoned: AbandonedAnswer | undefined;
}

/**
 * An answer whose client disconnected or whose time limit passed after the request was sent. It is read to its end, as the
 * provider bills it.
 */
export interface AbandonedAnswer {
  /** Resolves when the answer was read to its end or reading was stopped. Never rejects. */
  readonly read: Promise<AbandonedRead>;
  /** Ends the connection; `read` resolves with what was read so far. */
  readonly stop: () => void;
}

export type AbandonedRead =
  /** Without a summary it could not be read, and its usage must be estimated. */
  | { readonly kind: 'answered'; readonly summary: AnswerSummary | undefined }
  /** The provider returned an error or could not be reached: there is nothing to bill. */
  | { readonly kind: 'failed' };

export interface WholeAnswer {
  readonly kind: 'whole';
  readonly bytes: Uint8Array;
  /** Content type. Default: JSON. */
  readonly type?: string | undefined;
  /** The whole output of the model as text, in any format of the answer. */
  readonly text: string;
  readonly summary: AnswerSummary;
  /** Types of tools that the request had and the provider did not get. */
  readonly droppedTools?: readonly string[] | undefined;
}

export interface StreamedAnswer {
  readonly kind: 'stream';
  readonly stream: OpenedStream;
  /** Content type. Default: events. */
  readonly type?: string | undefined;
  readonly droppedTools?: readonly string[] | undefined;
}

export interface FailedAnswer {
  readonly kind: 'failed';
  readonly failure: ProviderFailure;
}

/** The result of a classifier, one item per text. */
export interface ClassifiedAnswer {
  readonly kind: 'classified';
  readonly scores: readonly LabelScores[];
  /** Number of input tokens, if the classifier reported it. */
  readonly tokens: number | undefined;
}

/** An entity that a model found in a text. `start` and `end` count UTF-16 code units. */
export interface FoundEntity {
  readonly label: string;
  readonly score: number;
  readonly start: number;
  readonly end: number;
}

/** The entities of each text. */
export interface EntitiesAnswer {
  readonly kind: 'entities';
  readonly entities: readonly (readonly FoundEntity[])[];
}

/** The number of tokens of a prompt. */
export interface CountedInput {
  readonly kind: 'counted';
  readonly tokens: number;
}

export type ChatAnswer = WholeAnswer | StreamedAnswer | FailedAnswer;

/** An answer that is not a failure. */
export type SuccessfulAnswer = WholeAnswer | StreamedAnswer | ClassifiedAnswer;

/** A model as `/v1/models` lists it. */
export interface ModelEntry {
  readonly id: string;
  /** Time of creation in seconds since 1970; 0 if the provider does not report it. */
  readonly created: number;
  readonly ownedBy: string;
  /** Set for an encoder that was available. */
  readonly modelType?: ModelType | undefined;
}

/** The probability of each label of a classifier. */
export type LabelScores = Readonly<Record<string, number>>;

type ModelNames = (model: string) => readonly [string, ...string[]];

/** A configured provider. It returns failures instead of throwing them, so that the caller can try another provider. */
export interface Provider {
  readonly name: string;
  readonly type: ProviderType;
  chat(call: ProviderCall): Promise<ChatAnswer>;
  embed(call: EmbeddingsCall): Promise<WholeAnswer | FailedAnswer>;
  /** Calls a route whose requests and answers pass through unchanged. */
  relay(call: RelayCall): Promise<ChatAnswer>;
  /** The provider's own count of the tokens of a prompt, if its API has one. */
  countTokens?: ((call: ProviderCall) => Promise<CountedInput | FailedAnswer>) | undefined;
  models(signal: AbortSignal): Promise<readonly ModelEntry[] | ProviderFailure>;
  /** Files, batches and responses, if its API has them. */
  readonly objects?: ProviderObjects<FailedAnswer> | undefined;
  /** Opens a WebSocket to a model, if its API has that. */
  readonly realtime?: ((call: RealtimeCall) => Promise<OpenedSocket | FailedAnswer>) | undefined;
  /** All names of one model, the canonical name first; undefined if every model has one name. */
  readonly modelNames?: ModelNames | undefined;
  /** Its name in the price map; undefined if none of its prices apply. */
  readonly listedAs?: string | undefined;
  /** Path of the executable that the gateway runs for it; only for encoders. */
  readonly program?: string | undefined;
  /** Only encoders support it. */
  classify?(call: ClassifyCall): Promise<ClassifiedAnswer | FailedAnswer>;
  /** Finds entities. Only encoders support it. */
  entities?(call: Pick<ClassifyCall, 'texts' | 'signal'>): Promise<EntitiesAnswer | FailedAnswer>;
  close(): Promise<void>;
}

/** One API of a provider: its path and its formats. */
export interface UpstreamWire {
  path(model: string, streams: boolean): string;
  /** Translates events to the internal format, without checking their members; `answer` does the same for whole answers. */
  decoder(): EventDecoder<unknown>;
  answer(body: Json): unknown;
  /** Changes to a client's request that is already in this format. Throws an AppError for unsupported members. */
  edits(body: Json, model: string): MemberEdits;
  /** Matches events that contain nothing that the client of this request asked for. */
  hidden?(body: Json): ((frame: DecodedFrame) => boolean) | undefined;
  /** Whether the provider stores the answer to a request, so that clients can get it again. */
  stores?(body: Json): boolean;
}

/** The specifics of a type of provider. Pure translation without network access. */
export interface ProviderAdapter {
  readonly type: ProviderType;
  headers(apiKey: string | undefined): Record<string, string>;
  /** Client APIs that the provider has itself: bytes pass through unchanged. */
  readonly native: Readonly<Partial<Record<Wire, UpstreamWire>>>;
  /** Whether its models sign calls, and reject a call without its signature. */
  readonly signsCalls?: boolean | undefined;
  /** Translation for all other client APIs. */
  readonly translated:
    | { readonly wire: UpstreamWire; request(chat: ChatRequest, model: string): Json }
    | undefined;
  readonly embeddings: EmbeddingsExchange | undefined;
  readonly relays?: Readonly<Partial<Record<RelayRoute, Relay>>> | undefined;
  readonly tokenCount?: TokenCount | undefined;
  /** Whether it has OpenAI's files, batches and stored responses. */
  readonly hasObjects?: boolean | undefined;
  /** The path of its WebSocket. */
  readonly realtimePath?: ((model: string) => string) | undefined;
  readonly models: { readonly path: string; list(body: Json): readonly ModelEntry[] };
  readonly modelNames?: ModelNames | undefined;
  /** Extracts message and code from an error body. */
  errorText(body: unknown): ErrorText;
}

/** How a provider counts the tokens of a prompt. */
export interface TokenCount {
  /** The client API whose requests for a count it takes unchanged, if there is one. */
  readonly wire: Wire | undefined;
  path(model: string): string;
  /** Changes to a request of that API. */
  edits(model: string): MemberEdits;
  /** The request for a count, from a request for an answer; undefined if only requests of its own API can be counted. */
  readonly request: ((request: Json, model: string) => Json) | undefined;
  count(body: Json): unknown;
}

export interface EmbeddingsExchange {
  path(model: string): string;
  request(call: EmbeddingsCall): Uint8Array;
  /** Undefined if the answer is already in OpenAI's format, so it is returned unchanged. */
  readonly answer: ((body: Json, call: EmbeddingsCall) => Json) | undefined;
  usage(body: Json): TokenUsage | undefined;
}

export interface ErrorText {
  readonly message: string | undefined;
  /** The provider's own code or type. */
  readonly code: string | undefined;
}

/** The end of the year 9999, in seconds since 1970. Larger numbers are invalid times. */
const MAX_CREATED = 253_402_300_799;
// oxlint-disable-next-line no-control-regex -- Requests cannot name a model with control characters.
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

/** A model of a provider's list; empty if requests could not name it. `created` is in seconds since 1970. */
export function modelEntry(id: unknown, created: unknown, ownedBy: string): ModelEntry[] {
  if (typeof id !== 'string' || id === '' || id !== id.trim() || CONTROL_CHARACTERS.test(id)) return [];
  if (!id.isWellFormed()) return [];
  const isTime = typeof created === 'number' && created >= 0 && created <= MAX_CREATED;
  return [{ id, created: isTime ? Math.floor(created) : 0, ownedBy }];
}
