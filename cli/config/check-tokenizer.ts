import { describe, isMapping } from '#core/yaml/describe.ts';
import type { Finding } from '#core/yaml/issue.ts';

const TOKENIZER = ['encoderfile', 'tokenizer'];

/** Checks that a schema cannot express: two maximum lengths, and settings that would give other results than they say. */
export function checkTokenizer(value: Readonly<Record<string, unknown>>): Finding[] {
  const fields = value['encoderfile'];
  const options = isMapping(fields) ? fields['tokenizer'] : undefined;
  if (!isMapping(fields) || !isMapping(options)) return [];
  const findings: Finding[] = [];
  const [outer, inner] = [fields['max_length'], options['max_length']];
  if (typeof outer === 'number' && typeof inner === 'number' && outer !== inner) {
    findings.push({
      path: [...TOKENIZER, 'max_length'],
      at: 'value',
      message: `is ${inner}, but \`max_length\` is ${outer}; remove one of them`,
    });
  }
  if (options['truncation_strategy'] === 'only_second') {
    findings.push({
      path: [...TOKENIZER, 'truncation_strategy'],
      at: 'value',
      message: 'only_second never truncates a single text; use longest_first, or remove it',
    });
  }
  const padding = options['pad_strategy'];
  if (typeof padding === 'string' && padding !== '' && padding !== 'batch_longest') {
    findings.push({
      path: [...TOKENIZER, 'pad_strategy'],
      at: 'value',
      message: `expected batch_longest or a mapping with \`fixed\`, found ${describe(padding)}`,
    });
  }
  return findings;
}
