import type { CommandGroup } from '#serve/cli/command.ts';
import { checkCommand } from './check.ts';
import { schemaCommand } from './schema.ts';

export const CONFIG_COMMANDS: CommandGroup = {
  summary: 'Check the configuration, or print its schema.',
  commands: { check: checkCommand, schema: schemaCommand },
};
