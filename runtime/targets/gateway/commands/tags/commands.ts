import type { CommandGroup } from '#serve/cli/command.ts';
import { deleteTagCommand } from './delete.ts';
import { listTagsCommand } from './list.ts';
import { setTagCommand } from './set.ts';

export const TAG_COMMANDS: CommandGroup = {
  summary: 'Manage budgets of tags, which requests can have.',
  commands: { set: setTagCommand, list: listTagsCommand, delete: deleteTagCommand },
};
