import { expectText, type Flow } from './flow.ts';

export const CREATE_KEY: Flow = {
  title: 'gateway: create, copy and revoke a key',
  of: ({ gateway }) => gateway,
  async run(page, { gateway }) {
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('key_name').fill('from a browser');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const secret = await dialog.getByRole('textbox', { name: 'Key', exact: true }).innerText();
    await dialog.getByRole('button', { name: 'Copy Key' }).click();
    await dialog.getByText('Copied').first().waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { name: 'from a browser' }).waitFor();
    const works = async (): Promise<number> =>
      (await fetch(`${gateway.url}/v1/keys/me`, { headers: { Authorization: `Bearer ${secret}` } })).status;
    expectText(String(await works()), '200');
    await page.getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    expectText(String(await works()), '401');
    await page.getByRole('link', { name: 'Playground' }).click();
    // Pastes the copied text.
    await page.getByLabel('Prompt', { exact: true }).focus();
    await page.keyboard.press('Control+V');
    expectText(await page.getByLabel('Prompt', { exact: true }).inputValue(), secret);
  },
};

export const USE_PLAYGROUND: Flow = {
  title: 'gateway: two models answer the same prompt',
  of: ({ gateway }) => gateway,
  async run(page) {
    await page.getByRole('link', { name: 'Playground' }).click();
    await page.getByLabel('First model').fill('lab:large');
    await page.getByLabel('Second model').fill('lab:small');
    await page.getByLabel('Prompt', { exact: true }).fill('Say hello.');
    await page.getByLabel('User who pays').fill('ada');
    await page.getByRole('button', { name: 'Send' }).click();
    for (const model of ['lab:large', 'lab:small']) {
      const answer = page.locator('.answer', { has: page.getByRole('heading', { name: model }) });
      await answer.getByText('12 input and 7 output tokens').waitFor();
      expectText(await answer.locator('.answer-text').innerText(), 'Hello. How can I help?');
    }
  },
};
