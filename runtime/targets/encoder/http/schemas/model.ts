import { Type } from 'typebox';
import { MODEL_TYPE_NAMES } from '../../../../contract/model-types.ts';
import { oneOf, textMap } from '../../../../serve/http/schemas.ts';

export const modelMetadata = Type.Object(
  {
    model_id: Type.String(),
    model_type: oneOf(MODEL_TYPE_NAMES),
    id2label: Type.Optional(textMap({ description: 'The label of each index.' })),
  },
  { $id: 'ModelMetadata' },
);
