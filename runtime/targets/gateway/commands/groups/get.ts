import { exactly } from '#serve/cli/positionals.ts';
import { storeCommand } from '../store/store-command.ts';
import { findGroup, type GroupKindInfo } from './group-kind.ts';
import { showGroup } from './show-group.ts';

export const getGroupCommand = (kind: GroupKindInfo) => {
  const positionals = `<${kind.idName}|alias>`;
  return storeCommand({
    summary: `Show ${kind.noun === 'team' ? 'a team' : 'an organization'}.`,
    positionals,
    options: {},
    prepare(invocation) {
      const [text] = exactly(invocation, positionals);
      return async ({ state, output, json }) =>
        showGroup(await findGroup(state.identity, kind, text), kind, { output, json });
    },
  });
};
