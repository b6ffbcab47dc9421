import { describe, expect, test } from 'vitest';
import { provideChromium } from '#test/helpers/chromium.ts';
import { openPages } from './open-pages.ts';

const chromium = await provideChromium();

describe.skipIf(chromium === undefined)('manager pages with a read-only key', () => {
  const { manager, visit } = openPages(chromium);

  test('a read-only admin key sees no actions that it cannot perform', async () => {
    const key = (): string => manager().keys.reader;
    for (const hash of ['#/servers/echo', '#/keys', '#/groups', '#/configuration', '#/pins', '#/findings']) {
      await visit(
        hash,
        async (page) => {
          await page.locator('main h1').waitFor();
          await page.waitForLoadState('networkidle');
          const actions = page.getByRole('button', {
            name: /^(Restart|Revoke|Remove|Pin|Unpin|Accept|Release)/,
          });
          const links = page.getByRole('link', { name: /^(New key|New group|Add a server)$/ });
          expect([
            hash,
            await actions.count(),
            await page.locator('main').getByRole('link').and(links).count(),
          ]).toEqual([hash, 0, 0]);
        },
        { key },
      );
    }
  });
});
