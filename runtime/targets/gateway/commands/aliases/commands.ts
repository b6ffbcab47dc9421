import type { CommandGroup } from '#serve/cli/command.ts';
import { createAliasCommand } from './create.ts';
import { deleteAliasCommand } from './delete.ts';
import { getAliasCommand } from './get.ts';
import { listAliasesCommand } from './list.ts';
import { updateAliasCommand } from './update.ts';

export const ALIAS_COMMANDS: CommandGroup = {
  summary: 'Manage aliases of models in the database; those of the configuration file are only listed.',
  commands: {
    list: listAliasesCommand,
    get: getAliasCommand,
    create: createAliasCommand,
    update: updateAliasCommand,
    delete: deleteAliasCommand,
  },
};
