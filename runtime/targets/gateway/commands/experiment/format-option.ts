import type { Invocation, Option } from '../../../../serve/cli/command.ts';

export const FORMAT_OPTION: Readonly<Record<string, Option>> = {
  format: {
    value: 'format',
    help: 'What the comparison is printed as',
    choices: ['markdown', 'csv', 'json'],
    fallback: 'markdown',
  },
};

export const readFormat = (invocation: Invocation): string => invocation.value('format') ?? 'markdown';
