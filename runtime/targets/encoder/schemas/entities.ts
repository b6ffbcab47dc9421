import { Type } from 'typebox';
import { DEFAULT_THRESHOLD } from '#core/model/entity-options.ts';
import { optional } from '#serve/http/schemas.ts';

/** Members of a request for entities of types in the request. */
export const entityMembers = {
  labels: Type.Array(Type.String({ minLength: 1, title: 'text' }), {
    minItems: 1,
    title: 'a list of texts',
    description: 'Types of the entities to find, in any words: `person`, `name of a product`.',
  }),
  threshold: optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: DEFAULT_THRESHOLD,
      description: 'Minimum score: entities with a higher score are returned.',
    }),
  ),
  flat_ner: optional(
    Type.Boolean({
      default: true,
      description: 'Whether entities do not overlap. With `false`, an entity can be a part of another one.',
    }),
  ),
  multi_label: optional(
    Type.Boolean({ default: false, description: 'Whether the same words can have several types.' }),
  ),
};
