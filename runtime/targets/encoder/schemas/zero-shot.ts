import { Type } from 'typebox';
import { documented } from '#serve/http/documented.ts';
import { optional } from '#serve/http/schemas.ts';
import { DEFAULT_TEMPLATE } from '#core/model/label-plan.ts';
import type { EngineLimits } from '../engine/serving.ts';
import { overflowMembers } from './overflow.ts';
import { NOT_EMPTY, text } from './texts.ts';

/** Request options of zero-shot classification, named as in the pipeline of transformers. */
export const zeroShotMembers = {
  candidate_labels: Type.Array(Type.String({ minLength: 1, title: 'text' }), {
    minItems: 1,
    title: 'a list of texts',
    description: 'The labels to score. Each text is read once with each of them.',
  }),
  hypothesis_template: optional(
    documented(
      Type.String({
        default: DEFAULT_TEMPLATE,
        description: 'The sentence that is true if a label fits; `{}` is replaced by the label.',
      }),
      { pattern: '\\{\\}' },
    ),
  ),
  multi_label: optional(
    Type.Boolean({
      default: false,
      description:
        'Whether several labels can be true. Scores are then independent; otherwise their sum is 1.',
    }),
  ),
};

export const pairedTexts = (maxInputs: number) =>
  documented(
    Type.Array(text, {
      minItems: 1,
      title: 'a list of texts',
      description: `Texts. At most ${maxInputs} per request, and as many pairs of a text and a label.`,
      ...NOT_EMPTY,
    }),
    { maxItems: maxInputs },
  );

/** Requests of Hugging Face's Inference API. */
export const zeroShotRequest = ({ maxClientBatch }: EngineLimits) =>
  Type.Object(
    {
      inputs: Type.Union([text, pairedTexts(maxClientBatch)]),
      parameters: Type.Object(zeroShotMembers),
      ...overflowMembers,
    },
    { $id: 'ZeroShotRequest' },
  );

export const zeroShotResult = Type.Object(
  {
    sequence: Type.String({ description: 'The text.' }),
    labels: Type.Array(Type.String(), { description: 'The labels, the one with the highest score first.' }),
    scores: Type.Array(Type.Number(), { description: 'The score of each label, in the same order.' }),
  },
  { $id: 'ZeroShotResult' },
);

export const zeroShotResponse = Type.Union([zeroShotResult, Type.Array(zeroShotResult)], {
  $id: 'ZeroShotResponse',
  description: 'One result for a text, a list for a list of texts.',
});
