import { openDialog } from './components/dialog.ts';
import { element } from './dom.ts';
import { type Answer, type CallOptions, call, open, ServerError } from './server.ts';

export interface Session {
  /** The API key; '' if there is none. */
  readonly key: () => string;
  readonly signIn: (key: string) => void;
  readonly signOut: () => void;
  /** Prompts for a key in a dialog. Returns whether the user has entered a new key. */
  readonly ask: (words: string) => Promise<boolean>;
  /**
   * Calls the server with the key. If the server rejects the key, prompts for another key and
   * repeats the call.
   */
  readonly call: <Data>(path: string, options?: Omit<CallOptions, 'key'>) => Promise<Answer<Data>>;
  /** Same as `call`, but returns the response without reading its body, for streams and files. */
  readonly open: (path: string, options?: Omit<CallOptions, 'key'>) => Promise<Response>;
}

/**
 * Creates the session of a page. The key is kept in the tab's session storage, so it is deleted
 * when the tab is closed. `options` contains links to other ways of signing in.
 */
export function createSession({
  ways = Promise.resolve([]),
}: { ways?: Promise<readonly { name: string; href: string }[]> } = {}): Session {
  // Behind a proxy, several programs can share an origin, so the storage key contains the path.
  const place = `api-key ${new URL('.', document.baseURI).pathname}`;
  const key = () => sessionStorage.getItem(place) ?? '';
  const signIn = (value: string) => sessionStorage.setItem(place, value);
  let asking: Promise<boolean> | undefined;

  /** If several calls are rejected at the same time, the user is only prompted once. */
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

/**
 * Prompts for an API key in a dialog. Returns whether the user has entered a new key. `why` is the
 * server's message.
 */
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
