import type { Static } from 'typebox';
import type { groupConfigurationBody, groupRequest } from '#manager/http/schemas/groups.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { type Edited, reviewChange, writtenNotice } from '../configuration/review.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';
import { admin, EDIT_HINT, readCaller, guarded } from '../shared/caller.ts';
import { button } from '../shared/parts.ts';
import { formOf } from '#serve/http/pages/browser/components/form.ts';

type Configured = Static<typeof groupConfigurationBody>;

/** Page for changing or removing a configured group. */
export async function showGroup({ root, params, session, signal, navigate, setTitle }: Place) {
  const { name = '' } = params;
  setTitle(name);
  const caller = await readCaller(session, signal);
  if (!caller.edit) {
    root.append(element('p', {}, EDIT_HINT));
    return;
  }
  const path = admin('configuration', 'groups', name);
  const notice = element('div');
  const { data } = await session.call<Configured>(path, { signal });
  const { path: file, $schema: _schema, revision: first, ...values } = data;
  let revision = first;
  const form = groupForm(values, async (group) => {
    notice.replaceChildren();
    const written = await reviewChange({
      title: `Change ${name}`,
      send: (isDryRun) =>
        session.call<Edited>(path, {
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
    } = await session.call<Configured>(path, { signal }));
    notice.replaceChildren(writtenNotice(written));
  });
  const remove = () =>
    guarded(notice, async () => {
      const written = await reviewChange({
        title: `Remove ${name}?`,
        confirm: 'Remove the group',
        isDangerous: true,
        send: (isDryRun) =>
          session.call<Edited>(path, { method: 'DELETE', query: { dry_run: isDryRun, revision } }),
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

/** A form for a new group. Shows the change to the file before writing it. */
export async function showNewGroup({ root, session, signal, navigate }: Place) {
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
          session.call<Edited>(admin('configuration', 'groups'), {
            body: group,
            query: { dry_run: isDryRun },
          }),
      });
      if (written)
        navigate(written.problem ? '#/configuration' : linkTo(['groups', group.name.trim().toLowerCase()]));
    }),
  );
}

type Group = Static<typeof groupRequest>;

const patterns = (title: string, description: string) => ({
  type: 'array',
  title,
  description,
  items: { type: 'string' },
});

const SCHEMA = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', title: 'Name', description: 'Used in the group’s URL, e.g. research.' },
    servers: patterns('Servers', 'Names or patterns, e.g. time or git*.'),
    tools: patterns(
      'Tools',
      'Names or patterns, e.g. git/get_*. For servers listed here, the group contains only these tools.',
    ),
    prompts: patterns('Prompts', 'Names or patterns, e.g. git/review.'),
    resources: patterns('Resources', 'URIs or patterns, e.g. files/file:///notes/*.'),
    mcpMode: {
      type: 'string',
      enum: ['all', 'search', 'code'],
      title: 'MCP mode',
      description: 'Tools at the MCP endpoint of the group. Empty: the mode of the manager.',
    },
  },
};

/** The form for editing a group. */
const groupForm = (values: object, onSubmit: (group: Group) => Promise<void>) =>
  formOf(SCHEMA, { values, submit: 'Review change', onSubmit });
