import { type Browser, chromium, firefox } from 'playwright-core';
import { CHROMIUM_FLAGS } from './chromium.ts';

export type BrowserName = 'chromium' | 'firefox';

/** The system theme. Firefox ESR cannot emulate a theme for a page, so it is a preference of the whole browser. */
export type Theme = 'light' | 'dark';

/** Values of Firefox's preference for the page theme. */
const FIREFOX_THEMES: Readonly<Record<Theme, number>> = { dark: 0, light: 1 };

/** Starts an installed browser. Playwright controls a Firefox that it has not built over WebDriver BiDi. */
export async function launchBrowser(
  name: BrowserName,
  executablePath: string | undefined,
  theme: Theme = 'light',
): Promise<Browser> {
  const options = executablePath === undefined ? {} : { executablePath };
  if (name === 'chromium') return await chromium.launch({ ...options, args: CHROMIUM_FLAGS });
  const browser = await firefox.launch({
    ...options,
    channel: 'moz-firefox',
    firefoxUserPrefs: { 'layout.css.prefers-color-scheme.content-override': FIREFOX_THEMES[theme] },
  });
  allowOlderFirefox(browser);
  return browser;
}

interface Message {
  readonly method?: string;
  readonly params?: { readonly url?: string; download?: string };
}

interface Session {
  send(method: string, parameters: unknown): Promise<unknown>;
  dispatchMessage(message: Message): void;
}

/**
 * To emulate a color scheme, Playwright sends a command to each page that Firefox ESR does not support yet. It also ignores downloads
 * without an ID, as in Firefox ESR, so their address is used as the ID.
 */
function allowOlderFirefox(browser: Browser): void {
  const { _connection: connection } = browser as unknown as {
    _connection: { toImpl(browser: Browser): { _browserSession: Session } };
  };
  const prototype = Object.getPrototypeOf(connection.toImpl(browser)._browserSession) as Session;
  // oxlint-disable-next-line unbound-method -- they are called with their session.
  const { send, dispatchMessage } = prototype;
  prototype.send = async function sendKnown(this: Session, method, parameters) {
    return method === 'emulation.setMediaFeaturesOverride' ? {} : await send.call(this, method, parameters);
  };
  prototype.dispatchMessage = function dispatchWithIds(this: Session, message) {
    if (message.method?.startsWith('browsingContext.download') && message.params?.url !== undefined)
      message.params.download ??= message.params.url;
    dispatchMessage.call(this, message);
  };
}
