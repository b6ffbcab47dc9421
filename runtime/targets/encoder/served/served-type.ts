import type { DescService } from '@bufbuild/protobuf';
import type { Static, TObject, TProperties, TSchema } from 'typebox';
import type { Manifest } from '#contract/manifest.ts';
import type { EngineLimits, EngineRequest, RunModel, ServingEngine } from '../engine/serving.ts';
import type { overflowMembers, TextOrPair } from '../schemas/texts.ts';
import type { OutputWeights } from '../tasks/hybrid-score.ts';
import type { ResultOptions } from '../tasks/task.ts';

/**
 * The behavior of a model type in a server. HTTP, gRPC, MCP and `bench` only use this interface and
 * do not depend on specific model types. Each type is defined in a file with the name of the type.
 * The code for `infer` and for inference threads is in the file of the same name in `tasks/`.
 */
export interface ServedType<Body extends PredictBody = PredictBody> {
  /**
   * Descriptions of what a model of this type does: one for the OpenAPI document, and the one that
   * the contract specifies for the MCP tool.
   */
  readonly texts: { readonly summary: string; readonly tool: string };
  /** The type-specific fields of `/predict` requests. */
  request(manifest: Manifest, limits: ClientBatch): RequestParts;
  /** The schema of a result. */
  result(manifest: ResultManifest): TSchema;
  /**
   * An example for OpenAPI documents: the type-specific fields of a request, and the result for
   * `Anna lives in Berlin.`
   */
  example(manifest: Manifest): { readonly request: object; readonly result: object };
  /**
   * The fields of a request with one text for `bench`, other than the text, or with other inputs. Default: none.
   */
  bench?(text: string, manifest: Manifest): object;
  /** `model_type` of `GET /info`. */
  info(manifest: Manifest): Readonly<Record<string, object>>;
  /** How a request's results are computed. */
  readonly predict: FromOneRun<Body> | FromSeveralRuns<Body>;
  /** How clients of Hugging Face's APIs request the task, if these APIs support the task. */
  readonly huggingFace?: HuggingFaceTask;
  /**
   * The gRPC service. Only gRPC servers load it. Its request fields have the same names as the
   * fields of the JSON body.
   */
  readonly grpc: () => Promise<DescService>;
  /** How the model scores documents for a query; undefined if it cannot. */
  rank?(manifest: Manifest): ScoreDocuments | undefined;
}

export type ClientBatch = Pick<EngineLimits, 'maxClientBatch'>;
export type ResultManifest = Pick<Manifest, 'modelType' | 'tokenOutputs'>;

interface RequestParts {
  /** Schema of `inputs`. Default: texts and pairs of texts. */
  readonly inputs?: TSchema;
  /** The schemas of the fields other than `inputs`. */
  readonly options: TProperties;
  /** Combinations of fields that are rejected, for OpenAPI documents. */
  readonly restriction?: Readonly<Record<string, unknown>>;
}

/** A validated `/predict` body of any type. */
export interface PredictBody extends MembersOf<typeof overflowMembers> {
  readonly inputs: readonly unknown[];
  readonly metadata?: Readonly<Record<string, string>> | null;
  /** The form of the model, for types that can have two. */
  readonly stage?: string | null;
}

/** A validated body with a type's options and inputs. */
export type BodyOf<Options extends TProperties, Input = TextOrPair> = PredictBody &
  MembersOf<Options> & { readonly inputs: readonly Input[] };

type MembersOf<Properties extends TProperties> = Readonly<Static<TObject<Properties>>>;

/** Each result is computed from one input: a text, or a pair of texts. */
interface FromOneRun<Body> {
  plan(engine: ServingEngine, body: Body): RunPlan | Promise<RunPlan>;
}

interface RunPlan extends Omit<EngineRequest, 'inputs' | 'view' | 'overflow' | 'signal'> {
  readonly options: ResultOptions;
  /** Completes the results in the main thread, if the tokenizer is required for this. */
  readonly complete?: ((results: readonly Uint8Array[]) => Promise<readonly JsonPiece[]>) | undefined;
}

/** Each result is computed from the results of several runs, or chosen among them. */
interface FromSeveralRuns<Body> {
  together(engine: ServingEngine, body: Body, run: RunModel): Promise<readonly object[]>;
}

/** A part of a response that is already JSON. */
export type JsonPiece = string | Uint8Array;

/** A task of Hugging Face's Inference API or of text-embeddings-inference, at `/` and at `/predict`. */
export interface HuggingFaceTask<Body extends object = object> {
  request(manifest: Manifest, limits: ClientBatch): TSchema;
  readonly response: TSchema;
  example(manifest: Manifest): { readonly request: object; readonly response: unknown };
  /** Whether a `/predict` body has the format of these APIs. If so, the response also has their format. */
  isTheirs(body: unknown): boolean;
  /** A sentence that describes this condition. */
  readonly note: string;
  /** `path` is the requested route. */
  answer(engine: ServingEngine, body: Body, run: RunModel, path: '/' | '/predict'): Promise<unknown>;
}

/**
 * Scores documents for a query. The model runs on the query and the documents on behalf of the same
 * caller.
 */
export type ScoreDocuments = (
  engine: ServingEngine,
  request: RankRequest,
  run: { readonly query: RunModel; readonly documents: RunModel },
) => Promise<DocumentScores>;

export interface RankRequest {
  readonly query: string;
  readonly documents: readonly string[];
  /** Instruction in the model's prompt. Default: the model's own. */
  readonly instruction?: string | undefined;
  /** Whether scores are logits instead of numbers between 0 and 1. */
  readonly raw: boolean;
  /**
   * The weight of each output, for models with several outputs. Default: only dense vectors have a
   * weight.
   */
  readonly weights?: OutputWeights | undefined;
}

export interface DocumentScores {
  /** Scores in the order of the documents. */
  readonly scores: readonly number[];
  /** Number of tokens processed in each run. */
  readonly tokens: readonly number[];
  /** Indexes of the documents that were truncated. */
  readonly truncated: readonly number[];
}
