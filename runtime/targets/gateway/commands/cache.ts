import type { CommandGroup } from '#serve/cli/command.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { findKey } from './store/find-account.ts';
import { printResult } from './show/format-values.ts';
import { storeCommand } from './store/store-command.ts';

const clearCacheCommand = storeCommand({
  summary: 'Delete cached responses. A running gateway deletes those in its memory within a second.',
  options: {
    key: { value: 'id|name|prefix', help: 'Only entries created by requests with this key' },
  },
  prepare(invocation) {
    exactly(invocation);
    const text = invocation.value('key');
    return async ({ state: { cacheClears, identity }, output, json }) => {
      const key = text === undefined ? undefined : await findKey(identity.keys, text);
      const deleted = await cacheClears.clear(key?.id);
      const whose = key ? ` of key ${key.keyName ?? key.keyPrefix}` : '';
      const answers = deleted === 1 ? 'answer was' : 'answers were';
      printResult(
        { output, json },
        { deleted },
        `Cleared the cache${whose}: ${deleted} ${answers} in the database.`,
      );
    };
  },
});

export const CACHE_COMMANDS: CommandGroup = {
  summary: 'Clear the response cache.',
  commands: { clear: clearCacheCommand },
};
