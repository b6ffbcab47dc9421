import { type TSchema, type TUnsafe, Type } from 'typebox';
import type { Manifest } from '#contract/manifest.ts';
import { hasMixedInputs, readsImages } from '#contract/model-types.ts';
import { documented } from '#serve/http/documented.ts';
import { optional, textMap } from '#serve/http/schemas.ts';
import type {
  EngineAnswer,
  EngineInput,
  EngineRequest,
  RequestOverflow,
  RunModel,
  ServingEngine,
  View,
} from '../engine/serving.ts';
import { asImageInput } from '../engine/image-input.ts';
import { engineFor } from '../engine/staged-engine.ts';
import { overflowMembers, type OverflowMembers, type TextOrPair, textsAndPairs } from '../schemas/texts.ts';
import { SERVED } from '../served/index.ts';
import { type TextOrImage, textOrImageInput } from '../engine/text-or-image.ts';
import type { ClientBatch, JsonPiece, PredictBody, ResultManifest } from '../served/served-type.ts';

const metadata = textMap({
  title: 'an object of strings',
  description: 'Returned unchanged in the response.',
});

/** The request of `/predict` and of the MCP tool. */
export function predictRequest(manifest: Manifest, limits: ClientBatch): TUnsafe<PredictBody> {
  const {
    inputs = textsAndPairs(limits.maxClientBatch),
    options,
    restriction,
  } = SERVED[manifest.modelType].request(manifest, limits);
  const request = Type.Object(
    {
      inputs,
      ...options,
      ...(readsImages(manifest.modelType) ? {} : overflowMembers),
      metadata: optional(metadata),
    },
    { $id: 'PredictRequest', additionalProperties: false },
  );
  return Type.Unsafe<PredictBody>(restriction ? documented(request, restriction) : request);
}

export const predictResponse = (manifest: ResultManifest): TSchema =>
  Type.Object(
    {
      results: Type.Array(SERVED[manifest.modelType].result(manifest), {
        description: 'One result per input, in input order.',
      }),
      model_id: Type.String(),
      metadata: Type.Optional(metadata),
    },
    { $id: 'PredictResponse' },
  );

/** Runs one of the forms of the model for a caller. */
export type RunForm = (form: ServingEngine, request: Omit<EngineRequest, 'signal'>) => Promise<EngineAnswer>;

/**
 * The response that the contract defines, as pieces of JSON, so that the results do not have to be
 * parsed again.
 */
export async function predict(
  engine: ServingEngine,
  body: PredictBody,
  run: RunForm,
): Promise<readonly JsonPiece[]> {
  const { results } = await predictResults(engine, body, run);
  const list = results.flatMap((result, index) => (index === 0 ? [result] : [',', result]));
  // `metadata: null` is treated like missing metadata, and is omitted from the response.
  const rest = JSON.stringify({ model_id: engine.manifest.name, metadata: body.metadata ?? undefined });
  return ['{"results":[', ...list, `],${rest.slice(1)}`];
}

/** The results for a body. They are JSON if they are completed in this thread. */
type Results =
  | { readonly format: 'json'; readonly results: readonly JsonPiece[] }
  | { readonly format: 'proto' | 'vector'; readonly results: readonly Uint8Array[] };

/**
 * Computes the results for a body. They have the requested format if a worker thread can render it.
 * `vector` is the base64 of the dense vector alone, and only for types whose results have one; if the body
 * selects other outputs, the results are JSON.
 */
export async function predictResults(
  model: ServingEngine,
  body: PredictBody,
  run: RunForm,
  wanted: Results['format'] = 'json',
): Promise<Results> {
  const engine = await engineFor(model, body.stage);
  const type = SERVED[engine.manifest.modelType].predict;
  const runTexts = withOverflow((request) => run(engine, request), body);
  if ('together' in type) {
    const results = await type.together(engine, body, runTexts);
    return { format: 'json', results: results.map((result) => JSON.stringify(result)) };
  }
  const { options, complete, ...request } = await type.plan(engine, body);
  const format = complete || (wanted === 'vector' && options.outputs) ? 'json' : wanted;
  const { normalize = false, dimensions, skip } = options;
  const view: View =
    format === 'vector'
      ? { kind: 'vector', format: 'base64', normalize, dimensions, skip }
      : { kind: 'result', format, options };
  // The inputs have already been validated with the schema of the model type.
  const inputs = hasMixedInputs(engine.manifest.modelType)
    ? (body.inputs as readonly TextOrImage[]).map(textOrImageInput)
    : engineInputs(body.inputs as readonly (TextOrPair | Uint8Array)[]);
  const { results } = await runTexts({ ...request, inputs, view });
  return complete ? { format: 'json', results: await complete(results) } : { format, results };
}

/** Runs the model with the settings in the body for texts that are too long. */
export function withOverflow(run: RunModel, body: OverflowMembers): RunModel {
  const overflow = overflowOf(body);
  return (request) => run({ ...request, overflow });
}

/** `truncate` with a side takes precedence over `truncation_direction`. */
export function overflowOf({ truncate, truncation_direction: direction }: OverflowMembers): RequestOverflow {
  const side = direction ? (direction.toLowerCase() === 'left' ? 'left' : 'right') : undefined;
  if (truncate === false || truncate === 'NONE') return { rule: 'error', side };
  if (truncate === 'START') return { rule: 'truncate', side: 'left' };
  if (truncate === 'END') return { rule: 'truncate', side: 'right' };
  return truncate ? { rule: 'truncate', side } : { side };
}

/** Texts, text pairs and files of images as model inputs. */
const engineInputs = (inputs: readonly (TextOrPair | Uint8Array)[]): EngineInput[] =>
  inputs.map((input) => {
    if (typeof input === 'string' || input instanceof Uint8Array) return asImageInput(input);
    const [text = '', pair = ''] = input;
    return { text, pair };
  });

/** The HTTP and gRPC header that reports the form of the model, for files with both forms. */
export const STAGE_HEADER = 'X-Compute-Stage';

/** Proxies reject long headers, and a request can have thousands of inputs. */
export const MAX_LISTED_INDEXES = 100;

export const TRUNCATED_COUNT = 'X-Truncated-Inputs';
export const TRUNCATED_INDEXES = 'X-Truncated-Indexes';

/**
 * The HTTP and gRPC headers that report truncated inputs: how many there are, and their indexes if
 * there are any.
 */
export function truncatedHeaders(truncated: readonly number[]): [string, string][] {
  const count: [string, string] = [TRUNCATED_COUNT, String(truncated.length)];
  if (truncated.length === 0) return [count];
  return [count, [TRUNCATED_INDEXES, truncated.slice(0, MAX_LISTED_INDEXES).join(',')]];
}
