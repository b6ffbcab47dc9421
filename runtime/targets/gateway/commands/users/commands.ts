import type { CommandGroup } from '#serve/cli/command.ts';
import { createUserCommand } from './create.ts';
import { deleteUserCommand } from './delete.ts';
import { getUserCommand } from './get.ts';
import { listUsersCommand } from './list.ts';
import { updateUserCommand } from './update.ts';

export const USER_COMMANDS: CommandGroup = {
  summary: 'Manage users, their budgets and limits.',
  commands: {
    create: createUserCommand,
    list: listUsersCommand,
    get: getUserCommand,
    update: updateUserCommand,
    delete: deleteUserCommand,
  },
};
