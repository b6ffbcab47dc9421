import type { Manifest } from '../../../contract/manifest.ts';
import type { TokenizedText } from '../../../core/tokenized-text.ts';
import type { VectorOptions } from '../../../core/vector-plan.ts';
import type { ResultOptions } from '../tasks/task.ts';

/** One thing to run the model on: a text, a pair of texts, or token ids as they are. */
export type EngineInput =
  | { readonly text: string; readonly pair?: string | undefined }
  | { readonly ids: readonly number[] };

/** What to make of the raw output of each input. It is made in the thread that computed it. */
export type View =
  /** The contract's result of this model type, as UTF-8 JSON or as an encoded protobuf message. */
  | { readonly kind: 'result'; readonly format: 'json' | 'proto'; readonly options: ResultOptions }
  /** One vector for an input of an embedding model: a JSON array of numbers, or float32 bytes as a base64 JSON string. */
  | (VectorOptions & { readonly kind: 'vector'; readonly format: 'json' | 'base64' });

export interface EngineRequest {
  readonly inputs: readonly EngineInput[];
  readonly view: View;
  /** Put before each text. */
  readonly prompt?: string | undefined;
  /** Aborted when whoever asked has left: what has not run yet never will. */
  readonly signal?: AbortSignal | undefined;
}

export interface EngineAnswer {
  /** One per input, in input order. */
  readonly results: readonly Uint8Array[];
  /** Tokens the model ran on, special tokens included, per input. */
  readonly tokens: readonly number[];
  readonly timings: Timings;
}

/** In milliseconds. */
interface Timings {
  readonly tokenization: number;
  readonly queue: number;
  readonly inference: number;
}

export type OverflowRule = 'truncate' | 'error';

export interface EngineLimits {
  /** Inputs of one request. */
  readonly maxClientBatch: number;
  /** Inputs of all requests that wait for the model. */
  readonly maxQueue: number;
  /** Characters (Unicode code points) of one input. */
  readonly maxInputChars: number;
  /** Padded tokens a worker runs on at once; by default so many for each of its threads. */
  readonly maxBatchTokens: number | undefined;
  readonly onOverflow: OverflowRule;
}

export interface EngineStats {
  readonly queued: number;
  readonly workers: number;
}

/** A model ready to answer many callers at once. Every method rejects with an AppError. */
export interface ServingEngine {
  readonly manifest: Manifest;
  readonly limits: EngineLimits;
  run(request: EngineRequest): Promise<EngineAnswer>;
  tokenize(texts: readonly string[], addSpecialTokens: boolean): Promise<TokenizedText[]>;
  decode(ids: readonly (readonly number[])[], skipSpecialTokens: boolean): Promise<string[]>;
  stats(): EngineStats;
  /** Lets what was accepted finish, then ends all threads. */
  close(): Promise<void>;
}

/** What the engine tells of each batch and request, for metrics. */
export interface EngineObserver {
  onBatch(batch: { inputs: number; tokens: number; paddedTokens: number; milliseconds: number }): void;
  onRequest(request: { inputs: number; tokens: number; truncated: number; timings: Timings }): void;
  onWorkerDeath(reason: string): void;
  /** No thread is left that could run the model, and none can be started. */
  onEnd?(): void;
}
