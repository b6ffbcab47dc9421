import { Hono } from 'hono';
import { AppError } from '../../../../contract/errors.ts';
import { returnsTextVectors } from '../../../../contract/model-types.ts';
import { withArticle } from '../../../../core/text/with-article.ts';
import { admit } from '../../../../serve/http/admit.ts';
import type { BodyReader } from '../../../../serve/http/body.ts';
import type { Operation } from '../../../../serve/http/openapi/operation.ts';
import { WORK_ERRORS } from '../../../../serve/http/openapi/statuses.ts';
import type { EncoderContext } from '../../context.ts';
import { embeddingInputs, planEmbeddings } from '../embedding-inputs.ts';
import { checkTokenIds, exampleIds } from '../token-ids.ts';
import { jsonAnswer, listPieces } from '../json-bytes.ts';
import type { RouteGroup } from '../../../../serve/http/route-group.ts';
import { runModel, sumOf, ANSWER_HEADERS } from '../run-model.ts';
import { overflowOf } from '../../schemas/overflow.ts';
import { embeddingsRequest, embeddingsResponse } from '../../schemas/openai.ts';

/** `POST /v1/embeddings`: one vector for each input, for clients of OpenAI's API. */
export function openAiEmbeddingRoutes({ engine, kernel }: EncoderContext, readBody: BodyReader): RouteGroup {
  const { name, modelType } = engine.manifest;
  const routes = new Hono();
  if (!returnsTextVectors(modelType)) {
    routes.post('/v1/embeddings', () => {
      const reason = `/v1/embeddings requires an embedding model, but ${name} is ${withArticle(modelType)} model.`;
      throw new AppError('NotFoundError', `${reason} Use /predict.`);
    });
    return { routes, operations: [] };
  }
  const examples = {
    text: { input: 'Anna lives in Berlin.', model: 'any' },
    texts: { input: ['Anna lives in Berlin.', 'So does Ben.'], encoding_format: 'base64' },
    'token ids': { input: [exampleIds(engine)] },
  };
  const request = embeddingsRequest(engine.manifest, engine.limits);

  routes.post('/v1/embeddings', admit(kernel.lifecycle), async (c) => {
    const body = await readBody(c, request);
    checkTokenIds(body.input, 'input', engine);
    const inputs = embeddingInputs(body.input);
    const { options, prompt } = planEmbeddings(inputs, body, engine.manifest);
    const format = body.encoding_format === 'base64' ? 'base64' : 'json';
    const { results, tokens, truncated } = await runModel(c, engine, {
      inputs,
      view: { kind: 'vector', format, ...options },
      prompt,
      overflow: overflowOf(body),
    });
    const count = sumOf(tokens);
    const usage = {
      prompt_tokens: count,
      total_tokens: count,
      // Absent if there are none: clients that know OpenAI's two members only are the rule.
      ...(truncated.length > 0 ? { truncated_inputs: truncated.length } : {}),
    };
    const data = listPieces(results, (index) => `{"object":"embedding","index":${index},"embedding":`, '}');
    const rest = JSON.stringify({ model: name, usage });
    return jsonAnswer(c, ['{"object":"list","data":', ...data, `,${rest.slice(1)}`]);
  });
  return { routes, operations: [{ ...OPERATION, request: { schema: request, examples } }] };
}

const OPERATION: Omit<Operation, 'request'> = {
  method: 'post',
  path: '/v1/embeddings',
  id: 'createEmbeddings',
  tag: 'OpenAI',
  summary: 'Create one embedding per input.',
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
};
