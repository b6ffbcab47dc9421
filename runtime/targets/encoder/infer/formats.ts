import { extname } from 'node:path';
import { UsageError } from '#serve/cli/command.ts';

/** File formats that `infer --input` reads. */
export const INPUT_FORMATS = ['txt', 'jsonl', 'csv'] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

export function formatOfInput(input: string, given: string | undefined): InputFormat {
  const known = INPUT_FORMATS.find((format) => format === (given ?? extname(input).slice(1).toLowerCase()));
  if (known) return known;
  if (input === '-') return 'txt';
  throw new UsageError(
    `Cannot detect the format of --input ${input}. Set it with --input-format ${INPUT_FORMATS.join('|')}.`,
  );
}
