/** @import { Place } from '../start-app.js' */
import { formOf } from '../components/form.js';
import { secretOnce } from '../components/secret-once.js';
import { element } from '../dom.js';
import { admin } from '../shared/api.js';
import { EDIT_HINT, readCaller } from '../shared/caller.js';

const patterns = (/** @type {string} */ title, /** @type {string} */ description) => ({
  type: 'array',
  items: { type: 'string' },
  title,
  description,
});

const SCHEMA = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', title: 'Name', description: 'Shown in logs and in the audit log.' },
    servers: patterns('Allowed servers', 'For example time or git*. Empty: all servers.'),
    tools: patterns('Allowed tools', 'For example git/log. Anything else on that server is denied.'),
    prompts: patterns('Allowed prompts', 'For example git/*.'),
    resources: patterns('Allowed resources', 'For example docs/file:///public/*.'),
    groups: patterns('Groups', 'Only the servers and tools of these groups.'),
    readOnly: { type: 'boolean', title: 'Only tools that change nothing' },
    admin: { type: 'boolean', title: 'Admin: reload, restart servers, read logs and the audit log' },
    adminReadOnly: { type: 'boolean', title: 'Limit the admin permission to reading' },
    edit: { type: 'boolean', title: 'Edit: change servers and keys, and therefore run any command' },
    rate: { type: 'string', title: 'Rate limit', description: 'For example 100/m.' },
    expires: { type: 'string', title: 'Expiry', description: 'For example 30d or 2027-01-31. Empty: never.' },
  },
};

/**
 * A form for a new key, which is shown once.
 * @param {Place} place
 */
export async function showNewKey({ root, session, signal }) {
  const caller = await readCaller(session, signal);
  const back = element('p', {}, element('a', { href: '#/keys' }, 'All keys'));
  if (!caller.edit) {
    root.append(back, element('p', {}, EDIT_HINT));
    return;
  }
  root.append(
    back,
    formOf(SCHEMA, {
      submit: 'Create key',
      async onSubmit(body) {
        const { data } = await session.call(admin('keys'), { body });
        const shown = secretOnce({ name: `API key ${data.record.name}`, secret: data.key });
        root.replaceChildren(back, shown);
        // Removing the form has removed the focus.
        shown.querySelector('button')?.focus();
      },
    }),
  );
}
