import { allowsTransform, MODEL_TYPE_NAMES } from '../../runtime/contract/model-types.ts';
import { isMapping } from '../../runtime/core/yaml/describe.ts';
import type { Finding } from '../../runtime/core/yaml/issue.ts';

/** Checks that a schema cannot express: a transform of a model type without transforms. */
export function checkTransform(value: Readonly<Record<string, unknown>>): Finding[] {
  const fields = value['encoderfile'];
  if (!isMapping(fields) || fields['transform'] === undefined) return [];
  const type = MODEL_TYPE_NAMES.find((name) => name === fields['model_type']);
  if (type === undefined || allowsTransform(type)) return [];
  return [
    {
      path: ['encoderfile', 'transform'],
      at: 'key',
      message: `is not supported for model_type ${type}, because a result is computed from several outputs of the model; remove it`,
    },
  ];
}
