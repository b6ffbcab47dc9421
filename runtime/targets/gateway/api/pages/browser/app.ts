import type { Static } from 'typebox';
import type { me } from '#gateway/api/auth.ts';
import type { GatewaySection } from './parts/section.ts';
import { SECTIONS } from './sections.ts';
import { createSession } from '#serve/http/pages/browser/session.ts';
import { startApp } from '#serve/http/pages/browser/start-app.ts';

/** The server's description. It is requested in parallel with the role. */
const about = fetch('./', { headers: { Accept: 'application/json' } }).then(
  (response) => response.json() as Promise<{ readonly version: string; readonly sign_in?: string }>,
);
const kept = createSession({
  ways: about.then(({ sign_in: path }) =>
    path === undefined ? [] : [{ name: 'Sign in with your organization', href: `.${path}?return_to=/` }],
  ),
});
// Another key can have a different role, for which other pages are shown.
const session = {
  ...kept,
  signOut() {
    kept.signOut();
    location.reload();
  },
};

/** The caller's role; undefined if the user entered no key. */
const caller = await session.call<Static<typeof me> | undefined>('v1/me').then(
  ({ data }) => data,
  () => undefined,
);
const isShown = ({ readers = false, managers = false, admins = false }: GatewaySection) =>
  caller?.scope === 'models'
    ? !readers && !managers && !admins
    : admins
      ? caller?.role === 'admin'
      : readers
        ? isReader
        : true;
const isReader = caller?.role === 'admin' || caller?.role === 'viewer';

startApp({
  title: 'gateway',
  note: (await about).version,
  session,
  links: [{ name: 'API docs', href: 'docs' }],
  sections: caller
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
