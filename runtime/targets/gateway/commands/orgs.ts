import type { CommandGroup } from '#serve/cli/command.ts';
import {
  createGroupCommand,
  deleteGroupCommand,
  getGroupCommand,
  ORGANIZATIONS,
  listGroupsCommand,
  updateGroupCommand,
} from './groups.ts';

export const ORG_COMMANDS: CommandGroup = {
  summary: 'Manage organizations, whose teams share a budget.',
  commands: {
    create: createGroupCommand(ORGANIZATIONS),
    list: listGroupsCommand(ORGANIZATIONS),
    get: getGroupCommand(ORGANIZATIONS),
    update: updateGroupCommand(ORGANIZATIONS),
    delete: deleteGroupCommand(ORGANIZATIONS),
  },
};
