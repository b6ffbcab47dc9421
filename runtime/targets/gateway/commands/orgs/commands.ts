import type { CommandGroup } from '#serve/cli/command.ts';
import { createGroupCommand } from '../groups/create.ts';
import { deleteGroupCommand } from '../groups/delete.ts';
import { getGroupCommand } from '../groups/get.ts';
import { ORGANIZATIONS } from '../groups/group-kind.ts';
import { listGroupsCommand } from '../groups/list.ts';
import { updateGroupCommand } from '../groups/update.ts';

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
