import type { CommandGroup } from '#serve/cli/command.ts';
import { createKeyCommand } from './create.ts';
import { deleteKeyCommand } from './delete.ts';
import { getKeyCommand } from './get.ts';
import { listKeysCommand } from './list.ts';
import { ownKeyCommand } from './me.ts';
import { rotateKeyCommand } from './rotate.ts';
import { updateKeyCommand } from './update.ts';

export const KEY_COMMANDS: CommandGroup = {
  summary: 'Manage API keys.',
  commands: {
    create: createKeyCommand,
    list: listKeysCommand,
    get: getKeyCommand,
    me: ownKeyCommand,
    update: updateKeyCommand,
    rotate: rotateKeyCommand,
    delete: deleteKeyCommand,
  },
};
