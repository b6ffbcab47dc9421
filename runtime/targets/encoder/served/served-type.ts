import type { DescService } from '@bufbuild/protobuf';
import type { Static, TObject, TProperties, TSchema } from 'typebox';
import type { Manifest } from '#contract/manifest.ts';
import type { EngineLimits, EngineRequest, RunModel, ServingEngine } from '../engine/serving.ts';
import type { overflowMembers, TextOrPair } from '../schemas/texts.ts';
import type { OutputWeights } from '../tasks/hybrid-score.ts';
import type { ResultOptions } from '../tasks/task.ts';

/**
 * The server behavior of a model type on every transport: HTTP, gRPC, MCP and `bench` use this
 * interface and know no types. Every type has a file with its name; the parts for `infer` and
 * inference threads are in the file of the same name in `tasks/`.
 */
export interface ServedType<Body extends PredictBody = PredictBody> {
  /**
   * What the type does: a sentence for the OpenAPI document, and the contract's sentence for the
   * MCP tool.
   */
  readonly texts: { readonly summary: string; readonly tool: string };
  /** The type-specific parts of `/predict` requests. */
  request(manifest: Manifest, limits: ClientBatch): RequestParts;
  /** The schema of a result. */
  result(manifest: ResultManifest): TSchema;
  /** An example for documents: members of a request, and the result for `Anna lives in Berlin.` */
  example(manifest: Manifest): { readonly request: object; readonly result: object };
  /** A `bench` request with one text. Default: the text alone. */
  bench?(text: string, manifest: Manifest): object;
  /** `model_type` of `GET /info`. */
  info(manifest: Manifest): Readonly<Record<string, object>>;
  /** How a request's results are computed. */
  readonly predict: FromOneRun<Body> | FromSeveralRuns<Body>;
  /** How clients of Hugging Face's APIs request the task, if these APIs have it. */
  readonly huggingFace?: HuggingFaceTask;
  /**
   * The gRPC service, which only a gRPC server loads. Its request fields have the names of the
   * body's members.
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
  /** The members next to `inputs`. */
  readonly options: TProperties;
  /** Rejected combinations, for documents. */
  readonly restriction?: Readonly<Record<string, unknown>>;
}

/** A validated `/predict` body of any type. */
export interface PredictBody extends MembersOf<typeof overflowMembers> {
  readonly inputs: readonly unknown[];
  readonly metadata?: Readonly<Record<string, string>> | null;
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
  /** Completes results in the main thread, if they need the tokenizer. */
  readonly complete?: ((results: readonly Uint8Array[]) => Promise<readonly JsonPiece[]>) | undefined;
}

/** Each result is computed from several runs, or chosen from their results. */
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
  /** Whether a `/predict` body has the format of these APIs, so that the response has it too. */
  isTheirs(body: unknown): boolean;
  /** The same condition as a sentence. */
  readonly note: string;
  /** `path` is the requested route. */
  answer(engine: ServingEngine, body: Body, run: RunModel, path: '/' | '/predict'): Promise<unknown>;
}

/** Scores documents for a query. The query and the documents are run for the same caller. */
export type ScoreDocuments = (
  engine: ServingEngine,
  request: RankRequest,
  run: { readonly query: RunModel; readonly documents: RunModel },
) => Promise<DocumentScores>;

export interface RankRequest {
  readonly query: string;
  readonly documents: readonly string[];
  /** Whether scores are logits instead of numbers between 0 and 1. */
  readonly raw: boolean;
  /** The weight of each output, for models with several. Default: dense vectors only. */
  readonly weights?: OutputWeights | undefined;
}

export interface DocumentScores {
  /** Scores in the order of the documents. */
  readonly scores: readonly number[];
  /** Number of tokens processed in each run of a text. */
  readonly tokens: readonly number[];
  /** Indexes of the documents that were truncated. */
  readonly truncated: readonly number[];
}
