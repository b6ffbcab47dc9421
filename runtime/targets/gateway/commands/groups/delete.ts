import { exactly } from '#serve/cli/positionals.ts';
import { printResult } from '../show/print-result.ts';
import { storeCommand } from '../store/store-command.ts';
import { findGroup, type GroupKindInfo } from './group-kind.ts';

export const deleteGroupCommand = (kind: GroupKindInfo) => {
  const positionals = `<${kind.idName}|alias>`;
  return storeCommand({
    summary:
      kind.noun === 'team'
        ? 'Delete a team. Its keys are disabled, its service accounts are deleted, and its usage is kept.'
        : 'Delete an organization, which must have no teams. Its usage is kept.',
    positionals,
    options: {},
    prepare(invocation) {
      const [text] = exactly(invocation, positionals);
      return async ({ state: { identity }, output, json }) => {
        const { id } = await findGroup(identity, kind, text);
        await kind.groupsOf(identity).delete(id);
        const message =
          kind.noun === 'team' ? `Deleted team ${id} and disabled its keys.` : `Deleted organization ${id}.`;
        printResult({ output, json }, { [kind.idName]: id, deleted: true }, message);
      };
    },
  });
};
