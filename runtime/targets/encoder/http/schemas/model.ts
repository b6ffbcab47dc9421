import { Type } from 'typebox';
import { MODEL_TYPE_NAMES } from '../../../../contract/model-types.ts';
import { SCORE_FUNCTIONS } from '../../../../contract/score-function.ts';
import { POOLINGS } from '../../../../contract/sentence.ts';
import { oneOf, textMap } from '../../../../serve/http/schemas.ts';

export const modelMetadata = Type.Object(
  {
    model_id: Type.String(),
    model_type: oneOf(MODEL_TYPE_NAMES),
    id2label: Type.Optional(textMap({ description: 'The label of each index.' })),
    score_function: Type.Optional(
      oneOf(SCORE_FUNCTIONS, {
        description:
          'How scores follow from logits, if not by softmax; with `none` the logits are the scores (regression).',
      }),
    ),
    pooling: Type.Optional(
      oneOf(POOLINGS, {
        description: 'How the vectors of tokens become one; `none` where the model itself gives one.',
      }),
    ),
    normalize: Type.Optional(Type.Boolean({ description: 'Whether vectors are divided by their length.' })),
    dimensions: Type.Optional(Type.Integer({ description: 'How many numbers a vector has.' })),
    prompts: Type.Optional(textMap({ description: 'By name, what can be put before a text.' })),
    default_prompt_name: Type.Optional(
      Type.String({ description: 'The prompt that is put there where a request names none.' }),
    ),
  },
  { $id: 'ModelMetadata' },
);
