import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audit } from '#test/helpers/audit.ts';
import { provideChromium } from '#test/helpers/chromium.ts';
import { usePages } from '#test/helpers/use-pages.ts';
import { type ManagerWithFiles, serverToml, startWithFiles } from '../start-with-files.ts';
import { heading, press, SCRIPT } from './open-pages.ts';

const chromium = await provideChromium();

describe.skipIf(chromium === undefined)('the page for secrets of users', () => {
  const pages = usePages(chromium);
  let manager: ManagerWithFiles;
  beforeAll(async () => {
    manager = await startWithFiles(
      serverToml('echo', 'echo', { env: { TOKEN: '${user.secret.TOKEN}', OTHER: '${user.secret.OTHER}' } }) +
        serverToml('second', 'echo', { env: { TOKEN: '${user.secret.TOKEN}' } }),
    );
  });
  afterAll(() => manager.close());

  const visit = (
    path: string,
    body: (page: Page) => Promise<void>,
    options: Parameters<typeof pages.visit>[2] = {},
  ) => pages.visit(manager.url + path, body, options);
  const enterKey = async (page: Page, key: string): Promise<void> => {
    await page.getByLabel('API key or access token').fill(key);
    await press(page, 'Continue');
  };
  /** The path of a link, as a client gets it. */
  const linkFor = async (key: string, server = 'echo'): Promise<string> => {
    const { body } = await manager.send('POST', `/api/v1/servers/${server}/tools/env`, {}, key);
    const [, path = ''] = /(\/secrets\?link=[\w-]+)/.exec(body.detail) ?? [];
    expect(path).not.toBe('');
    return path;
  };
  const envOf = async (key: string): Promise<object> =>
    JSON.parse((await manager.send('POST', '/api/v1/servers/echo/tools/env', {}, key)).body);
  const clear = async (key: string): Promise<void> => {
    for (const name of ['TOKEN', 'OTHER'])
      await manager.send('DELETE', `/api/v1/secrets/${name}`, undefined, key);
  };

  test.each([
    { width: 320, colorScheme: 'dark' },
    { width: 1280, colorScheme: 'light' },
  ] as const)('is accessible in each state at $width in $colorScheme', async ({ width, colorScheme }) => {
    const { user } = manager.keys;
    await clear(user);
    const path = await linkFor(user);
    const check = async (page: Page, state: string): Promise<void> => {
      // This page has few texts, which the audit would otherwise report.
      const problems = (await audit(page)).filter((problem) => problem !== 'hardly any text was looked at');
      expect(problems, state).toEqual([]);
      const scrollWidth = await page.locator('html').evaluate((node) => node.scrollWidth);
      expect(scrollWidth, state).toBeLessThanOrEqual(width);
    };
    const options = { viewport: { width, height: 800 }, colorScheme, callFails: true };
    await visit(
      path,
      async (page) => {
        await page.getByLabel('API key or access token').waitFor();
        await check(page, 'key');
        await enterKey(page, 'mcpm_wrong');
        await page.getByRole('alert').getByText(/key/i).waitFor();
        await check(page, 'wrong key');
        await enterKey(page, user);
        await heading(page, 'Secrets for echo').waitFor();
        await check(page, 'link');
      },
      options,
    );
    await visit(
      '/secrets',
      async (page) => {
        await enterKey(page, user);
        await page.getByLabel('TOKEN (not set, used by echo, second)').waitFor();
        await check(page, 'all');
        await page.getByLabel(/^OTHER/).fill('a value');
        await press(page, 'Save');
        await page.getByRole('button', { name: 'Remove OTHER' }).waitFor();
        await check(page, 'one is set');
      },
      options,
    );
  });

  test('a link sets the secrets that its server requires, once', async () => {
    const { user } = manager.keys;
    await clear(user);
    const path = await linkFor(user);
    await visit(path, async (page) => {
      await enterKey(page, user);
      await heading(page, 'Secrets for echo').waitFor();
      // The browser requires all fields.
      await page.getByLabel('TOKEN', { exact: true }).fill(SCRIPT);
      await press(page, 'Save');
      expect(
        await page.getByLabel('OTHER', { exact: true }).evaluate((node) => node.matches(':invalid')),
      ).toBe(true);
      await page.getByLabel('OTHER', { exact: true }).fill('other value');
      await press(page, 'Save');
      await page.getByRole('status').getByText('Saved. You can close this page.').waitFor();
      expect(await page.content()).not.toContain('other value');
      expect(await page.title()).toBe('Secrets · mcp-manager');
    });
    // A value that looks like markup is passed on as it is.
    expect(await envOf(user)).toMatchObject({ TOKEN: SCRIPT, OTHER: 'other value' });
    await visit(
      path,
      async (page) => {
        await enterKey(page, user);
        await page.getByRole('alert').getByText('This link is not valid for you').waitFor();
      },
      { callFails: true },
    );
  });

  test('a link of another user, or a hostile one, shows an error and never the secrets of others', async () => {
    const { user, reader } = manager.keys;
    await clear(user);
    const path = await linkFor(user);
    for (const link of [
      path,
      `/secrets?link=${encodeURIComponent(SCRIPT)}`,
      '/secrets?link=../../api/v1/keys',
    ]) {
      await visit(
        link,
        async (page) => {
          await enterKey(page, reader);
          await page.getByRole('alert').getByText(/\S/).waitFor();
          // The user can try another key.
          expect(await page.getByLabel('API key or access token').isVisible()).toBe(true);
          expect(await page.getByRole('form', { name: 'Secrets' }).isVisible()).toBe(false);
          expect(await page.title()).toBe('Secrets · mcp-manager');
        },
        { callFails: true },
      );
    }
  });

  test('all secrets are shown without their values, and can be replaced and removed', async () => {
    const { user } = manager.keys;
    await clear(user);
    await visit('/secrets', async (page) => {
      await enterKey(page, user);
      await page.getByLabel('TOKEN (not set, used by echo, second)').fill('first');
      await page.getByLabel('OTHER (not set, used by echo)').fill('kept');
      await press(page, 'Save');
      await page.getByRole('status').getByText('Saved.').waitFor();
      // An empty field keeps the value.
      await page.getByLabel('TOKEN (set, used by echo, second)').fill('second');
      await press(page, 'Save');
      await expect.poll(() => envOf(user)).toMatchObject({ TOKEN: 'second', OTHER: 'kept' });
      const values = await page.locator('input[type=password]').all();
      for (const value of values) expect(['', user]).toContain(await value.inputValue());
      expect(values).toHaveLength(3);
      await press(page, 'Remove TOKEN');
      await page.getByRole('status').getByText('Removed TOKEN.').waitFor();
      await page.getByLabel('TOKEN (not set, used by echo, second)').waitFor();
    });
    expect((await manager.get('/api/v1/secrets', user)).body.secrets).toMatchObject([
      { name: 'OTHER', isSet: true },
      { name: 'TOKEN', isSet: false },
    ]);
  });

  test('a value that is too long is rejected with its reason, and the others can still be saved', async () => {
    const { user } = manager.keys;
    await clear(user);
    await visit(
      '/secrets',
      async (page) => {
        await enterKey(page, user);
        await page.getByLabel(/^TOKEN/).fill('x'.repeat(20_000));
        await press(page, 'Save');
        await page
          .getByRole('alert')
          .getByText(/16384|16,384/)
          .waitFor();
        await page.getByLabel(/^TOKEN/).fill('short');
        await press(page, 'Save');
        await page.getByRole('status').getByText('Saved.').waitFor();
        expect(await page.getByRole('alert').textContent()).toBe('');
      },
      { callFails: true },
    );
  });
});
