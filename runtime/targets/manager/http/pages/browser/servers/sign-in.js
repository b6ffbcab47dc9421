/** @import { Place } from '../start-app.js' */
import { badge } from '../components/facts.js';
import { element } from '../dom.js';
import { errorNotice } from '../notice.js';
import { ServerError } from '../server.js';
import { admin } from '../shared/api.js';
import { button } from '../shared/button.js';
import { EDIT_HINT } from '../shared/caller.js';

const CHECK_MS = 1500;

/** @type {Record<string, [words: string, kind: 'good' | 'warning' | 'plain']>} */
const STATES = {
  'signed-in': ['signed in', 'good'],
  required: ['sign-in required', 'warning'],
  none: ['not signed in', 'plain'],
};

/**
 * The sign-in of a person to a remote server.
 * @param {Place} place
 * @param {{ edit: boolean }} caller
 */
export async function signInPart({ params, session, signal }, { edit }) {
  const { name = '' } = params;
  const path = admin('servers', name, 'sign-in');
  const part = element('section', {}, element('h2', {}, 'Sign-in'));
  const body = element('div', { class: 'page' });
  part.append(body);

  async function draw() {
    const { data } = await session.call(path, { signal });
    const [words, kind] = STATES[data.state] ?? [data.state, 'plain'];
    const isSignedIn = data.state === 'signed-in';
    body.replaceChildren(
      element('p', {}, badge(words, kind)),
      ...(data.problem ? [errorNotice({ message: data.problem, status: 502 })] : []),
      edit
        ? element(
            'div',
            { class: 'actions' },
            button(isSignedIn ? 'Sign in again' : 'Sign in', () => guarded(start)),
            ...(isSignedIn ? [button('Sign out', () => guarded(end), 'quiet')] : []),
          )
        : element('p', { class: 'hint' }, EDIT_HINT),
    );
    return data;
  }

  /** @param {() => Promise<void>} run */
  async function guarded(run) {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      body.prepend(errorNotice(error));
    }
  }

  async function start() {
    const { data } = await session.call(path, { method: 'POST' });
    // The server accepts http and https addresses only.
    body.replaceChildren(
      element(
        'p',
        {},
        element(
          'a',
          { href: data.authorizationUrl, target: '_blank', rel: 'noopener noreferrer' },
          'Open the sign-in page',
        ),
        ' in a new tab, and return here. This page waits for at most five minutes.',
      ),
    );
    body.querySelector('a')?.focus();
    await watch();
  }

  /** Shows the state when it changes, or when the sign-in has failed. */
  async function watch() {
    const { data: before } = await session.call(path, { signal });
    const timer = setInterval(async () => {
      const { data } = await session.call(path, { signal }).catch(() => ({ data: before }));
      if (data.state === before.state && data.problem === before.problem) return;
      clearInterval(timer);
      await draw();
    }, CHECK_MS);
    signal.addEventListener('abort', () => clearInterval(timer));
  }

  async function end() {
    await session.call(path, { method: 'DELETE' });
    await draw();
  }

  await draw();
  return part;
}
