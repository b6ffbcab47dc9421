import type { CommandGroup } from '#serve/cli/command.ts';
import { createGroupCommand } from '../groups/create.ts';
import { deleteGroupCommand } from '../groups/delete.ts';
import { getGroupCommand } from '../groups/get.ts';
import { TEAMS } from '../groups/group-kind.ts';
import { listGroupsCommand } from '../groups/list.ts';
import { updateGroupCommand } from '../groups/update.ts';
import { addMemberCommand } from './add-member.ts';
import { listMembersCommand } from './members.ts';
import { removeMemberCommand } from './remove-member.ts';

export const TEAM_COMMANDS: CommandGroup = {
  summary: 'Manage teams, whose keys share a budget.',
  commands: {
    create: createGroupCommand(TEAMS),
    list: listGroupsCommand(TEAMS),
    get: getGroupCommand(TEAMS),
    update: updateGroupCommand(TEAMS),
    delete: deleteGroupCommand(TEAMS),
    members: listMembersCommand,
    'add-member': addMemberCommand,
    'remove-member': removeMemberCommand,
  },
};
