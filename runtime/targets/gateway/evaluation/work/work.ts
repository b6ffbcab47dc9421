import type { CustomMetric } from './evaluation/custom/custom-metric.ts';
import type { Json, ToolCall } from '../../providers/shapes/chat.ts';
import type { RowCells, RowChunk } from '../datasets/dataset.ts';

/** A model task, named as on the Hugging Face Hub. */
export type TaskDefinition =
  | { readonly task: 'summarization' | 'text-generation' }
  | { readonly task: 'translation'; readonly sourceLanguage: string; readonly targetLanguage: string }
  | { readonly task: 'text-classification' | 'token-classification' | 'feature-extraction' }
  /** Conversations of one or several turns, in which the model can call tools. */
  | { readonly task: 'conversation' }
  | { readonly task: 'image-classification' | 'image-feature-extraction' | 'object-detection' };

/** The model that a job calls. */
export type Backend =
  /** A running `.encoder` at a URL. */
  | { readonly kind: 'encoder-url'; readonly baseUrl: string; readonly secretName: string | null }
  /** An `.encoder` file that is started and stopped with the job. */
  | { readonly kind: 'encoder-file'; readonly path: string }
  /** One of this gateway's models, billed to the job's owner. */
  | { readonly kind: 'gateway'; readonly model: string }
  | {
      readonly kind: 'openai-compatible';
      readonly baseUrl: string;
      readonly model: string;
      readonly secretName: string | null;
    };

/** Language model parameters. Unset ones are not sent, because models reject parameters that they do not support. */
export interface GenerationConfig {
  readonly maxNewTokens?: number;
  readonly frequencyPenalty?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly reasoningEffort?: string;
  readonly seed?: number;
  /** Stop sequences. */
  readonly stop?: readonly string[];
  readonly responseFormat?: Json;
  readonly tools?: readonly Json[];
  readonly toolChoice?: string | Json;
}

/** Default maximum number of concurrent requests to a language model. */
export const DEFAULT_CONCURRENCY = 8;

/** A job that calls a model with every row. Its outputs become a column. */
export interface InferenceSpec {
  readonly type: 'inference' | 'annotate';
  readonly task: TaskDefinition;
  readonly backend: Backend;
  /** Number of rows that are processed and written together. */
  readonly batchSize: number;
  /** Maximum number of concurrent requests to a language model. Missing from jobs of earlier versions. */
  readonly maxConcurrency?: number | undefined;
  /** Whether language model responses are shared within an experiment. Default: true. */
  readonly sharesAnswers?: boolean | undefined;
  /** Repetition number, starting at 1. Repetitions do not share responses. Default: 1. */
  readonly repeat?: number | undefined;
  readonly generation: GenerationConfig;
  readonly systemPrompt: string;
  /** Template for a row's message, with columns as `{{examples}}`. Default: the row's text. */
  readonly prompt?: string | undefined;
  /** Example rows with outputs that a language model gets before each row. */
  readonly fewShot?: readonly RowCells[] | undefined;
  /** Ground truth labels to look for in language model outputs. */
  readonly labels?: readonly string[] | undefined;
  readonly outputField: string;
  /** Fraction of rows (0 to 1) that can fail without failing the job. */
  readonly maxErrorRate: number;
}

/** How to count rows for which the model failed: as wrong outputs, or not at all. */
export type Failures = 'wrong' | 'skipped';

/** A job that compares outputs with the ground truth. */
export interface EvaluationSpec {
  readonly type: 'evaluation';
  readonly task: TaskDefinition;
  readonly metrics: readonly string[];
  /** User-defined metrics. Missing from jobs of earlier versions. */
  readonly customMetrics?: readonly CustomMetric[] | undefined;
  readonly predictionField: string;
  /** Missing from jobs of earlier versions. */
  readonly failures?: Failures | undefined;
  readonly batchSize: number;
  /** Whether judge verdicts are shared within an experiment. Default: true. */
  readonly sharesAnswers?: boolean | undefined;
  /** The language model for metrics that judge outputs. */
  readonly judge: {
    readonly backend: Backend;
    /** Missing from jobs of earlier versions. */
    readonly generation?: GenerationConfig;
    /** Maximum number of concurrent requests. Missing from jobs of earlier versions. */
    readonly maxConcurrency?: number;
  } | null;
  /** The encoder for metrics that compare meanings. */
  readonly embedder: { readonly backend: Backend } | null;
  readonly maxErrorRate: number;
}

export type WorkSpec = InferenceSpec | EvaluationSpec;

/** Number of tokens that a batch used. */
export interface WorkUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export interface BatchOutcome {
  /** One row for each input row, in the same order. Failed rows have an `error`. */
  readonly rows: readonly RowCells[];
  readonly failed: number;
  readonly usage: WorkUsage;
  /** The first failed row's error. */
  readonly firstError: string | undefined;
}

/** The result of a job. */
export interface WorkResult {
  /** Values by name, for example `rouge_rouge1_mean`. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Tables and other details that are not single numbers. */
  readonly details: Json;
  readonly parameters: Json;
}

export interface WorkBatch extends RowChunk {
  /** Whether the batch is a retry of rows that were already counted as failed. */
  readonly replaces?: boolean;
}

/** Batches whose calls can be made before the preceding batches are processed. */
export interface WorkAhead {
  /** Number of rows worth starting ahead. */
  readonly rows: number;
  /** Starts the calls for a batch that is processed later, with the same array of rows. */
  start(batch: Pick<WorkBatch, 'rows'>, signal: AbortSignal): void;
}

/** Work done by a worker. A row range's batches are processed one after the other, in order. */
export interface Work {
  /**
   * Whether batches that finish in quick succession are written together. A killed worker loses them, so this
   * is only for work that is cheap to repeat.
   */
  readonly writesGroups?: boolean | undefined;
  /** Undefined if batches must not be started ahead. */
  readonly ahead?: WorkAhead | undefined;
  run(batch: WorkBatch, signal: AbortSignal): Promise<BatchOutcome>;
  /** The state after all finished batches, from which another worker can continue. */
  checkpoint(): Json;
  /** Continues from a checkpoint, or starts at the beginning of a range with null. */
  resume(checkpoint: Json | null): void;
  result(): WorkResult;
  /** Closes models and stops executables started for the work. */
  close(): Promise<void>;
}

/** A language model response that can be reused for later requests. */
export interface KeptAnswer {
  readonly text: string;
  /** The message that continues the conversation, if it contains tool calls. `text` then contains the calls. */
  readonly message?: { readonly content: string | null; readonly tool_calls: readonly ToolCall[] };
  readonly reasoning: string | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  /** Duration of the request that produced the response. */
  readonly latencyMs: number;
}

/** Responses shared by an experiment's jobs. */
export interface AnswerStore {
  find(key: string): Promise<KeptAnswer | undefined>;
  /** Stores a response in the background. Resolves when `find` returns it. */
  keep(key: string, answer: KeptAnswer): Promise<unknown>;
}

/** A job's environment. */
export interface WorkTools {
  /** The gateway's URL and the job's credential. */
  readonly gateway: { readonly url: string; readonly token: string };
  readonly secret: (name: string) => Promise<string>;
  /** Whether the job is allowed to use loopback and private addresses, and to run files. */
  readonly trusted: boolean;
  readonly log: (level: 'info' | 'warn' | 'error', text: string) => void;
  /** Paths of executables on this machine, keyed by the job's encoder names. Others are at the path in the job. */
  readonly files?: ReadonlyMap<string, string> | undefined;
  /** Undefined if responses are not shared. */
  readonly answers?: AnswerStore | undefined;
}
