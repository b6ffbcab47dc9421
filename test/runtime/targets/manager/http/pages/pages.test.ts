import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { provideChromium } from '#test/helpers/chromium.ts';
import { heading, openPages, press, SCRIPT } from './open-pages.ts';

const chromium = await provideChromium();

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SVG = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><script>alert(1)</script><rect width="40" height="40"/></svg>`,
).toString('base64');

const PETS = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
  paths: {
    '/pets': { get: { operationId: 'listPets' }, post: { operationId: 'addPet' } },
  },
};

describe.skipIf(chromium === undefined)('manager pages in a browser', () => {
  const { manager, visit, visitWithoutKey } = openPages(chromium);

  test('the key is requested once, and all servers are listed with their state', () =>
    visitWithoutKey(
      async (page) => {
        await page.getByLabel('API key').fill(manager().keys.admin);
        await page.keyboard.press('Enter');
        await page.getByRole('link', { name: 'hostile' }).waitFor();
        expect(await page.getByRole('row', { name: /^echo/ }).innerText()).toMatch(/running\s+ok/);
        await page.getByLabel('Search').fill('care');
        await page.getByText('1 of 1 row').waitFor();
        await page.getByLabel('Search').fill('');
        await press(page, 'Server');
        await expect
          .poll(() => page.locator('tbody th').allInnerTexts())
          .toEqual(['hostile', 'echo', 'careful']);
        expect(page.url()).toContain('sort=-name');
      },
      { callFails: true },
    ));

  test("a server's state and log can be followed, and the server can be restarted after a confirmation", () =>
    visit('#/servers/echo', async (page) => {
      await heading(page, 'echo').waitFor();
      await page.getByText('Median duration').waitFor();
      await page.getByRole('link', { name: 'Log', exact: true }).click();
      const log = page.getByRole('log');
      await expect.poll(() => log.innerText()).toContain('started: echo');
      await manager().send('POST', '/api/v1/servers/echo/tools/log', { text: `seen live ${SCRIPT}` });
      await expect.poll(() => log.innerText()).toContain(`seen live ${SCRIPT}`);
      await page.getByRole('link', { name: 'Overview' }).click();
      await press(page, 'Restart');
      await page.getByRole('dialog').getByRole('button', { name: 'Restart' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }));

  test('a tool can be found, read and called by keyboard only', () =>
    visit('#/tools', async (page) => {
      await page.getByLabel('Search names, descriptions and parameters').focus();
      await page.keyboard.type('adds two numbers');
      // The last characters typed redraw the rows a moment later, which removes a focused row.
      await page.waitForURL(/adds.two.numbers|adds%20two%20numbers/);
      await page.evaluate(
        () =>
          new Promise((resolve) => {
            setTimeout(resolve);
          }),
      );
      const found = page.getByRole('row', { name: /^add\s+echo/ }).getByRole('link');
      await found.waitFor();
      await found.focus();
      await page.keyboard.press('Enter');
      await heading(page, 'add').waitFor();
      await expect
        .poll(() => page.locator('body').evaluate((body) => body.ownerDocument.activeElement?.tagName))
        .toBe('H1');
      const first = page.getByLabel('a', { exact: true });
      for (
        let tabs = 0;
        tabs < 30 && !(await first.evaluate((node) => node === node.ownerDocument.activeElement));
        tabs += 1
      ) {
        await page.keyboard.press('Tab');
      }
      await page.keyboard.type('2');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByText('This field is required.').waitFor();
      await page.keyboard.type('40.5');
      await page.keyboard.press('Enter');
      await expect
        .poll(() => page.getByRole('region', { name: 'Result' }).innerText())
        .toMatch(/ok[^]*42\.5/);
    }));

  test('a tool that requires confirmation is called only after the confirmation', () =>
    visit(
      '#/tools/careful/add',
      async (page) => {
        await page.getByLabel('a', { exact: true }).fill('1');
        await page.getByLabel('b', { exact: true }).fill('2');
        await press(page, 'Call tool');
        await page.getByText('requires confirmation').waitFor();
        expect(await page.getByRole('region', { name: 'Result' }).count()).toBe(0);
        await page.getByRole('dialog').getByRole('button', { name: 'Call tool' }).click();
        await expect.poll(() => page.getByRole('region', { name: 'Result' }).innerText()).toContain('3');
      },
      { callFails: true },
    ));

  test('results are shown as text, images, audio and JSON, and malicious content is never executed', () =>
    visit('#/tools/hostile/answer', async (page) => {
      const content = [
        { type: 'text', text: SCRIPT },
        { type: 'image', data: PIXEL, mimeType: 'image/png' },
        { type: 'image', data: SVG, mimeType: 'image/svg+xml' },
        { type: 'image', data: 'PGgxPmhpPC9oMT4=', mimeType: 'text/html' },
        { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
        { type: 'resource_link', uri: 'javascript:alert(1)', name: SCRIPT },
        { type: 'resource', resource: { uri: 'x:1', mimeType: 'text/html', text: SCRIPT } },
      ];
      const result = { content, structuredContent: { [SCRIPT]: SCRIPT }, isError: true };
      await page
        .getByRole('textbox')
        .first()
        .fill(JSON.stringify({ answer: { result } }));
      await press(page, 'Call tool');
      const shown = page.getByRole('region', { name: 'Result' });
      await shown.getByText('the tool reported an error').waitFor();
      expect(await shown.getByText(SCRIPT).count()).toBeGreaterThanOrEqual(3);
      expect(await shown.locator('img').count()).toBe(2);
      expect(await shown.locator('audio').count()).toBe(1);
      expect(await shown.getByText('Binary content: text/html').count()).toBe(1);
      expect(await shown.locator('a, script, iframe').count()).toBe(0);
      expect(await page.title()).toBe('answer · mcp-manager');
      for (const hash of [
        '#/tools/hostile/evil',
        '#/servers/hostile/prompts',
        '#/servers/hostile/resources',
      ]) {
        await page.goto(`${manager().url}/${hash}`);
        await expect.poll(() => page.getByText(SCRIPT).count()).toBeGreaterThan(0);
        expect(await page.locator('main script, main a[href^="javascript"]').count()).toBe(0);
      }
      expect(await page.title()).not.toBe('run');
    }));

  test('prompts can be rendered and resources read', () =>
    visit('#/servers/echo/prompts', async (page) => {
      await page.getByRole('link', { name: 'greet', exact: true }).click();
      await page.getByLabel('name', { exact: true }).fill('Ada');
      await press(page, 'Fill in');
      await expect.poll(() => page.getByRole('region', { name: 'Messages' }).innerText()).toContain('Ada');
      await page.goto(`${manager().url}/#/servers/echo/resources`);
      await press(page, 'memo://one');
      await page.getByRole('heading', { name: 'Content' }).waitFor();
    }));

  test("a server's configuration can be changed and removed as text, after a diff is shown", () =>
    visit(
      '#/add',
      async (page) => {
        await page.getByLabel('Name', { exact: true }).fill('new-one');
        await page.getByRole('combobox').first().selectOption({ label: 'A command' });
        await page.getByLabel('Command', { exact: true }).fill(process.execPath);
        await page.getByLabel('Start on the first call').check();
        await press(page, 'Review change');
        await page.getByRole('dialog').getByText('+name = "new-one"').waitFor();
        expect(manager().read('.mcpd.toml')).not.toContain('new-one');
        await press(page, 'Write the file');
        await heading(page, 'new-one').waitFor();
        expect(manager().read('.mcpd.toml')).toContain('name = "new-one"');

        await page.getByRole('link', { name: 'Configuration' }).last().click();
        const text = page.getByLabel('[[servers]] of new-one');
        await text.fill(`${await text.inputValue()}concurency = 2\n`);
        await press(page, 'Review change');
        await page.getByText('Did you mean').waitFor();
        await text.fill((await text.inputValue()).replace('concurency', 'concurrency'));
        await press(page, 'Review change');
        await page.getByRole('dialog').getByText('+concurrency = 2').waitFor();
        await press(page, 'Write the file');
        await page.getByText('Servers updated: new-one.').waitFor();
        await press(page, 'Remove server');
        await page.getByRole('dialog').getByRole('button', { name: 'Remove the server' }).click();
        await heading(page, 'Configuration').waitFor();
        expect(manager().read('.mcpd.toml')).not.toContain('new-one');
      },
      { callFails: true },
    ));

  test('a REST API can be added, with its operations and secret credentials', () =>
    visit('#/add', async (page) => {
      const document = manager().path('pets.json');
      writeFileSync(document, JSON.stringify(PETS));
      await page.getByLabel('Name', { exact: true }).fill('pets');
      await page.getByRole('combobox').first().selectOption({ label: 'A REST API' });
      await page.getByLabel('OpenAPI document', { exact: true }).fill(`file://${document}`);
      await page.getByLabel(/^URL of the API/).fill('http://127.0.0.1:9/v1');
      page.setDefaultTimeout(10_000);
      const include = page.getByRole('group', { name: /^Operations to use/ });
      await include.getByRole('button', { name: /^Add/ }).click();
      await include.getByRole('textbox').fill('GET /*');
      const credentials = page.getByRole('group', { name: /^Credentials/ });
      await credentials.getByRole('button', { name: /^Add/ }).click();
      await credentials.getByLabel('Name', { exact: true }).fill('key');
      await credentials.getByLabel('Value', { exact: true }).fill('credential-5ecret');
      await press(page, 'Review change');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('+base_url = "http://127.0.0.1:9/v1"').waitFor();
      expect(await dialog.innerText()).not.toContain('5ecret');
      await press(page, 'Write the file');
      await heading(page, 'pets').waitFor();
      const tools = await manager().get('/api/v1/servers/pets/tools');
      expect(tools.body.tools.map(({ name }: { name: string }) => name)).toEqual(['listPets']);
      expect(manager().read('.mcpd.toml')).not.toContain('5ecret');
      expect(manager().read('secrets.toml')).toContain('credential-5ecret');
      await manager().send('DELETE', '/api/v1/admin/configuration/servers/pets?with_secrets=true');
    }));

  test('prompts and resources of all servers can be found and opened', () =>
    visit('#/prompts', async (page) => {
      await page.getByLabel('Search names, descriptions and arguments').fill('greets');
      await page
        .getByRole('row', { name: /^greet\s+echo/ })
        .getByRole('link')
        .press('Enter');
      await heading(page, 'greet').waitFor();
      await page.goto(`${manager().url}/#/resources?q=memo`);
      await page.getByRole('link', { name: 'memo://one', exact: true }).first().press('Enter');
      await page.getByRole('heading', { name: 'Content' }).waitFor();
      await page.goto(`${manager().url}/#/resources?q=javascript`);
      await page
        .getByRole('row', { name: /javascript:alert/ })
        .getByText(SCRIPT)
        .first()
        .waitFor();
      expect(await page.title()).not.toBe('run');
    }));

  test('a group can be created, changed and removed by keyboard, after a diff is shown', () =>
    visit(
      '#/groups',
      async (page) => {
        const pressKey = (name: string) =>
          page.getByRole('button', { name, exact: true }).last().press('Enter');
        await page.getByRole('link', { name: 'New group' }).press('Enter');
        await page.getByLabel('Name', { exact: true }).fill('daily');
        await pressKey('Review change');
        await page.getByText('the group is empty').waitFor();
        const servers = page.getByRole('group', { name: 'Servers' });
        await servers.getByRole('button', { name: /^Add/ }).press('Enter');
        await servers.getByRole('textbox').fill('echo');
        await pressKey('Review change');
        await page.getByRole('dialog').getByText('+name = "daily"').waitFor();
        expect(manager().read('.mcpd.toml')).not.toContain('daily');
        await pressKey('Write the file');
        await heading(page, 'daily').waitFor();
        await page.getByRole('group', { name: 'Servers' }).getByRole('textbox').fill('e*');
        await pressKey('Review change');
        await page.getByRole('dialog').getByText('+servers = [ "e*" ]').waitFor();
        await pressKey('Write the file');
        await page.getByText('The file was written.').waitFor();
        await pressKey('Remove group');
        await pressKey('Remove the group');
        await heading(page, 'Groups').waitFor();
        expect(manager().read('.mcpd.toml')).not.toContain('daily');
      },
      { callFails: true },
    ));

  test('a key can be created, shown once and revoked', () =>
    visit('#/keys/new', async (page) => {
      await page.getByLabel('Name', { exact: true }).fill('phone');
      await press(page, 'Create key');
      const key = await page.getByRole('textbox', { name: 'API key phone' }).innerText();
      expect(key).toMatch(/^mcpm_/);
      await page.getByRole('link', { name: 'All keys' }).click();
      const row = page.getByRole('row', { name: /^phone/ });
      await row.getByRole('button', { name: 'Revoke' }).click();
      expect(await page.content()).not.toContain(key);
      await press(page, 'Revoke key');
      await expect.poll(() => row.innerText()).toContain('revoked');
    }));

  test('a key without permissions sees no buttons that it cannot use', () =>
    visit(
      '#/',
      async (page) => {
        await page.getByRole('link', { name: 'echo' }).waitFor();
        expect(await page.getByRole('columnheader', { name: 'Memory' }).count()).toBe(0);
        await page.getByRole('link', { name: 'echo' }).click();
        await page.getByRole('link', { name: 'add', exact: true }).waitFor();
        expect(await page.getByRole('link', { name: 'Log', exact: true }).count()).toBe(0);
        await page.goto(`${manager().url}/#/add`);
        await page.getByText('require a key with edit permission').waitFor();
        await page.goto(`${manager().url}/#/audit`);
        await page.getByText('no admin permission').waitFor();
      },
      { key: () => manager().keys.user, callFails: true },
    ));
});
