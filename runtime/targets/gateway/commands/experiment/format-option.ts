import type { Option } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';

export const FORMAT_OPTION: Readonly<Record<string, Option>> = {
  ...JSON_OPTION,
  format: {
    value: 'format',
    help: 'Output format of the comparison',
    choices: ['markdown', 'csv', 'json'],
    fallback: 'markdown',
  },
};
