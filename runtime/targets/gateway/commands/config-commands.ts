import type { CommandGroup } from '../../../serve/cli/command.ts';
import { checkCommand } from './config/check.ts';
import { schemaCommand } from './config/schema.ts';

export const CONFIG_COMMANDS: CommandGroup = {
  summary: 'Look at the configuration.',
  commands: { check: checkCommand, schema: schemaCommand },
};
