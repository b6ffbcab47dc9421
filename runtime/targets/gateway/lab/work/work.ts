import type { Json } from '../../ask/shapes/chat.ts';
import type { Row, RowChunk } from '../datasets/dataset.ts';

/** What models are asked to do, in the words of the hub that models come from. */
export type TaskDefinition =
  | { readonly task: 'summarization' | 'text-generation' }
  | { readonly task: 'translation'; readonly sourceLanguage: string; readonly targetLanguage: string }
  | { readonly task: 'text-classification' | 'token-classification' | 'feature-extraction' };

/** Who answers. */
export type Backend =
  /** An `.encoder` that runs somewhere. */
  | { readonly kind: 'encoder-url'; readonly baseUrl: string; readonly secretName: string | null }
  /** An `.encoder` file, started beside the work and stopped with it. */
  | { readonly kind: 'encoder-file'; readonly path: string }
  /** A model of this gateway, on the owner's account. */
  | { readonly kind: 'gateway'; readonly model: string }
  | {
      readonly kind: 'openai-compatible';
      readonly baseUrl: string;
      readonly model: string;
      readonly secretName: string | null;
    };

/** Parameters of a language model. One that is not set is not sent: models refuse parameters that they do not support. */
export interface GenerationConfig {
  readonly maxNewTokens?: number;
  readonly frequencyPenalty?: number;
  readonly temperature?: number;
  readonly topP?: number;
}

/** Asks a model about every row; its answer becomes a column. */
export interface InferenceSpec {
  readonly type: 'inference' | 'annotate';
  readonly task: TaskDefinition;
  readonly backend: Backend;
  /** Rows that are asked about, and written, together. */
  readonly batchSize: number;
  readonly generation: GenerationConfig;
  readonly systemPrompt: string;
  /** Of the ground truth: what a language model writes is read as the one of them that it means. */
  readonly labels?: readonly string[] | undefined;
  readonly outputField: string;
  /** The share of rows that may fail before the whole job does, 0 to 1. */
  readonly maxErrorRate: number;
}

/** How a row counts for which the model failed: as a wrong answer, or not at all. */
export type Failures = 'wrong' | 'skipped';

/** Compares the answers with the ground truth. */
export interface EvaluationSpec {
  readonly type: 'evaluation';
  readonly task: TaskDefinition;
  readonly metrics: readonly string[];
  readonly predictionField: string;
  /** Missing in jobs of earlier versions. */
  readonly failures?: Failures | undefined;
  readonly batchSize: number;
  /** For metrics that ask a language model. */
  readonly judge: {
    readonly backend: Backend;
    /** Missing in jobs of earlier versions. */
    readonly generation?: GenerationConfig;
  } | null;
  /** For metrics that compare meanings. */
  readonly embedder: { readonly backend: Backend } | null;
  readonly maxErrorRate: number;
}

export type WorkSpec = InferenceSpec | EvaluationSpec;

/** Tokens and money of a batch. */
export interface WorkUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export interface BatchOutcome {
  /** One for each row that came in, in the same order; a row that failed has its `error`. */
  readonly rows: readonly Row[];
  readonly failed: number;
  readonly usage: WorkUsage;
  /** Why the first of the failed ones failed. */
  readonly firstError: string | undefined;
}

/** What a job came to. */
export interface WorkResult {
  /** Flat, by name, as `rouge_rouge1_mean`. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Tables and whatever is no single number. */
  readonly details: Json;
  readonly parameters: Json;
}

export interface WorkBatch extends RowChunk {
  /** In a retry: the rows were counted as failed before. */
  readonly replaces?: boolean;
}

/** What a job does with its rows, wherever it runs: batch by batch, in order, the next one when the one before is done. */
export interface Work {
  run(batch: WorkBatch, signal: AbortSignal): Promise<BatchOutcome>;
  /** All that it has learned from the batches that are done, for going on elsewhere. */
  checkpoint(): Json;
  result(): WorkResult;
  /** Stops what was started beside it. */
  close(): Promise<void>;
}

/** What work needs of the world. */
export interface WorkTools {
  /** Where the gateway answers, and what lets the work in there for its owner. */
  readonly gateway: { readonly url: string; readonly token: string };
  readonly secret: (name: string) => Promise<string>;
  /** Whether the operator vouches for what the spec names: URLs on this machine or in private networks, and files to be run. */
  readonly trusted: boolean;
  readonly log: (level: 'info' | 'warn' | 'error', text: string) => void;
}
