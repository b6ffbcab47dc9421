import { SECTIONS } from './sections.js';
import { createSession } from './session.js';
import { startApp } from './start-app.js';

/** The description of the server. The role is requested at the same time. */
const about = fetch('./', { headers: { Accept: 'application/json' } }).then((response) => response.json());
const kept = createSession({
  ways: about.then(({ sign_in: path }) =>
    path === undefined ? [] : [{ name: 'Sign in with your organization', href: `.${path}?return_to=/` }],
  ),
});
// Another key can have another role, for which there are other pages.
const session = {
  ...kept,
  signOut() {
    kept.signOut();
    location.reload();
  },
};

/** The role of the caller; undefined if the user entered no key. */
const me = await session.call('v1/me').then(
  ({ data }) => data,
  () => undefined,
);
/** @param {import('./sections.js').GatewaySection} section */
const isShown = ({ readers = false, managers = false, admins = false }) =>
  me.scope === 'models'
    ? !readers && !managers && !admins
    : admins
      ? me.role === 'admin'
      : readers
        ? isReader
        : true;
const isReader = me?.role === 'admin' || me?.role === 'viewer';

startApp({
  title: 'gateway',
  note: (await about).version,
  session,
  links: [{ name: 'API docs', href: 'docs' }],
  sections: me
    ? SECTIONS.filter(isShown)
    : [
        {
          path: '',
          name: 'Sign in',
          async show() {
            await session.call('v1/me');
            location.reload();
          },
        },
      ],
});
