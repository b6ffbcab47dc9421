/** @import { Answer, CallOptions } from './server.js' */
import { openDialog } from './components/dialog.js';
import { element } from './dom.js';
import { call, open, ServerError } from './server.js';

/**
 * @typedef {object} Session
 * @property {() => string} key the API key, or '' without one
 * @property {(key: string) => void} signIn
 * @property {() => void} signOut
 * @property {(words: string) => Promise<boolean>} ask asks for a key in a dialog; returns whether there is a new one
 * @property {(path: string, options?: Omit<CallOptions, 'key'>) => Promise<Answer>} call
 *   calls the server with the key; if the server rejects it, asks for another one and repeats the call
 * @property {(path: string, options?: Omit<CallOptions, 'key'>) => Promise<Response>} open
 *   same as `call`, but returns the response unread, for streams and files
 */

/**
 * Creates the session of a page. The key is kept in the session storage of the tab: it is gone when the tab is closed.
 * @param {{ ways?: Promise<readonly { name: string, href: string }[]> }} [options] other ways to sign in, as links
 * @returns {Session}
 */
export function createSession({ ways = Promise.resolve([]) } = {}) {
  // Several programs can share an origin behind a proxy.
  const place = `api-key ${new URL('.', document.baseURI).pathname}`;
  const key = () => sessionStorage.getItem(place) ?? '';
  const signIn = (/** @type {string} */ value) => sessionStorage.setItem(place, value);
  /** @type {Promise<boolean> | undefined} */
  let asking;

  /**
   * Several calls that are rejected at the same time ask only once.
   * @param {string} why
   */
  const askOnce = (why) =>
    (asking ??= ways
      .then((links) => askForKey(why, links, signIn))
      .finally(() => {
        asking = undefined;
      }));

  /**
   * @template Result
   * @param {(key: string) => Promise<Result>} send
   * @returns {Promise<Result>}
   */
  const withKey = async (send) => {
    const used = key();
    try {
      return await send(used);
    } catch (error) {
      if (!(error instanceof ServerError) || error.status !== 401) throw error;
      // Another call has asked for a key in the meantime.
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
    call: (path, options = {}) => withKey((used) => call(path, { ...options, key: used })),
    open: (path, options = {}) => withKey((used) => open(path, { ...options, key: used })),
  };
}

/**
 * Asks for an API key in a dialog. Returns whether there is a new one.
 * @param {string} why message of the server
 * @param {readonly { name: string, href: string }[]} ways
 * @param {(key: string) => void} signIn
 * @returns {Promise<boolean>}
 */
async function askForKey(why, ways, signIn) {
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
      element('p', { class: 'hint' }, 'The key is kept in this tab and forgotten when you close it.'),
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
