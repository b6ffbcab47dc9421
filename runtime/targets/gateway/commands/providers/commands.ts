import type { CommandGroup } from '#serve/cli/command.ts';
import { createProviderCommand } from './create.ts';
import { deleteProviderCommand } from './delete.ts';
import { getProviderCommand } from './get.ts';
import { listProvidersCommand } from './list.ts';
import { testProviderCommand } from './test.ts';
import { updateProviderCommand } from './update.ts';

export const PROVIDER_COMMANDS: CommandGroup = {
  summary: 'Manage providers in the database; those of the configuration file are only listed and tested.',
  commands: {
    list: listProvidersCommand,
    get: getProviderCommand,
    create: createProviderCommand,
    update: updateProviderCommand,
    delete: deleteProviderCommand,
    test: testProviderCommand,
  },
};
