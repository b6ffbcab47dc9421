import { openDialog } from './components/dialog.ts';
import { element } from './dom.ts';
import { type Answer, type CallOptions, call, open, ServerError } from './server.ts';

export interface Session {
  /** The API key, or '' without one. */
  readonly key: () => string;
  readonly signIn: (key: string) => void;
  readonly signOut: () => void;
  /** Prompts for a key in a dialog; returns whether there is a new one. */
  readonly ask: (words: string) => Promise<boolean>;
  /**
   * Calls the server with the key. If the server rejects it, prompts for another one and repeats
   * the call.
   */
  readonly call: <Data>(path: string, options?: Omit<CallOptions, 'key'>) => Promise<Answer<Data>>;
  /** Same as `call`, but returns the response unread, for streams and files. */
  readonly open: (path: string, options?: Omit<CallOptions, 'key'>) => Promise<Response>;
}

/**
 * Creates the session of a page. The key is kept in the tab's session storage, so it is gone when
 * the tab is closed. `options`: other ways to sign in, as links.
 */
export function createSession({
  ways = Promise.resolve([]),
}: { ways?: Promise<readonly { name: string; href: string }[]> } = {}): Session {
  // Several programs can share an origin behind a proxy.
  const place = `api-key ${new URL('.', document.baseURI).pathname}`;
  const key = () => sessionStorage.getItem(place) ?? '';
  const signIn = (value: string) => sessionStorage.setItem(place, value);
  let asking: Promise<boolean> | undefined;

  /** Several calls that are rejected at the same time prompt only once. */
  const askOnce = (why: string) =>
    (asking ??= ways
      .then((links) => askForKey(why, links, signIn))
      .finally(() => {
        asking = undefined;
      }));

  const withKey = async <Result>(send: (key: string) => Promise<Result>): Promise<Result> => {
    const used = key();
    try {
      return await send(used);
    } catch (error) {
      if (!(error instanceof ServerError) || error.status !== 401) throw error;
      // Another call has prompted for a key in the meantime.
      if (key() !== used) return withKey(send);
      if (!(await askOnce(error.message))) throw error;
      return withKey(send);
    }
  };

  return {
    key,
    signIn,
    ask: askOnce,
    signOut: () => sessionStorage.removeItem(place),
    call: <Data>(path: string, options: Omit<CallOptions, 'key'> = {}) =>
      withKey((used) => call<Data>(path, { ...options, key: used })),
    open: (path, options = {}) => withKey((used) => open(path, { ...options, key: used })),
  };
}

/** Prompts for an API key in a dialog. Returns whether there is a new one. `why`: the server's message. */
async function askForKey(
  why: string,
  ways: readonly { name: string; href: string }[],
  signIn: (key: string) => void,
): Promise<boolean> {
  const field = element('input', {
    id: 'key',
    type: 'password',
    autocomplete: 'off',
    spellcheck: 'false',
    required: true,
    'aria-describedby': 'key-words',
  });
  let isEntered = false;
  const dialog = openDialog({
    title: 'Sign in',
    content: [
      element('p', { id: 'key-words' }, why),
      element('p', { class: 'field' }, element('label', { for: 'key' }, 'API key'), field),
      element(
        'p',
        { class: 'hint' },
        'The key is stored only in this tab and is discarded when you close the tab.',
      ),
      ...ways.map(({ name, href }) => element('p', {}, element('a', { href }, name))),
    ],
    actions: [
      { name: 'Cancel', kind: 'quiet' },
      {
        name: 'Use key',
        run() {
          const value = field.value.trim();
          if (value === '') {
            field.focus();
            return false;
          }
          signIn(value);
          isEntered = true;
          return true;
        },
      },
    ],
  });
  field.focus();
  await dialog.closed;
  return isEntered;
}
