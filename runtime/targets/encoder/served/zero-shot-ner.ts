import { Type } from 'typebox';
import { DEFAULT_THRESHOLD, planEntities } from '#core/model/entity-options.ts';
import { optional } from '#serve/http/schemas.ts';
import { textMembers } from '../schemas/texts.ts';
import type { BodyOf, ServedType } from './served-type.ts';

const options = {
  labels: Type.Array(Type.String({ minLength: 1, title: 'text' }), {
    minItems: 1,
    title: 'a list of texts',
    description: 'Entity types to find, in your own words, e.g. `person` or `product name`.',
  }),
  threshold: optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: DEFAULT_THRESHOLD,
      description: 'Score threshold: only entities with a higher score are returned.',
    }),
  ),
  flat_ner: optional(
    Type.Boolean({
      default: true,
      description:
        'Whether to return only entities that do not overlap. With `false`, an entity can be part of another entity.',
    }),
  ),
  multi_label: optional(
    Type.Boolean({
      default: false,
      description: 'Whether the same words can be returned with several types.',
    }),
  ),
};

const result = Type.Object(
  {
    entities: Type.Array(
      Type.Object(
        {
          text: Type.String({ description: 'Text of the entity.' }),
          label: Type.String({ description: 'One of the `labels` in the request.' }),
          score: Type.Number(),
          start: Type.Integer({ description: 'Start of the entity in the text, in Unicode code points.' }),
          end: Type.Integer({ description: 'End of the entity in the text, in Unicode code points.' }),
        },
        { $id: 'FoundEntity' },
      ),
      { description: 'Entities in the text, ordered by start.' },
    ),
  },
  { $id: 'ZeroShotNerResult' },
);

export const servedZeroShotNer: ServedType<BodyOf<typeof options, string>> = {
  texts: {
    summary: 'Find entities of the given types in each text.',
    tool: 'Finds entities of the given types in input text sequences.',
  },
  request: (_, { maxClientBatch }) => ({ inputs: textMembers(maxClientBatch), options }),
  result: () => result,
  example: () => ({
    request: { labels: ['person', 'city'], threshold: 0.5 },
    result: {
      entities: [
        { text: 'Anna', label: 'person', score: 0.9866, start: 0, end: 4 },
        { text: 'Berlin', label: 'city', score: 0.9731, start: 14, end: 20 },
      ],
    },
  }),
  bench: (words) => ({ inputs: [words], labels: ['person', 'place'] }),
  // A task type that only exists in this project, because clients send the labels with each request.
  info: () => ({ zero_shot_ner: {} }),
  predict: {
    plan({ manifest }, { labels, threshold, flat_ner: flatNer, multi_label: multiLabel }) {
      const entities = planEntities(manifest, { labels, threshold, flatNer, multiLabel });
      return { labels: entities?.labels, options: { entities } };
    },
  },
  grpc: async () => (await import('#gen/encoder/zero_shot_ner_pb.ts')).ZeroShotNer,
};
