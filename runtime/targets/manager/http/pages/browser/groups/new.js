/** @import { Place } from '../start-app.js' */
import { reviewChange } from '../configuration/review.js';
import { element } from '../dom.js';
import { linkTo } from '../route.js';
import { admin } from '../shared/api.js';
import { EDIT_HINT, readCaller } from '../shared/caller.js';
import { groupForm } from './group-form.js';

/**
 * A form for a new group. The change of the file is shown before it is written.
 * @param {Place} place
 */
export async function showNewGroup({ root, session, signal, navigate }) {
  const caller = await readCaller(session, signal);
  if (!caller.edit) {
    root.append(element('p', {}, EDIT_HINT));
    return;
  }
  root.append(
    groupForm({}, async (group) => {
      const written = await reviewChange({
        title: `Add ${group.name}`,
        send: (isDryRun) =>
          session.call(admin('configuration', 'groups'), { body: group, query: { dry_run: isDryRun } }),
      });
      if (written)
        navigate(written.problem ? '#/configuration' : linkTo(['groups', group.name.trim().toLowerCase()]));
    }),
  );
}
