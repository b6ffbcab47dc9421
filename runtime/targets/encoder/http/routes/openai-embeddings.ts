import { readsImages, readsTextsAndImages, returnsTextVectors } from '#contract/model-types.ts';
import { withArticle } from '#core/text/with-article.ts';
import type { ExchangeBodyReader } from '#serve/http/body.ts';
import { WORK_ERRORS } from '#serve/http/openapi/statuses.ts';
import { directRoute, type Route } from '#serve/http/route.ts';
import { runAdmitted } from '#serve/lifecycle.ts';
import type { EncoderContext } from '../../context.ts';
import type { ServingEngine } from '../../engine/serving.ts';
import { engineFor } from '../../engine/staged-engine.ts';
import { splitForms } from '../../json/vector-writer.ts';
import { overflowOf } from '../../predict/predict.ts';
import { EXAMPLE_IMAGE } from '../../schemas/images.ts';
import { embeddingsRequest, embeddingsResponse } from '../../schemas/openai.ts';
import { NO_GUARD, unsupportedRoute } from '../model-route.ts';
import { ANSWER_HEADERS, callerAt, listPieces, piecesAnswer, runModel, sumOf } from '../run-model.ts';
import { lateChunks } from '../late-chunks.ts';
import { dimensionsOf, vectorFormat } from '../vector-form.ts';
import { checkTokenIds, embeddingInputs, exampleIds, planEmbeddings } from '../vector-inputs.ts';

const textRequests = (model: ServingEngine) => ({
  text: { input: 'Anna lives in Berlin.', model: 'any' },
  texts: { input: ['Anna lives in Berlin.', 'So does Ben.'], encoding_format: 'base64' },
  bits: { input: ['Anna lives in Berlin.'], output_dtype: 'ubinary' },
  'token ids': { input: [exampleIds(model)] },
});

const IMAGE_REQUESTS = {
  image: { input: EXAMPLE_IMAGE, model: 'any' },
  images: { input: [{ image: EXAMPLE_IMAGE }], encoding_format: 'base64' },
};

const MIXED_REQUESTS = {
  text: { input: 'Anna lives in Berlin.', model: 'any' },
  'texts and images': { input: ['Anna lives in Berlin.', { image: EXAMPLE_IMAGE }] },
};

/** `POST /v1/embeddings`: one vector per input, for clients of OpenAI's API. */
export function openAiEmbeddingsRoute(
  { engine: model, kernel }: EncoderContext,
  readBody: ExchangeBodyReader,
): Route {
  const { name, modelType } = model.manifest;
  const path = '/v1/embeddings';
  if (!returnsTextVectors(modelType)) {
    return unsupportedRoute(
      path,
      `${path} requires an embedding model, but ${name} is ${withArticle(modelType)} model. Use /predict.`,
    );
  }
  const request = embeddingsRequest(model.manifest, model.limits);
  return directRoute({
    method: 'post',
    path,
    guard: NO_GUARD,
    id: 'createEmbeddings',
    tag: 'OpenAI',
    summary: 'Create one embedding per input.',
    request: {
      schema: request,
      examples: readsImages(modelType)
        ? IMAGE_REQUESTS
        : readsTextsAndImages(modelType)
          ? MIXED_REQUESTS
          : textRequests(model),
    },
    answer: {
      description: 'One embedding per input, in input order.',
      schema: embeddingsResponse,
      examples: {
        text: {
          object: 'list',
          data: [{ object: 'embedding', index: 0, embedding: [0.6, -0.8] }],
          model: 'my-model',
          usage: { prompt_tokens: 7, total_tokens: 7 },
        },
      },
      headers: ANSWER_HEADERS,
    },
    errors: WORK_ERRORS,
    openAiErrors: true,
    direct: ({ exchange }) =>
      runAdmitted(kernel.lifecycle, async () => {
        const body = await readBody(exchange, request);
        const engine = await engineFor(model, body.stage);
        checkTokenIds(body.input, 'input', engine);
        const inputs = embeddingInputs(body.input, engine.manifest);
        const wishes = { ...body, dimensions: dimensionsOf(body) };
        const plan = await planEmbeddings(inputs, wishes, engine);
        const { options, prompt } = plan;
        const format = vectorFormat(body, options.normalize);
        const wanted = body.late_chunking
          ? await lateChunks(engine, inputs, plan, format)
          : { inputs, view: { kind: 'vector', format, ...options } as const, prompt };
        const answer = await runModel(callerAt(exchange), engine, { ...wanted, overflow: overflowOf(body) });
        const { tokens, truncated } = answer;
        const results = body.late_chunking ? answer.results.flatMap(splitForms) : answer.results;
        const count = sumOf(tokens);
        const usage = {
          prompt_tokens: count,
          total_tokens: count,
          // Omitted if no inputs were truncated, because most clients only know OpenAI's two fields.
          ...(truncated.length > 0 ? { truncated_inputs: truncated.length } : {}),
        };
        const data = listPieces(
          results,
          (index) => `{"object":"embedding","index":${index},"embedding":`,
          '}',
        );
        const rest = JSON.stringify({ model: name, usage });
        exchange.answer(piecesAnswer(['{"object":"list","data":', ...data, `,${rest.slice(1)}`]));
      }),
  });
}
