import { type Invocation, UsageError } from '#serve/cli/command.ts';
import { INPUT_FORMATS } from './formats.ts';
import type { InputFlags } from './input-source.ts';

/** Options that name an input, for `infer` and `bench`. */
export const INPUT_OPTIONS = {
  input: {
    value: 'file',
    help: 'Read texts, or paths of images, from a file (.txt, .jsonl or .csv); - reads from stdin; or a folder with images',
  },
  'input-format': {
    value: 'format',
    help: 'Format of --input',
    defaultText: 'the file extension',
    choices: INPUT_FORMATS,
  },
  column: {
    value: 'name',
    help: 'Column (.csv) or key (.jsonl) that contains the text',
    fallback: 'text',
  },
} as const;

/** Reads the options; undefined without `--input`. */
export function readInputFlags(invocation: Invocation): InputFlags | undefined {
  const input = invocation.value('input');
  const format = invocation.value('input-format');
  if (input !== undefined) return { input, format, column: invocation.value('column') ?? 'text' };
  if (format !== undefined) throw new UsageError('--input-format requires --input.');
  return undefined;
}
