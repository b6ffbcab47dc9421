import type { Flow } from './flow.ts';

export const ADD_SERVER: Flow = {
  title: 'manager: add a server, and remove it',
  of: ({ manager }) => manager,
  async run(page) {
    // Browsers add the servers at different times, so each server needs a unique name.
    const name = `added-${Date.now()}`;
    const press = (button: string) => page.getByRole('button', { name: button, exact: true }).click();
    await page.getByRole('link', { name: 'Add a server' }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('combobox').first().selectOption({ label: 'A command' });
    await page.getByLabel('Command', { exact: true }).fill(process.execPath);
    await page.getByLabel('Start on the first call').check();
    await press('Review change');
    await page.getByRole('dialog').getByText(`+name = "${name}"`).waitFor();
    await press('Write the file');
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    await page.getByRole('link', { name: 'Configuration' }).last().click();
    await press('Remove server');
    await press('Remove the server');
    await page.getByRole('heading', { level: 1, name: 'Configuration' }).waitFor();
  },
};

export const CALL_TOOL: Flow = {
  title: 'manager: find a tool and call it',
  of: ({ manager }) => manager,
  async run(page) {
    await page.getByRole('link', { name: 'Tools', exact: true }).click();
    await page.getByLabel('Search names, descriptions and parameters').fill('adds two numbers');
    await page
      .getByRole('row', { name: /^add\s+echo/ })
      .getByRole('link')
      .click();
    await page.getByLabel('a', { exact: true }).fill('2');
    await page.getByLabel('b', { exact: true }).fill('40.5');
    await page.getByRole('button', { name: 'Call tool' }).click();
    await page.getByRole('region', { name: 'Result' }).getByText('42.5').first().waitFor();
  },
};
