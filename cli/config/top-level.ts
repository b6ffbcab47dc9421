import { CONFIG_FIELDS } from '#contract/config-schema.ts';
import { describe, isMapping } from '#core/yaml/describe.ts';
import type { Finding } from '#core/yaml/issue.ts';

/**
 * Detects mistakes that would make schema errors useless: a file that is not a mapping, or fields without indentation. `rest`
 * is validated normally.
 */
export function checkTopLevel(value: unknown): {
  findings: Finding[];
  rest: Record<string, unknown> | undefined;
} {
  const refuse = (message: string) => ({
    findings: [{ path: [], at: 'value', message } as const],
    rest: undefined,
  });
  if (value === null || value === undefined)
    return refuse('the file is empty; expected a mapping with the key `encoderfile`');
  if (!isMapping(value))
    return refuse(`expected a mapping with the key \`encoderfile\`, found ${describe(value)}`);

  const [first, ...others] = Object.keys(value).filter((key) => CONFIG_FIELDS.includes(key));
  if (first === undefined) return { findings: [], rest: value };
  const names = [first, ...others].map((name) => `\`${name}\``).join(', ');
  const [verb, them] = others.length > 0 ? ['are', 'them'] : ['is', 'it'];
  const where = Object.hasOwn(value, 'encoderfile')
    ? 'under `encoderfile:`'
    : 'under a first line `encoderfile:`';
  const findings: Finding[] = [
    {
      path: [first],
      at: 'key',
      label: [],
      message: `${names} ${verb} at the top level; indent ${them} ${where}`,
    },
  ];
  const nested = value['encoderfile'];
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => !CONFIG_FIELDS.includes(key)));
  return { findings, rest: isMapping(nested) ? rest : undefined };
}
