import type { AppError } from '../../../../contract/errors.ts';
import type { ModelType } from '../../../../contract/model-types.ts';
import type { JsonMember, MemberEdits } from '../../shared/json-members.ts';
import type { AnswerSummary, EventDecoder, OpenedStream, TokenUsage } from '../streams/stream.ts';
import { MAX_EVENT_BYTES } from '../../../../serve/event-stream/event-frames.ts';
import type { DecodedFrame } from '../streams/upstream-reader.ts';
import type { Wire } from '../shapes/wire.ts';
import type { ChatCompletion, ChatRequest, Json } from '../shapes/chat.ts';
import type { UpstreamBody } from './http/upstream-body.ts';
import type { Waiter } from './http/waiter.ts';

export type ProviderType = 'openai' | 'anthropic' | 'gemini' | 'encoder';

/** A provider as configured. */
export interface ProviderInstance {
  /** The part of a model string before the colon, in lower case. */
  readonly name: string;
  readonly type: ProviderType;
  /** Its address, with the path that all of its routes begin with. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether it may be on this machine or in a private network. */
  readonly local: boolean;
  /** What to say its models are, where it has no list of them. */
  readonly models?: readonly string[] | undefined;
  readonly limits?: Partial<ProviderLimits> | undefined;
  /** What differs between those that speak OpenAI's API. */
  readonly dialect?: Partial<OpenAiDialect> | undefined;
}

/** An `.encoder` executable that we start. */
export interface EncoderProgram {
  readonly name: string;
  readonly type: 'encoder';
  readonly path: string;
  readonly limits?: Partial<ProviderLimits> | undefined;
}

export interface ProviderLimits {
  readonly connectMs: number;
  /** Until the first event that says something, of a stream. */
  readonly firstByteMs: number;
  /** Until the whole answer, of a request that does not stream. */
  readonly answerMs: number;
  /** Between two events. */
  readonly idleMs: number;
  /** From the first event of a stream to its end. */
  readonly streamMs: number;
  /** Maximum time to read an abandoned answer to its end. */
  readonly drainMs: number;
  readonly maxResponseBytes: number;
  readonly maxEventBytes: number;
  /** At once; further requests wait for one to become free. Undefined is as many as there are requests. */
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
  /** The name of the member that limits the tokens of an answer. */
  readonly maxTokens: 'max_tokens' | 'max_completion_tokens';
  /** Whether it has to be asked for the usage of a stream, and takes that. */
  readonly asksForUsage: boolean;
  readonly hasResponses: boolean;
}

export interface ProviderCall {
  readonly wire: Wire;
  /** As the provider knows it. */
  readonly model: string;
  /** What the answer is to call it, if not as the provider does. */
  readonly showModel?: string | undefined;
  /** The body of the request, as it came and parsed. */
  readonly bytes: Uint8Array;
  /** Members of the body, if they have been listed before. */
  readonly members?: readonly JsonMember[] | undefined;
  readonly body: Json;
  /** Of the client, for a provider that speaks its wire: as `anthropic-beta`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** For a provider of any wire: where the request stands among the spans of others. */
  readonly trace?: Readonly<Record<string, string>> | undefined;
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
  /** Instead of the provider's own. */
  readonly firstByteMs?: number | undefined;
  /** Whether the answer is billed to a user: then it is read to its end even if it is abandoned. */
  readonly isBilled?: boolean | undefined;
}

export type EmbeddingsCall = Omit<ProviderCall, 'wire'>;

export interface ClassifyCall extends Pick<ProviderCall, 'trace' | 'signal' | 'isBilled'> {
  readonly texts: readonly string[];
}

/** What is wrong with an attempt, in words that decide what happens next. */
export type FailureKind =
  | 'bad_request'
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
  /** What the client is to be told; never holds a secret of ours. */
  readonly error: AppError;
  /** The provider's own status, if it answered. */
  readonly upstreamStatus: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** What the provider said, without secrets; for whoever configured it, as clients must not see all of it. */
  readonly text: string | undefined;
  /** Why it failed, for logs and administrators: what was thrown, or the status and the first bytes of the body. No secrets. */
  readonly detail: string | undefined;
  /** The provider answered with a status of success, and bills it, but the answer cannot be read. */
  readonly isPaid: boolean;
  /** The provider may still answer, and bill it. */
  readonly abandoned: AbandonedAnswer | undefined;
}

/**
 * An answer whose client disconnected or whose time limit passed after the request was sent. It is read to its end, as the
 * provider bills it.
 */
export interface AbandonedAnswer {
  /** Never rejects. */
  readonly read: Promise<AbandonedRead>;
  /** Ends the connection; `read` resolves with what was read so far. */
  readonly stop: () => void;
}

export type AbandonedRead =
  /** Without a summary it could not be read, and its usage has to be estimated. */
  | { readonly kind: 'answered'; readonly summary: AnswerSummary | undefined }
  /** The provider returned an error or could not be reached: there is nothing to bill. */
  | { readonly kind: 'failed' };

export interface WholeAnswer {
  readonly kind: 'whole';
  readonly bytes: Uint8Array;
  /** All that the model wrote, whatever the wire. */
  readonly text: string;
  readonly summary: AnswerSummary;
}

export interface StreamedAnswer {
  readonly kind: 'stream';
  readonly stream: OpenedStream;
}

export interface FailedAnswer {
  readonly kind: 'failed';
  readonly failure: ProviderFailure;
}

/** What a classifier says of each text. */
export interface ClassifiedAnswer {
  readonly kind: 'classified';
  readonly scores: readonly LabelScores[];
  /** How many tokens its model ran on, if it told. */
  readonly tokens: number | undefined;
}

export type ChatAnswer = WholeAnswer | StreamedAnswer | FailedAnswer;

/** Every answer that is one. */
export type GivenAnswer = WholeAnswer | StreamedAnswer | ClassifiedAnswer;

/** A model as `/v1/models` lists it. */
export interface ModelEntry {
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly ownedBy: string;
  /** Of an encoder, if it could be asked. */
  readonly modelType?: ModelType | undefined;
}

/** What a classifier says of a text: the probability of each label. */
export type LabelScores = Readonly<Record<string, number>>;

type ModelNames = (model: string) => readonly [string, ...string[]];

/** One configured provider. Answers failures instead of throwing them, so that whoever asked can ask another. */
export interface Provider {
  readonly name: string;
  readonly type: ProviderType;
  chat(call: ProviderCall): Promise<ChatAnswer>;
  embed(call: EmbeddingsCall): Promise<WholeAnswer | FailedAnswer>;
  models(signal: AbortSignal): Promise<readonly ModelEntry[] | ProviderFailure>;
  /** All names of one model, first the one that it goes by; undefined where each has one name. */
  readonly modelNames?: ModelNames | undefined;
  /** Only encoders can. */
  classify?(call: ClassifyCall): Promise<ClassifiedAnswer | FailedAnswer>;
  close(): Promise<void>;
}

/** One of the provider's own wires: where it is, and what is in it. */
export interface UpstreamWire {
  path(model: string, streams: boolean): string;
  /** Events as the inner shape; `answer` does the same for whole answers. */
  decoder(): EventDecoder;
  answer(body: Json): ChatCompletion;
  /** What must change in a client's request that is in this wire already. Throws an AppError for what cannot go on. */
  edits(body: Json, model: string): MemberEdits;
  /** Which events tell only what the client of this request did not ask for. */
  hidden?(body: Json): ((frame: DecodedFrame) => boolean) | undefined;
}

/** What is particular to a type of provider: pure translation, no network. */
export interface ProviderAdapter {
  readonly type: ProviderType;
  headers(apiKey: string | undefined): Record<string, string>;
  /** Clients' wires that it speaks itself: bytes go through as they are. */
  readonly native: Readonly<Partial<Record<Wire, UpstreamWire>>>;
  /** For all other wires. */
  readonly translated:
    | { readonly wire: UpstreamWire; request(chat: ChatRequest, model: string): Json }
    | undefined;
  readonly embeddings: EmbeddingsExchange | undefined;
  readonly models: { readonly path: string; list(body: Json): readonly ModelEntry[] };
  readonly modelNames?: ModelNames | undefined;
  /** What the provider says is wrong. */
  errorText(body: unknown): ErrorText;
}

export interface EmbeddingsExchange {
  path(model: string): string;
  request(call: EmbeddingsCall): Uint8Array;
  /** Undefined: the answer is in OpenAI's shape already, and goes out as it came. */
  readonly answer: ((body: Json, call: EmbeddingsCall) => Json) | undefined;
  usage(body: Json): TokenUsage | undefined;
}

export interface ErrorText {
  readonly message: string | undefined;
  /** The provider's own code or type. */
  readonly code: string | undefined;
}

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: Uint8Array | undefined;
  readonly waiter: Waiter;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: UpstreamBody;
}

/** HTTP to one origin. */
export interface Upstream {
  request(request: UpstreamRequest): Promise<UpstreamAnswer>;
  close(): Promise<void>;
}
