import type { Commands } from '#serve/cli/command.ts';
import { createClientKeyCommand } from './keys/create.ts';
import { listKeysCommand } from './keys/list.ts';
import { revokeKeyCommand } from './keys/revoke.ts';

export const CLIENT_KEY_COMMANDS: Commands = {
  keys: {
    summary: 'Manage API keys.',
    commands: { create: createClientKeyCommand, list: listKeysCommand, revoke: revokeKeyCommand },
  },
};
