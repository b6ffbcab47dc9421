import { byId } from './dom.js';
import { createKeyForm } from './key-form.js';
import { call } from './server.js';

const title = byId('title', HTMLHeadingElement);
const words = byId('words', HTMLParagraphElement);
const error = byId('error', HTMLDivElement);
const keyForm = createKeyForm();
const parameters = new URLSearchParams(location.search);

/** @param {string} server */
const pathOf = (server) => `api/v1/servers/${encodeURIComponent(server)}/sign-in`;
/** @param {string | null} state */
const storedAt = (state) => `sign-in ${state}`;

/** @param {unknown} reason */
function showError(reason) {
  words.textContent = '';
  error.textContent = reason instanceof Error ? reason.message : String(reason);
}

/**
 * Asks for the key of the manager, so that the sign-in belongs to the person at this browser and not to the one who sent the link.
 * @param {string} server
 */
function askForKey(server) {
  title.textContent = `Sign in to ${server}`;
  keyForm.ask(
    `${server} needs your own sign-in. Your key for mcp-manager identifies you. Then you continue at the sign-in page of ${server}.`,
    () => void start(server),
  );
}

/**
 * Starts the sign-in and goes to the page of the authorization server.
 * @param {string} server
 */
async function start(server) {
  error.textContent = '';
  const redirectUri = new URL('signed-in', location.href).href;
  const key = keyForm.key();
  try {
    const { data } = await call(pathOf(server), { body: { redirectUri }, key });
    const target = new URL(data.authorizationUrl);
    // This tab only, until the browser returns.
    sessionStorage.setItem(storedAt(target.searchParams.get('state')), JSON.stringify({ server, key }));
    location.assign(target);
  } catch (reason) {
    askForKey(server);
    showError(reason);
  }
}

async function complete() {
  const name = storedAt(parameters.get('state'));
  const stored = sessionStorage.getItem(name);
  sessionStorage.removeItem(name);
  const query = location.search.slice(1);
  // The code is in the address, which browsers keep in their history.
  history.replaceState(null, '', location.pathname);
  if (stored === null) {
    showError('No sign-in was started in this tab. Start it again from your MCP client.');
    return;
  }
  const { server, key } = JSON.parse(stored);
  title.textContent = `Sign in to ${server}`;
  words.textContent = 'Completing the sign-in…';
  try {
    await call(`${pathOf(server)}/complete`, { body: { query }, key });
    words.textContent = `Signed in to ${server}. You can close this page.`;
  } catch (reason) {
    showError(reason);
  }
}

const server = parameters.get('server');
if (location.pathname.endsWith('/signed-in')) void complete();
else if (server === null || server === '') showError('The address names no server: add ?server=<name>.');
else askForKey(server);
