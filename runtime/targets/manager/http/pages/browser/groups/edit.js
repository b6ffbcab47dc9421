/** @import { Place } from '../start-app.js' */
import { reviewChange, writtenNotice } from '../configuration/review.js';
import { element } from '../dom.js';
import { linkTo } from '../route.js';
import { admin } from '../shared/api.js';
import { button } from '../shared/button.js';
import { EDIT_HINT, readCaller } from '../shared/caller.js';
import { guarded } from '../shared/guarded.js';
import { groupForm } from './group-form.js';

/**
 * A group of the configuration file, to be changed or removed.
 * @param {Place} place
 */
export async function showGroup({ root, params, session, signal, navigate, setTitle }) {
  const { name = '' } = params;
  setTitle(name);
  const caller = await readCaller(session, signal);
  if (!caller.edit) {
    root.append(element('p', {}, EDIT_HINT));
    return;
  }
  const path = admin('configuration', 'groups', name);
  const notice = element('div');
  const { data } = await session.call(path, { signal });
  const { path: file, $schema: _schema, revision: first, ...values } = data;
  let revision = first;
  const form = groupForm(values, async (group) => {
    notice.replaceChildren();
    const written = await reviewChange({
      title: `Change ${name}`,
      send: (isDryRun) =>
        session.call(path, {
          method: 'PUT',
          body: { ...group, revision },
          query: { dry_run: isDryRun },
        }),
    });
    if (!written) return;
    const renamed = group.name.trim().toLowerCase();
    if (renamed !== name) {
      navigate(linkTo(['groups', renamed]));
      return;
    }
    ({
      data: { revision },
    } = await session.call(path, { signal }));
    notice.replaceChildren(writtenNotice(written));
  });
  const remove = () =>
    guarded(notice, async () => {
      const written = await reviewChange({
        title: `Remove ${name}?`,
        confirm: 'Remove the group',
        isDangerous: true,
        send: (isDryRun) => session.call(path, { method: 'DELETE', query: { dry_run: isDryRun, revision } }),
      });
      if (written) navigate('#/groups');
    });
  root.append(
    element(
      'p',
      { class: 'hint' },
      `From ${file}. The change is shown before it is written. `,
      element('a', { href: linkTo(['clients'], { group: name }) }, 'Connect a client'),
    ),
    form,
    notice,
    element('div', { class: 'actions' }, button('Remove group', remove, 'danger')),
  );
}
