import { textOrUndefined } from '#core/values/text-or-undefined.ts';
import { Type } from 'typebox';
import { memberOf } from '#core/values/member-of.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import { CLIENT_WIRES } from '../../../providers/wires/index.ts';
import {
  openObject,
  optionalOrNull,
  requestGuardrails,
  requestTools,
  userName,
  type EndpointRules,
} from './endpoint.ts';
import { limitOf, maxOutputTokensIn } from '../estimate.ts';
import { membersOf } from '#core/json/members-of.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { inputError } from '#contract/errors.ts';
import type { WholeAnswer } from '../../../providers/adapters/provider.ts';
import { objectsIn } from '../../../providers/wires/foreign-json.ts';

export const GEMINI_SCHEMA = openObject(
  {
    contents: Type.Array(openObject({ parts: optionalOrNull(Type.Array(openObject({}))) }), {
      minItems: 1,
      description:
        'The conversation: `role` is `user` or `model`; `parts` contains texts, data and function calls.',
    }),
    systemInstruction: optionalOrNull(openObject({})),
    generationConfig: optionalOrNull(
      openObject({
        maxOutputTokens: optionalOrNull(Type.Integer({ minimum: 0 })),
        candidateCount: optionalOrNull(Type.Integer({ minimum: 1 })),
      }),
    ),
    tools: requestTools,
    user: userName,
    guardrails: requestGuardrails,
  },
  {
    $id: 'GenerateContentRequest',
    description: 'A request in Gemini’s API format. Other members are sent to the provider unchanged.',
  },
);

/** @see https://ai.google.dev/api/generate-content */
export const geminiEndpoint: EndpointRules = {
  schema: GEMINI_SCHEMA,
  user: (body) => textOrUndefined(body['user']),
  endUser: () => undefined,
  maxOutputTokens(body, assumed) {
    return maxOutputTokensIn(
      {
        limit: largestOf(body, ['maxOutputTokens', 'max_output_tokens']),
        n: largestOf(body, ['candidateCount', 'candidate_count']),
      },
      ['limit'],
      assumed,
    );
  },
  syntax: CLIENT_WIRES.gemini.syntax,
  forwardedHeaders: [],
  call: (router, resolved, call, options) => router.chat(resolved, { ...call, wire: 'gemini' }, options),
};

/** The largest value of these settings, because Google accepts two spellings of each name. */
function largestOf(body: Json, names: readonly string[]): number | undefined {
  const configs = [body['generationConfig'], body['generation_config']];
  return configs
    .flatMap((config) => names.map((name) => limitOf(memberOf(config, name))))
    .reduce((most, value) => (value === undefined ? most : Math.max(most ?? 0, value)), undefined);
}

const content = openObject({ parts: Type.Array(openObject({ text: Type.String() }), { minItems: 1 }) });

const dimensions = optionalOrNull(Type.Integer({ minimum: 1 }));

const common = { user: userName, guardrails: requestGuardrails };

const SINGLE = openObject(
  { content, outputDimensionality: dimensions, ...common },
  { $id: 'EmbedContentRequest', description: 'A text to embed, in Gemini’s API format.' },
);

const BATCH = openObject(
  {
    requests: Type.Array(openObject({ content, outputDimensionality: dimensions }), { minItems: 1 }),
    ...common,
  },
  { $id: 'BatchEmbedContentsRequest', description: 'Texts to embed, in Gemini’s API format.' },
);

/** Embeddings in the Gemini API's format, from any provider. @see https://ai.google.dev/api/embeddings */
const rulesFor = (
  schema: typeof SINGLE,
  requestsOf: (body: Json) => readonly Json[],
  answerOf: (vectors: readonly Json[]) => Json,
): EndpointRules => ({
  schema,
  user: (body) => textOrUndefined(body['user']),
  endUser: () => undefined,
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

/** The request in OpenAI's format, in which all providers are called. */
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
