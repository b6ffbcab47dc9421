import { isMapping } from '#core/yaml/describe.ts';
import type { Finding } from '#core/yaml/issue.ts';

const TYPE = 'zero_shot_ner';

/** Checks that a schema cannot express: long texts of zero_shot_ner models are never truncated. */
export function checkZeroShotNer(value: Readonly<Record<string, unknown>>): Finding[] {
  const fields = value['encoderfile'];
  if (!isMapping(fields) || fields['model_type'] !== TYPE || fields['long_texts'] !== 'truncate') return [];
  return [
    {
      path: ['encoderfile', 'long_texts'],
      at: 'value',
      message: `truncate is not supported for model_type ${TYPE}, which always reads long texts in windows; remove it`,
    },
  ];
}
