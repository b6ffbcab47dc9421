import type { Invocation, Option, Output } from '#serve/cli/command.ts';
import { formatOf, JSON_OPTION } from '#serve/cli/output-format.ts';
import { printJson, printLines } from '#serve/cli/terminal.ts';

/** Output format options for commands that print data. */
export const DATA_FORMAT_OPTION = {
  ...JSON_OPTION,
  format: {
    value: 'format',
    help: 'Output format',
    choices: ['text', 'json', 'yaml'],
    fallback: 'text',
  },
} satisfies Readonly<Record<string, Option>>;

/** Prints a result in the selected format. */
export async function printData(
  invocation: Invocation,
  output: Output,
  { data, lines }: { readonly data: unknown; readonly lines: () => readonly string[] },
): Promise<void> {
  const format = formatOf(invocation);
  if (format === 'json') return printJson(output, data);
  if (format !== 'yaml') return printLines(output, lines());
  const { stringify } = await import('yaml');
  return output.out(stringify(data));
}
