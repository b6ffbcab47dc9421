import type { CommandGroup } from '#serve/cli/command.ts';
import { groupCommands, ORGANIZATIONS } from './groups.ts';

const COMMANDS = groupCommands(ORGANIZATIONS);

export const ORG_COMMANDS: CommandGroup = {
  summary: 'Manage organizations, whose teams share a budget.',
  commands: {
    create: COMMANDS.create,
    list: COMMANDS.list,
    get: COMMANDS.get,
    update: COMMANDS.update,
    delete: COMMANDS.delete,
  },
};
