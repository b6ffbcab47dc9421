import type { Static } from 'typebox';
import type { signInBody } from '#manager/http/schemas/sign-in.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { badge } from '#serve/http/pages/browser/components/facts.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { button } from '../shared/parts.ts';
import { guarded } from '../shared/caller.ts';

const CHECK_MS = 1500;

const STATES: Record<string, [words: string, kind: 'good' | 'warning']> = {
  'signed-in': ['signed in', 'good'],
  required: ['not signed in', 'warning'],
};

/** The caller's sign-in to a remote server, on a separate page in a new tab. */
export async function signInPart({ params, session, signal }: Place) {
  const { name = '' } = params;
  const path = `api/v1/servers/${encodeURIComponent(name)}/sign-in`;
  const part = element('section', {}, element('h2', {}, 'Sign-in'));
  const notice = element('div');
  const body = element('div', { class: 'page' });
  part.append(notice, body);

  async function draw() {
    const { data } = await session.call<Static<typeof signInBody>>(path, { signal });
    const [words, kind] = STATES[data.state] ?? [data.state, 'plain'];
    const isSignedIn = data.state === 'signed-in';
    const start = element(
      'a',
      { href: `sign-in?server=${encodeURIComponent(name)}`, target: '_blank', rel: 'noopener noreferrer' },
      isSignedIn ? 'Sign in again (opens a new tab)' : 'Sign in (opens a new tab)',
    );
    start.addEventListener('click', () => void watch());
    body.replaceChildren(
      element('p', {}, badge(words, kind)),
      element(
        'p',
        { class: 'hint' },
        data.isShared
          ? 'All callers share this sign-in.'
          : 'Each user of the manager has a separate sign-in.',
      ),
      element(
        'div',
        { class: 'actions' },
        start,
        ...(isSignedIn ? [button('Sign out', () => guarded(notice, end), 'quiet')] : []),
      ),
    );
  }

  /** Refreshes the state after the sign-in in the other tab. */
  async function watch() {
    const { data: before } = await session.call<Static<typeof signInBody>>(path, { signal });
    const check = async () => {
      const { data } = await session
        .call<Static<typeof signInBody>>(path, { signal })
        .catch(() => ({ data: before }));
      if (data.state === before.state && data.expiresAt === before.expiresAt) return;
      clearInterval(timer);
      await draw();
    };
    const timer = setInterval(() => void check(), CHECK_MS);
    signal.addEventListener('abort', () => clearInterval(timer));
  }

  async function end() {
    await session.call(path, { method: 'DELETE' });
    await draw();
  }

  await guarded(notice, draw);
  return part;
}
