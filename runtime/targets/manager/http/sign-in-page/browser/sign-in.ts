import type { Static } from 'typebox';
import type { startedSignIn } from '#manager/http/schemas/sign-in.ts';
import { createKeyForm } from './key-form.ts';
import { byId } from '#serve/http/pages/browser/dom.ts';
import { call } from '#serve/http/pages/browser/server.ts';

const title = byId('title', HTMLHeadingElement);
const words = byId('words', HTMLParagraphElement);
const error = byId('error', HTMLDivElement);
const keyForm = createKeyForm();
const parameters = new URLSearchParams(location.search);

const pathOf = (server: string) => `api/v1/servers/${encodeURIComponent(server)}/sign-in`;
const storedAt = (state: string | null) => `sign-in ${state}`;

function showError(reason: unknown) {
  words.textContent = '';
  error.textContent = reason instanceof Error ? reason.message : String(reason);
}

/**
 * Prompts for the manager's key, so that the sign-in belongs to the person at this browser rather than the
 * one who sent the link.
 */
function askForKey(server: string) {
  title.textContent = `Sign in to ${server}`;
  keyForm.ask(
    `${server} requires your own sign-in. Enter your mcp-manager key to identify yourself, then continue on the sign-in page of ${server}.`,
    () => void start(server),
  );
}

/** Starts the sign-in and navigates to the authorization server. */
async function start(server: string) {
  error.textContent = '';
  const redirectUri = new URL('signed-in', location.href).href;
  const key = keyForm.key();
  try {
    const { data } = await call<Static<typeof startedSignIn>>(pathOf(server), { body: { redirectUri }, key });
    const target = new URL(data.authorizationUrl);
    // Kept only in this tab, until the browser returns.
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
  // The URL contains the authorization code, and browsers keep URLs in their history.
  history.replaceState(null, '', location.pathname);
  if (stored === null) {
    showError('No sign-in was started in this tab. Start it again from your MCP client.');
    return;
  }
  const { server, key } = JSON.parse(stored) as { server: string; key: string };
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
else if (server === null || server === '') showError('The URL contains no server name. Add ?server=<name>.');
else askForKey(server);
