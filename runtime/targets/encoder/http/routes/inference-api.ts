import type { Context } from 'hono';
import { type TSchema, type TUnsafe, Type } from 'typebox';
import { inputError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { readsImages, vectorKind } from '#contract/model-types.ts';
import { withArticle } from '#core/text/with-article.ts';
import { memberOf } from '#core/values/member-of.ts';
import { type BodyReader, readBytes } from '#serve/http/body.ts';
import { WORK_ERRORS } from '#serve/http/openapi/statuses.ts';
import type { Route } from '#serve/http/route.ts';
import type { EncoderContext } from '../../context.ts';
import {
  embedResponse,
  embedSparseResponse,
  type SimilarityRequest,
  similarityResponse,
  type VectorRequests,
} from '../../schemas/tei.ts';
import { EXAMPLE_IMAGE } from '../../schemas/images.ts';
import { withOverflow } from '../../predict/predict.ts';
import { SERVED } from '../../served/index.ts';
import type { ClientBatch, HuggingFaceTask } from '../../served/served-type.ts';
import { isImageType } from '../image-form.ts';
import { type ModelRoutes, unsupportedRoute } from '../model-route.ts';
import { scorerOf } from '../rank-documents.ts';
import { ANSWER_HEADERS, requestCaller, runModel } from '../run-model.ts';
import { embed, embedSparse, similarity } from '../tei/vectors.ts';

/**
 * The model's task in Hugging Face's APIs. A validator accepts only one schema with the same id, so
 * it is created once.
 */
export interface ForeignTask extends HuggingFaceTask {
  readonly schema: TUnsafe<object>;
}

export function foreignTask(manifest: Manifest, limits: ClientBatch): ForeignTask | undefined {
  const { huggingFace } = SERVED[manifest.modelType];
  return (
    huggingFace && {
      ...huggingFace,
      schema: Type.Unsafe<object>(huggingFace.request(manifest, limits)),
      answer: (engine, body, run, path) => huggingFace.answer(engine, body, withOverflow(run, body), path),
    }
  );
}

/**
 * `POST /`: the model's task, for clients of Hugging Face's Inference API that only know the
 * server's address.
 */
export function inferenceApiRoute(
  { engine, kernel }: EncoderContext,
  { route, guard, readBody }: ModelRoutes,
  vectors: VectorRequests,
  task: ForeignTask | undefined,
  maxBodyBytes: number,
): Route {
  const readInputs = imageReader(readBody, maxBodyBytes);
  const { manifest } = engine;
  const { name, modelType } = manifest;
  const offered = task
    ? taskOf(task, engine, readInputs)
    : vectorsOrSimilarity(vectorKind(modelType), engine, readInputs, vectors);
  if (!offered) {
    const wayOut = scorerOf(manifest) ? '/rerank or /predict' : '/predict';
    return unsupportedRoute(
      '/',
      `The Inference API has no task for ${name}, which is ${withArticle(modelType)} model. Use ${wayOut}.`,
    );
  }
  return route({
    method: 'post',
    path: '/',
    guard,
    id: 'run',
    tag: 'Hugging Face',
    summary: 'Run the model’s task in the Inference API format.',
    request: { schema: offered.request, examples: { text: offered.example.request }, isRaw: true },
    answer: {
      description: 'The result of the task.',
      schema: offered.response,
      examples: { text: offered.example.response },
      headers: ANSWER_HEADERS,
    },
    errors: WORK_ERRORS,
    async run(c) {
      // The page at this path can be loaded without an API key, but running the model requires one.
      kernel.access.check(c.req.header('Authorization'));
      return await offered.answer(c);
    },
  });
}

/** A reader that also accepts the file of an image as the body, as the Inference API does. */
const imageReader = (readBody: BodyReader, maxBodyBytes: number): BodyReader => {
  const read = async (c: Context, schema: Parameters<BodyReader>[1]): Promise<unknown> => {
    if (!isImageType(c.req.header('content-type'))) return await readBody(c, schema);
    const body = { inputs: await readBytes(c, maxBodyBytes) };
    const { required = [] } = (typeof schema === 'function' ? schema(body) : schema) as RequiredFields;
    const missing = required.find((name) => !Object.hasOwn(body, name));
    if (missing === undefined) return body;
    throw inputError(
      `A body that is an image has no \`${missing}\`, which this model requires. Send JSON with the image in \`inputs\`.`,
    );
  };
  return read as BodyReader;
};

interface RequiredFields {
  readonly required?: readonly string[];
}

interface Offered {
  readonly request: TSchema;
  readonly response: TSchema;
  readonly example: { readonly request: object; readonly response: unknown };
  readonly answer: (c: Context) => Promise<Response>;
}

const taskOf = (task: ForeignTask, engine: EncoderContext['engine'], readBody: BodyReader): Offered => ({
  request: task.schema,
  response: task.response,
  example: task.example(engine.manifest),
  async answer(c) {
    const body = await readBody(c, task.schema);
    const caller = requestCaller(c);
    return c.json(await task.answer(engine, body, (wanted) => runModel(caller, engine, wanted), '/'));
  },
});

/**
 * Returns dense or sparse vectors, or the similarity of sentences. Requests for similarity have a
 * different form of `inputs`.
 */
function vectorsOrSimilarity(
  kind: ReturnType<typeof vectorKind>,
  engine: EncoderContext['engine'],
  readBody: BodyReader,
  requests: VectorRequests,
): Offered | undefined {
  const offered = <Body extends object>(
    schema: TUnsafe<Body>,
    response: TSchema,
    vector: unknown,
    answer: (c: Context, engine: EncoderContext['engine'], body: Body) => Promise<Response>,
  ): Offered => {
    if (readsImages(engine.manifest.modelType)) {
      return {
        request: schema,
        response,
        example: { request: { inputs: EXAMPLE_IMAGE }, response: [vector] },
        answer: async (c) => await answer(c, engine, await readBody(c, schema)),
      };
    }
    return {
      request: Type.Union([schema, requests.similarity]),
      response: Type.Union([response, similarityResponse]),
      example: { request: { inputs: 'Anna lives in Berlin.' }, response: [vector] },
      async answer(c) {
        const body = await readBody<TUnsafe<Body | SimilarityRequest>>(c, (value) =>
          isSimilarity(value) ? requests.similarity : schema,
        );
        return isSimilarity(body) ? await similarity(c, engine, body) : await answer(c, engine, body);
      },
    };
  };
  if (kind === 'sparse') {
    return offered(requests.embedSparse, embedSparseResponse, [{ index: 5075, value: 1.61 }], embedSparse);
  }
  if (kind === 'tokens' || kind === 'text') {
    return offered(requests.embed, embedResponse, [0.6, -0.8], embed);
  }
  return undefined;
}

const isSimilarity = (body: unknown): body is SimilarityRequest =>
  memberOf(memberOf(body, 'inputs'), 'source_sentence') !== undefined;
