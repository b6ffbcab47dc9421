import type { CommandGroup } from '#serve/cli/command.ts';
import { clearCacheCommand } from './clear.ts';

export const CACHE_COMMANDS: CommandGroup = {
  summary: 'Clear the cache of answers.',
  commands: { clear: clearCacheCommand },
};
