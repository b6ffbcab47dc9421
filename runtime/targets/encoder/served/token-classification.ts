import { type Static, Type } from 'typebox';
import { inputError } from '#contract/errors.ts';
import { oneOf, optional } from '#serve/http/schemas.ts';
import { itemAt } from '#core/values/item-at.ts';
import type { ServingEngine } from '../engine/serving.ts';
import { readRenderedJson } from '../json/json.ts';
import type { AggregationStrategy } from '../math/entities.ts';
import { overflowMembers, textMember, type TextOrPair } from '../schemas/texts.ts';
import { EXAMPLE_TOKEN, numbers, tokenInfo } from '../schemas/results.ts';
import { AGGREGATIONS, type AggregatedEntity, aggregateTexts } from '../tasks/token-classification.ts';
import { HUGGING_FACE_NOTE, isHuggingFaceBody } from './hugging-face.ts';
import { firstLabel, labelsOf } from './labels.ts';
import type { BodyOf, HuggingFaceTask, ServedType } from './served-type.ts';

const options = {
  aggregation: optional(
    oneOf(AGGREGATIONS, {
      description:
        'Add `entities`, grouped as in the transformers pipeline; `none` omits them. Requires single texts, not pairs.',
    }),
  ),
};
type Body = BodyOf<typeof options>;

const entity = Type.Object(
  {
    entity_group: Type.String({ description: 'Label without its `B-` or `I-` prefix.' }),
    score: Type.Number(),
    word: Type.String(),
    start: Type.Integer({ description: 'Start of the entity in the text, in Unicode code points.' }),
    end: Type.Integer({ description: 'End of the entity in the text, in Unicode code points.' }),
  },
  { $id: 'Entity' },
);

const result = Type.Object(
  {
    tokens: Type.Array(
      Type.Object(
        {
          token_info: tokenInfo,
          logits: numbers('Raw model output for each label.'),
          scores: numbers('Probability of each label.'),
          label: Type.String({ description: 'Label with the highest score.' }),
          score: Type.Number({ description: 'Score of the label.' }),
        },
        { $id: 'TokenClassification' },
      ),
      { description: 'One entry per token, excluding special tokens that the tokenizer adds.' },
    ),
    entities: Type.Optional(
      Type.Array(entity, { description: 'Entities in the text, if `aggregation` is set.' }),
    ),
  },
  { $id: 'TokenClassificationResult' },
);

interface Rendered {
  readonly tokens: readonly {
    readonly token_info: {
      readonly token: string;
      readonly token_id: number;
      readonly start: number;
      readonly end: number;
    };
    readonly scores: readonly number[];
  }[];
}

/** Groups the tokens of rendered results into entities. */
const entitiesOf = (
  engine: Pick<ServingEngine, 'manifest' | 'decode'>,
  texts: readonly string[],
  results: readonly Uint8Array[],
  strategy: AggregationStrategy,
): Promise<AggregatedEntity[][]> =>
  aggregateTexts(
    engine,
    texts.map((one, at) => ({
      text: one,
      tokens: (readRenderedJson(itemAt(results, at)) as Rendered).tokens.map(({ token_info, scores }) => ({
        ...token_info,
        scores: Float32Array.from(scores),
      })),
    })),
    strategy,
  );

/**
 * Returns the texts in a request with aggregation. Throws if the request contains pairs, which
 * aggregation does not support.
 */
function singleTexts(inputs: readonly TextOrPair[]): string[] {
  const texts = inputs.filter((input) => typeof input === 'string');
  if (texts.length === inputs.length) return texts;
  const index = inputs.findIndex((input) => typeof input !== 'string');
  throw inputError(
    `inputs/${index} is a pair, but aggregation requires single texts. Send pairs without aggregation.`,
  );
}

const foreignRequest = Type.Object(
  {
    inputs: textMember,
    parameters: optional(
      Type.Object({
        aggregation_strategy: optional(
          oneOf(['simple', 'first', 'average', 'max'], {
            default: 'simple',
            description: 'How to group tokens into entities, as in the transformers pipeline.',
          }),
        ),
      }),
    ),
    ...overflowMembers,
  },
  { $id: 'EntitiesRequest' },
);

/** The entities of one text. */
const huggingFace: HuggingFaceTask<Static<typeof foreignRequest>> = {
  request: () => foreignRequest,
  response: Type.Array(entity, { $id: 'EntitiesResponse' }),
  example: () => ({
    request: { inputs: 'Anna lives in Berlin.' },
    response: [{ entity_group: 'PER', score: 0.98, word: 'Anna', start: 0, end: 4 }],
  }),
  isTheirs: isHuggingFaceBody,
  note: HUGGING_FACE_NOTE,
  async answer(engine, body, run) {
    const { results } = await run({
      inputs: [{ text: body.inputs }],
      view: { kind: 'result', format: 'json', options: {} },
    });
    const strategy = body.parameters?.aggregation_strategy ?? 'simple';
    const [entities] = await entitiesOf(engine, [body.inputs], results, strategy);
    return entities;
  },
};

export const servedTokenClassification: ServedType<Body> = {
  texts: {
    summary: 'Classify each token in each text.',
    tool: 'Performs token classification of input text sequences.',
  },
  request: () => ({
    options,
    // Aggregation does not support pairs.
    restriction: {
      anyOf: [
        { properties: { inputs: { type: 'array', items: { type: 'string' } } } },
        { properties: { aggregation: { enum: ['none', null] } } },
      ],
    },
  }),
  result: () => result,
  example: (manifest) => ({
    request: { aggregation: 'simple' },
    result: {
      tokens: [
        {
          token_info: EXAMPLE_TOKEN,
          logits: [4.1, -0.2],
          scores: [0.9866, 0.0134],
          label: firstLabel(manifest),
          score: 0.9866,
        },
      ],
      entities: [{ entity_group: 'PER', score: 0.9866, word: 'Anna', start: 0, end: 4 }],
    },
  }),
  info: (manifest) => ({ token_classifier: labelsOf(manifest) }),
  predict: {
    plan(engine, { inputs, aggregation }) {
      if (!aggregation || aggregation === 'none') return { options: {} };
      const texts = singleTexts(inputs);
      return {
        options: {},
        async complete(results) {
          const found = await entitiesOf(engine, texts, results, aggregation);
          // A result is a JSON object: its closing brace is replaced to append one member.
          return results.map((one, at) =>
            Buffer.concat([one.subarray(0, -1), Buffer.from(`,"entities":${JSON.stringify(found[at])}}`)]),
          );
        },
      };
    },
  },
  huggingFace,
  grpc: async () => (await import('#gen/encoder/token_classification_pb.ts')).TokenClassification,
};
