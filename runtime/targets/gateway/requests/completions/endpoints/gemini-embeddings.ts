import { Type } from 'typebox';
import { membersOf } from '#core/json/members-of.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { inputError } from '#contract/errors.ts';
import type { WholeAnswer } from '../../../providers/adapters/provider.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import { objectsIn } from '../../../providers/wires/foreign-json.ts';
import type { EndpointRules } from './endpoint.ts';
import { openObject, optionalOrNull, requestGuardrails, userName } from './shapes.ts';
import { promptTokensIn, textOr } from './tokens.ts';

const content = openObject({ parts: Type.Array(openObject({ text: Type.String() }), { minItems: 1 }) });
const dimensions = optionalOrNull(Type.Integer({ minimum: 1 }));
const common = { user: userName, guardrails: requestGuardrails };

const SINGLE = openObject(
  { content, outputDimensionality: dimensions, ...common },
  { $id: 'EmbedContentRequest', description: 'A text to embed, in the format of Gemini’s API.' },
);
const BATCH = openObject(
  {
    requests: Type.Array(openObject({ content, outputDimensionality: dimensions }), { minItems: 1 }),
    ...common,
  },
  { $id: 'BatchEmbedContentsRequest', description: 'Texts to embed, in the format of Gemini’s API.' },
);

/** Embeddings in the format of Gemini's API, by any provider. @see https://ai.google.dev/api/embeddings */
const rulesFor = (
  schema: typeof SINGLE,
  requestsOf: (body: Json) => readonly Json[],
  answerOf: (vectors: readonly Json[]) => Json,
): EndpointRules => ({
  schema,
  user: (body) => textOr(body['user']),
  endUser: () => undefined,
  promptTokens: promptTokensIn,
  maxOutputTokens: () => 0,
  forwardedHeaders: [],
  async call(router, resolved, call, options) {
    const body = openAiBody(requestsOf(call.body), call.body['model']);
    const { members: _members, ...rest } = call;
    const routed = await router.embed(
      resolved,
      { ...rest, body, bytes: Buffer.from(JSON.stringify(body)) },
      options,
    );
    const { answer } = routed;
    if (answer.kind === 'failed') return { ...routed, answer };
    const converted: WholeAnswer = {
      ...answer,
      bytes: Buffer.from(JSON.stringify(answerOf(vectorsIn(answer)))),
    };
    return { ...routed, answer: converted };
  },
});

export const geminiEmbedEndpoint = rulesFor(
  SINGLE,
  (body) => [body],
  ([embedding]) => ({ embedding }),
);

export const geminiBatchEmbedEndpoint = rulesFor(
  BATCH,
  ({ requests }) => requests as readonly Json[],
  (embeddings) => ({ embeddings }),
);

/** The request in OpenAI's format, which all providers are called with. */
function openAiBody(requests: readonly Json[], model: unknown): Json {
  const sizes = new Set(
    requests.map((one) => one['outputDimensionality'] ?? one['output_dimensionality'] ?? null),
  );
  if (sizes.size > 1) throw inputError('all requests must have the same outputDimensionality');
  const [size] = sizes;
  const input = requests.map(({ content: one }) =>
    objectsIn(membersOf(one)['parts'], '`parts`')
      .map(({ text }) => String(text))
      .join('\n'),
  );
  return { model, input, ...(typeof size === 'number' && { dimensions: size }) };
}

const vectorsIn = ({ bytes }: WholeAnswer): readonly Json[] =>
  objectsIn(membersOf(parseJsonText(Buffer.from(bytes).toString('utf8')))['data'], '`data`').map(
    ({ embedding }) => ({ values: embedding }),
  );
