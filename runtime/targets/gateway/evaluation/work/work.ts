import type { CustomMetric } from './evaluation/custom/custom-metric.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { RowCells, RowChunk } from '../datasets/dataset.ts';

/** A task of models, in the terms of the Hugging Face Hub. */
export type TaskDefinition =
  | { readonly task: 'summarization' | 'text-generation' }
  | { readonly task: 'translation'; readonly sourceLanguage: string; readonly targetLanguage: string }
  | { readonly task: 'text-classification' | 'token-classification' | 'feature-extraction' };

/** The model that a job calls. */
export type Backend =
  /** A running `.encoder` at a URL. */
  | { readonly kind: 'encoder-url'; readonly baseUrl: string; readonly secretName: string | null }
  /** An `.encoder` file that is started and stopped with the job. */
  | { readonly kind: 'encoder-file'; readonly path: string }
  /** A model of this gateway, billed to the owner of the job. */
  | { readonly kind: 'gateway'; readonly model: string }
  | {
      readonly kind: 'openai-compatible';
      readonly baseUrl: string;
      readonly model: string;
      readonly secretName: string | null;
    };

/** Parameters of a language model. Unset ones are not sent, because models reject parameters that they do not support. */
export interface GenerationConfig {
  readonly maxNewTokens?: number;
  readonly frequencyPenalty?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly reasoningEffort?: string;
  readonly seed?: number;
  /** Texts at which the model stops. */
  readonly stop?: readonly string[];
  readonly responseFormat?: Json;
  readonly tools?: readonly Json[];
  readonly toolChoice?: string | Json;
}

/** Default of the maximum concurrent requests to a language model. */
export const DEFAULT_CONCURRENCY = 8;

/** A job that calls a model with every row. Its answers become a column. */
export interface InferenceSpec {
  readonly type: 'inference' | 'annotate';
  readonly task: TaskDefinition;
  readonly backend: Backend;
  /** Number of rows that are processed and written together. */
  readonly batchSize: number;
  /** Maximum concurrent requests to a language model. Missing in jobs of earlier versions. */
  readonly maxConcurrency?: number | undefined;
  /** Whether answers of language models are shared within an experiment. Default: true. */
  readonly sharesAnswers?: boolean | undefined;
  /** Number of the repetition, from 1. Repetitions do not share answers. Default: 1. */
  readonly repeat?: number | undefined;
  readonly generation: GenerationConfig;
  readonly systemPrompt: string;
  /** Template of the message for a row, with columns as `{{examples}}`. Default: the text of the row. */
  readonly prompt?: string | undefined;
  /** Rows with their answers that a language model gets before each row. */
  readonly fewShot?: readonly RowCells[] | undefined;
  /** Labels of the ground truth, which are looked for in the answers of language models. */
  readonly labels?: readonly string[] | undefined;
  readonly outputField: string;
  /** Share of rows, 0 to 1, that can fail without failing the job. */
  readonly maxErrorRate: number;
}

/** How rows count for which the model failed: as wrong answers, or not at all. */
export type Failures = 'wrong' | 'skipped';

/** A job that compares answers with the ground truth. */
export interface EvaluationSpec {
  readonly type: 'evaluation';
  readonly task: TaskDefinition;
  readonly metrics: readonly string[];
  /** Metrics that the user defines. Missing in jobs of earlier versions. */
  readonly customMetrics?: readonly CustomMetric[] | undefined;
  readonly predictionField: string;
  /** Missing in jobs of earlier versions. */
  readonly failures?: Failures | undefined;
  readonly batchSize: number;
  /** Whether verdicts of judges are shared within an experiment. Default: true. */
  readonly sharesAnswers?: boolean | undefined;
  /** The language model for metrics that judge answers. */
  readonly judge: {
    readonly backend: Backend;
    /** Missing in jobs of earlier versions. */
    readonly generation?: GenerationConfig;
    /** Maximum concurrent requests. Missing in jobs of earlier versions. */
    readonly maxConcurrency?: number;
  } | null;
  /** The encoder for metrics that compare meanings. */
  readonly embedder: { readonly backend: Backend } | null;
  readonly maxErrorRate: number;
}

export type WorkSpec = InferenceSpec | EvaluationSpec;

/** Tokens that a batch used. */
export interface WorkUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export interface BatchOutcome {
  /** One row for each input row, in the same order. Failed rows have an `error`. */
  readonly rows: readonly RowCells[];
  readonly failed: number;
  readonly usage: WorkUsage;
  /** Error of the first failed row. */
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
  /** Whether the batch is a retry of rows that were counted as failed. */
  readonly replaces?: boolean;
}

/** Batches whose calls can be made before the batches in front of them are processed. */
export interface WorkAhead {
  /** Number of rows that are worth starting ahead. */
  readonly rows: number;
  /** Starts the calls for a batch that is processed later, with the same array of rows. */
  start(batch: Pick<WorkBatch, 'rows'>, signal: AbortSignal): void;
}

/** The work of a worker. Batches of a range of rows are processed one after the other, in order. */
export interface Work {
  /**
   * Whether batches that are finished soon after each other are written together. A worker that is killed loses them, so it is only for
   * work that can be repeated at little cost.
   */
  readonly writesGroups?: boolean | undefined;
  /** Undefined if batches must not be started ahead. */
  readonly ahead?: WorkAhead | undefined;
  run(batch: WorkBatch, signal: AbortSignal): Promise<BatchOutcome>;
  /** The state after all finished batches, from which another worker can continue. */
  checkpoint(): Json;
  /** Continues from a checkpoint, or at the start of a range with null. */
  resume(checkpoint: Json | null): void;
  result(): WorkResult;
  /** Closes models and stops executables that were started. */
  close(): Promise<void>;
}

/** An answer of a language model that later requests can get again. */
export interface KeptAnswer {
  readonly text: string;
  readonly reasoning: string | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  /** Duration of the request that the model answered. */
  readonly latencyMs: number;
}

/** Answers that the jobs of an experiment share. */
export interface AnswerStore {
  find(key: string): Promise<KeptAnswer | undefined>;
  /** Keeps an answer in the background. */
  keep(key: string, answer: KeptAnswer): void;
}

/** The environment of a job. */
export interface WorkTools {
  /** URL of the gateway, and the credential of the job. */
  readonly gateway: { readonly url: string; readonly token: string };
  readonly secret: (name: string) => Promise<string>;
  /** Whether the job is allowed to use URLs on this machine or in private networks, and to run files. */
  readonly trusted: boolean;
  readonly log: (level: 'info' | 'warn' | 'error', text: string) => void;
  /** Paths of executables on this machine, by the job's names of its encoders. Others are at the path in the job. */
  readonly files?: ReadonlyMap<string, string> | undefined;
  /** Undefined if answers are not shared. */
  readonly answers?: AnswerStore | undefined;
}
