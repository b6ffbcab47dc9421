import type { Commands } from '#serve/cli/command.ts';
import { createKeyCommand } from './keys/create.ts';
import { listKeysCommand } from './keys/list.ts';
import { revokeKeyCommand } from './keys/revoke.ts';

export const KEY_COMMANDS: Commands = {
  keys: {
    summary: 'Manage API keys.',
    commands: { create: createKeyCommand, list: listKeysCommand, revoke: revokeKeyCommand },
  },
};
