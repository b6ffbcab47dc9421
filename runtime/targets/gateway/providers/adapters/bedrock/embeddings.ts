import { membersOf } from '#core/json/members-of.ts';
import type { Json } from '../../shapes/chat.ts';
import { readUsage } from '../../streams/tally.ts';
import { embeddedTexts } from '../embedded-texts.ts';
import type { EmbeddingsCall, EmbeddingsExchange } from '../provider.ts';
import { unsupported } from '../unsupported.ts';
import { vectorsAnswer } from '../vectors.ts';
import { bareModel, modelPath } from './model-path.ts';

/** A family of embedding models, each with an API of its own. */
interface Family {
  /** Maximum number of texts of one request. */
  readonly maxTexts: number;
  request(texts: readonly string[], body: Json, model: string): Json;
  vectors(body: Json): unknown;
}

/** @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html */
const TITAN: Family = {
  maxTexts: 1,
  request: ([text = ''], { dimensions }) => ({
    inputText: text,
    ...(typeof dimensions === 'number' && { dimensions }),
  }),
  vectors: ({ embedding }) => [embedding],
};

/** @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html */
const COHERE: Family = {
  maxTexts: 96,
  request: (texts, { dimensions, input_type: type }) => ({
    texts,
    input_type: typeof type === 'string' ? type : 'search_document',
    embedding_types: ['float'],
    ...(typeof dimensions === 'number' && { output_dimension: dimensions }),
  }),
  vectors: ({ embeddings }) => (Array.isArray(embeddings) ? embeddings : membersOf(embeddings)['float']),
};

function familyOf(model: string): Family {
  const name = bareModel(model);
  if (name.startsWith('amazon.titan-embed-text')) return TITAN;
  if (name.startsWith('cohere.embed')) return COHERE;
  throw unsupported(`embeddings of ${model}; it has those of Titan and Cohere`, 'The gateway');
}

export const textsOf = (input: unknown): readonly string[] => embeddedTexts(input, 'Amazon Bedrock');

/** Maximum number of texts of one request to a model. Throws a NotImplementedError if it does not embed. */
export const maxTextsOf = (model: string): number => familyOf(model).maxTexts;

export const bedrockEmbeddings: EmbeddingsExchange = {
  path: (model) => modelPath(model, 'invoke'),
  request: ({ body, model }) =>
    Buffer.from(JSON.stringify(familyOf(model).request(textsOf(body['input']), body, model))),
  answer(json, call) {
    const vectors = familyOf(call.model).vectors(json) as readonly (readonly number[])[];
    return vectorsAnswer(vectors, call, tokensIn(json) ?? 0);
  },
  usage: (json) => {
    const tokens = tokensIn(json);
    return tokens === undefined ? undefined : readUsage({ prompt_tokens: tokens, completion_tokens: 0 });
  },
};

const tokensIn = ({ inputTextTokenCount: tokens }: Json): number | undefined =>
  typeof tokens === 'number' ? tokens : undefined;

/** A call for some of the texts of another. */
export const callFor = (call: EmbeddingsCall, texts: readonly string[]): EmbeddingsCall => ({
  ...call,
  body: { ...call.body, input: texts },
});
