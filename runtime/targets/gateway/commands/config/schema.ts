import type { Command } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';

/** `config schema` prints the schema with which editors complete and check the configuration file. */
export const schemaCommand: Command = {
  summary: 'Print the JSON Schema of the configuration file.',
  options: JSON_OPTION,
  async run(_invocation, output) {
    const { schemaText } = await import('../../config/schema-text.ts');
    output.out(schemaText());
    return 0;
  },
};
