import { hasTransforms, MODEL_TYPE_NAMES } from '#contract/model-types.ts';
import { isMapping } from '#core/yaml/describe.ts';
import type { Finding } from '#core/yaml/issue.ts';

/** Checks that a schema cannot express: a transform of a model type that has none. */
export function checkTransform(value: Readonly<Record<string, unknown>>): Finding[] {
  const fields = value['encoderfile'];
  if (!isMapping(fields)) return [];
  const type = MODEL_TYPE_NAMES.find((name) => name === fields['model_type']);
  if (type === undefined || hasTransforms(type) || !Object.hasOwn(fields, 'transform')) return [];
  return [
    {
      path: ['encoderfile', 'transform'],
      at: 'key',
      message: `is not supported for model_type ${type}; remove it, or change \`model_type\``,
    },
  ];
}
