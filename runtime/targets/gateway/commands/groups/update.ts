import { exactly } from '#serve/cli/positionals.ts';
import { requireChanges } from '../options/require-changes.ts';
import { readToggle } from '../options/toggle.ts';
import { storeCommand } from '../store/store-command.ts';
import { findGroup, type GroupKindInfo } from './group-kind.ts';
import { groupFields, groupOptions, referencesOf } from './group-options.ts';
import { showGroup } from './show-group.ts';

export const updateGroupCommand = (kind: GroupKindInfo) => {
  const positionals = `<${kind.idName}|alias>`;
  return storeCommand({
    summary: `Change, block or unblock ${kind.noun === 'team' ? 'a team' : 'an organization'}. A running gateway applies the change within a second.`,
    positionals,
    options: {
      block: { help: `Reject requests of the ${kind.noun}` },
      unblock: { help: `Accept requests of the ${kind.noun} again` },
      ...groupOptions(kind),
    },
    prepare(invocation) {
      const [text] = exactly(invocation, positionals);
      const fields = { ...groupFields(invocation), blocked: readToggle(invocation, 'block', 'unblock') };
      const named = {
        budget: invocation.value('budget'),
        org: kind.noun === 'team' && invocation.value('org'),
      };
      requireChanges({ ...fields, budget: named.budget, org: named.org || undefined });
      return async ({ state, output, json }) => {
        const { id } = await findGroup(state.identity, kind, text);
        const references = await referencesOf(state, invocation, kind);
        const groups = kind.groupsOf(state.identity);
        showGroup(await groups.change(id, { ...fields, ...references }), kind, { output, json });
      };
    },
  });
};
