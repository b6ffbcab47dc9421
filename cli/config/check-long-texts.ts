import { isMapping } from '#core/yaml/describe.ts';
import type { Finding } from '#core/yaml/issue.ts';

/** Checks that a schema cannot express: windows of a model type without them, strides without windows, and two strides. */
export function checkLongTexts(value: Readonly<Record<string, unknown>>): Finding[] {
  const fields = value['encoderfile'];
  if (!isMapping(fields)) return [];
  const { long_texts: rule, model_type: type, stride, tokenizer } = fields;
  const inner = isMapping(tokenizer) ? tokenizer['stride'] : undefined;
  const readsWindows = rule === 'windows' || isAlwaysInWindows(type);
  const findings: Finding[] = [];
  const reason = WITHOUT_WINDOWS.get(String(type));
  if (rule === 'windows' && reason !== undefined) {
    findings.push({
      path: ['encoderfile', 'long_texts'],
      at: 'value',
      message: `windows is not supported for model_type ${String(type)}, because ${reason}; remove it, or use truncate`,
    });
  }
  if (!readsWindows && stride !== undefined) {
    findings.push({
      path: ['encoderfile', 'stride'],
      at: 'key',
      message: 'requires `long_texts: windows`; add it, or remove `stride`',
    });
  }
  // A stride of 0 without windows is the default of other build tools.
  if (!readsWindows && typeof inner === 'number' && inner > 0) {
    findings.push({
      path: ['encoderfile', 'tokenizer', 'stride'],
      at: 'value',
      message: `is ${inner}, but long texts are truncated and not read in windows; add \`long_texts: windows\`, or set it to 0`,
    });
  }
  if (typeof stride === 'number' && typeof inner === 'number' && stride !== inner) {
    findings.push({
      path: ['encoderfile', 'tokenizer', 'stride'],
      at: 'value',
      message: `is ${inner}, but \`stride\` is ${stride}; remove one of them`,
    });
  }
  return findings;
}

/** Checks that texts are not to be truncated that are always read in windows. Defaults must not have been filled in. */
export function checkTruncation(value: Readonly<Record<string, unknown>>): Finding[] {
  const fields = value['encoderfile'];
  if (!isMapping(fields) || !isAlwaysInWindows(fields['model_type']) || fields['long_texts'] !== 'truncate')
    return [];
  return [
    {
      path: ['encoderfile', 'long_texts'],
      at: 'value',
      message: `truncate is not supported for model_type ${String(fields['model_type'])}, which always reads long texts in windows; remove it`,
    },
  ];
}

/** Whether models of a type read every long text in windows. */
export const isAlwaysInWindows = (type: unknown): boolean => type === 'zero_shot_ner';

const WITHOUT_WINDOWS: ReadonlyMap<string, string> = new Map([
  ['sequence_classification', 'the scores of parts of a text cannot be merged'],
  ['zero_shot_classification', 'the scores of parts of a text cannot be merged'],
  ['fill_mask', 'a mask can be in two windows'],
  ['sparse_embedding', 'sparse vectors of parts of a text are not merged'],
  ['multi_vector', 'each document has a marker and a maximum length of its own'],
]);
