import { exactly } from '#serve/cli/positionals.ts';
import { storeCommand } from '../store/store-command.ts';
import type { GroupKindInfo } from './group-kind.ts';
import { groupFields, groupOptions, referencesOf } from './group-options.ts';
import { showGroup } from './show-group.ts';

export const createGroupCommand = (kind: GroupKindInfo) =>
  storeCommand({
    summary: `Create ${kind.noun === 'team' ? 'a team' : 'an organization'}.`,
    positionals: `<${kind.idName}>`,
    options: { blocked: { help: `Reject requests of the ${kind.noun}` }, ...groupOptions(kind) },
    prepare(invocation) {
      const [id] = exactly(invocation, `<${kind.idName}>`);
      const fields = { ...groupFields(invocation), blocked: invocation.flag('blocked') };
      return async ({ state, output, json }) => {
        const references = await referencesOf(state, invocation, kind);
        const groups = kind.groupsOf(state.identity);
        showGroup(await groups.create({ ...fields, ...references, id }), kind, { output, json });
      };
    },
  });
