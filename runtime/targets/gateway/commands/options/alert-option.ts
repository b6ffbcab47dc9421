import type { Invocation, Option } from '#serve/cli/command.ts';
import { clearableValue } from './option-value.ts';

export const ALERT_OPTION = {
  'alert-at': {
    value: 'percentages',
    help: 'Percentages of the limit at which alerts are sent, e.g. 50,90, none, or default for those of the configuration',
  },
} satisfies Readonly<Record<string, Option>>;

/** The percentages of `--alert-at`; null for those of the configuration, undefined without the option. */
export const alertThresholdsOf = (invocation: Invocation): readonly number[] | null | undefined =>
  clearableValue(invocation, 'alert-at', {
    rule: 'percentages from 1 to 100 separated by commas, or none',
    parse: parsePercentages,
    none: 'default',
  });

function parsePercentages(text: string): number[] | undefined {
  if (text.trim().toLowerCase() === 'none') return [];
  const parts = text.split(',').map((part) => part.trim().replace(/%$/, ''));
  const areValid = parts.length <= MAX_THRESHOLDS && parts.every((part) => /^(?:[1-9]\d?|100)$/.test(part));
  return areValid ? parts.map(Number) : undefined;
}

const MAX_THRESHOLDS = 10;
