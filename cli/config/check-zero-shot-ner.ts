import { isMapping } from '../../runtime/core/yaml/describe.ts';
import type { Finding } from '../../runtime/core/yaml/issue.ts';

const TYPE = 'zero_shot_ner';

/** Checks that a schema cannot express: settings that zero_shot_ner models do not have. */
export function checkZeroShotNer(value: Readonly<Record<string, unknown>>): Finding[] {
  const fields = value['encoderfile'];
  if (!isMapping(fields) || fields['model_type'] !== TYPE) return [];
  const findings: Finding[] = [];
  if (fields['transform'] !== undefined) {
    findings.push({
      path: ['encoderfile', 'transform'],
      at: 'key',
      message: `is not supported for model_type ${TYPE}, whose output depends on the labels of each request; remove it`,
    });
  }
  if (fields['long_texts'] === 'truncate') {
    findings.push({
      path: ['encoderfile', 'long_texts'],
      at: 'value',
      message: `truncate is not supported for model_type ${TYPE}, which always reads long texts in windows; remove it`,
    });
  }
  return findings;
}
