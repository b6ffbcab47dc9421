import { extname } from 'node:path';
import { UsageError } from '../../../serve/cli/command.ts';

/** The kinds of file `infer --input` reads. */
export const INPUT_FORMATS = ['txt', 'jsonl', 'csv'] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

export function formatOf(input: string, given: string | undefined): InputFormat {
  const known = INPUT_FORMATS.find((format) => format === (given ?? extname(input).slice(1).toLowerCase()));
  if (known) return known;
  if (input === '-') return 'txt';
  throw new UsageError(
    `--input ${input}: the name does not tell the format. Add --input-format ${INPUT_FORMATS.join('|')}.`,
  );
}
