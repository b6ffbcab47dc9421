import { signInAtProvider } from '../helpers/sign-in-at-provider.ts';
import { BROWSERS, withBrowser } from '../helpers/with-browser.ts';
import type { ProviderChecks } from './provider-checks.ts';
import { until } from './processes.ts';

/** Signs in a user to a remote server with the manager's pages, and signs out. */
export async function checkPages({
  processes,
  check,
  callTool,
  remote,
  resource,
  ports,
}: ProviderChecks): Promise<void> {
  const config = `${remote('person', `${resource}/mcp/echo`)}[servers.oauth]\nsign_in = "per_user"\n`;
  const manager = await processes.startManager('pages', ports.pages, config);
  for (const name of BROWSERS) {
    await check(`oidc-provider: in ${name}, a user signs in on the pages of the manager`, async () => {
      const { stdout } = await manager.run(['keys', 'create', '--name', name, '--admin']);
      const key = String(stdout);
      const call = (): Promise<string> => callTool(manager, 'person', 'echo', { message: 'hello' }, key);
      // The page shows the sign-in as soon as the server requires it.
      await until('a sign-in is required', () =>
        call().then(
          () => false,
          (error: Error) => error.message.includes('/sign-in?server=person'),
        ),
      );
      await withBrowser(name, async (browser) => {
        const context = await browser.newContext();
        const page = await context.newPage();
        await page.goto(`${manager.url}/#/servers/person`);
        await page.getByLabel('API key').fill(key);
        await page.keyboard.press('Enter');
        await page.getByText('not signed in').waitFor();
        const opened = context.waitForEvent('page');
        await page.getByRole('link', { name: 'Sign in (opens a new tab)' }).click();
        const tab = await opened;
        await tab.getByLabel('API key or access token').fill(key);
        await tab.getByRole('button', { name: 'Sign in' }).click();
        await signInAtProvider(tab, name);
        await tab.getByText('Signed in to person. You can close this page.').waitFor();
        // The first tab detects it.
        await page.getByRole('button', { name: 'Sign out' }).waitFor();
        await until('a call works', async () => (await call()) !== '');
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByText('not signed in').waitFor();
      });
    });
  }
}
