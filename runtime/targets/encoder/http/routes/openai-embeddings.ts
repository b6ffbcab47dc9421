import { Hono } from 'hono';
import { AppError, inputError } from '../../../../contract/errors.ts';
import type { Manifest } from '../../../../contract/manifest.ts';
import { withArticle } from '../../../../core/text/with-article.ts';
import { returnsVectors } from '../../../../contract/model-types.ts';
import { admit } from '../../../../serve/http/admit.ts';
import type { BodyReader } from '../../../../serve/http/body.ts';
import type { Operation } from '../../../../serve/http/openapi/operation.ts';
import { WORK_ERRORS } from '../../../../serve/http/openapi/statuses.ts';
import type { EncoderContext } from '../../context.ts';
import type { EngineInput } from '../../engine/serving.ts';
import { planVector, type VectorPlan } from '../../../../core/model/vector-plan.ts';
import { jsonAnswer, listPieces } from '../json-bytes.ts';
import type { RouteGroup } from '../../../../serve/http/route-group.ts';
import { runModel, sumOf, TIMING_HEADERS } from '../run-model.ts';
import { type EmbeddingsRequest, embeddingsRequest, embeddingsResponse } from '../../schemas/openai.ts';

/** `POST /v1/embeddings`: one vector for each input, for clients of OpenAI's API. */
export function openAiEmbeddingRoutes({ engine, kernel }: EncoderContext, readBody: BodyReader): RouteGroup {
  const { name, modelType } = engine.manifest;
  const routes = new Hono();
  if (!returnsVectors(modelType)) {
    routes.post('/v1/embeddings', () => {
      const reason = `/v1/embeddings requires an embedding model, but ${name} is ${withArticle(modelType)} model.`;
      throw new AppError('NotFoundError', `${reason} Use /predict.`);
    });
    return { routes, operations: [] };
  }
  const request = embeddingsRequest(engine.manifest);

  routes.post('/v1/embeddings', admit(kernel.lifecycle), async (c) => {
    const body = await readBody(c, request);
    const inputs = engineInputs(body.input);
    const { options, prompt } = planFor(inputs, body, engine.manifest);
    const format = body.encoding_format === 'base64' ? 'base64' : 'json';
    const { results, tokens } = await runModel(
      c,
      engine,
      inputs,
      { kind: 'vector', format, ...options },
      prompt,
    );
    const count = sumOf(tokens);
    const usage = { prompt_tokens: count, total_tokens: count };
    const data = listPieces(results, (index) => `{"object":"embedding","index":${index},"embedding":`, '}');
    const rest = JSON.stringify({ model: name, usage });
    return jsonAnswer(c, ['{"object":"list","data":', ...data, `,${rest.slice(1)}`]);
  });
  return { routes, operations: [{ ...OPERATION, request: { schema: request, examples: EXAMPLES } }] };
}

/** OpenAI vectors are always L2-normalized, whatever the model's other routes do. */
function planFor(inputs: readonly EngineInput[], body: EmbeddingsRequest, manifest: Manifest): VectorPlan {
  const { dimensions, prompt_name: promptName } = body;
  const wishes = { normalize: body.normalize ?? true, dimensions };
  if (inputs.every((input) => 'text' in input)) return planVector(manifest, { ...wishes, promptName });
  if (promptName) {
    throw inputError(
      'prompt_name requires text inputs, but the input is token ids. Prepend the token ids of the prompt instead.',
    );
  }
  return planVector(manifest, { ...wishes, promptName: '' });
}

function engineInputs(input: EmbeddingsRequest['input']): EngineInput[] {
  if (typeof input === 'string') return [{ text: input }];
  if (isTokenIds(input)) return [{ ids: input }];
  return input.map((element) => (typeof element === 'string' ? { text: element } : { ids: element }));
}

const isTokenIds = (input: string[] | number[] | number[][]): input is number[] =>
  typeof input[0] === 'number';

const EXAMPLES = {
  text: { input: 'Anna lives in Berlin.', model: 'any' },
  texts: { input: ['Anna lives in Berlin.', 'So does Ben.'], encoding_format: 'base64' },
  'token ids': { input: [[2, 5, 3]] },
};

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
    headers: TIMING_HEADERS,
  },
  errors: WORK_ERRORS,
  openAiErrors: true,
};
