import { signInAtProvider } from '../helpers/sign-in-at-provider.ts';
import { BROWSERS, withBrowser } from '../helpers/with-browser.ts';

type Check = (what: string, body: () => Promise<void>) => Promise<void>;

/** Signs in a user on the gateway's page and signs out again. */
export async function checkPages(check: Check, url: string): Promise<void> {
  for (const name of BROWSERS) {
    await check(`in ${name}, a user signs in on the page and signs out`, () =>
      withBrowser(name, async (browser) => {
        const page = await browser.newPage();
        await page.goto(url);
        await page.getByRole('link', { name: 'Sign in with your organization' }).click();
        await signInAtProvider(page, 'ada');
        await page.getByRole('link', { name: 'Your account' }).click();
        const main = page.getByRole('main');
        await main.getByText('ada', { exact: true }).waitFor();
        await main.getByText('research (admin)').waitFor();
        await page.getByRole('link', { name: 'Keys', exact: true }).click();
        await page.getByRole('button', { name: 'New key' }).waitFor();
        await page.getByRole('link', { name: 'Your account' }).click();
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByRole('dialog', { name: 'Sign in' }).waitFor();
        if ((await page.getByRole('link', { name: 'Keys', exact: true }).count()) > 0)
          throw new Error('the pages are still there after the sign-out');
      }),
    );
  }
}
