import { describe, expect, test } from 'vitest';
import { provideChromium } from '#test/helpers/chromium.ts';
import { audit } from '#test/helpers/audit.ts';
import { axeFindings } from '#test/helpers/axe.ts';
import { usePages } from '#test/helpers/use-pages.ts';
import { useServers } from './pages.ts';

const chromium = await provideChromium();
const MODELS = ['sentiment', 'ner', 'embedder'] as const;

interface OpenApi {
  readonly info: { readonly title: string };
  readonly paths: Record<string, Record<string, { summary?: string; responses: Record<string, unknown> }>>;
}

describe.skipIf(chromium === undefined)('the API page', () => {
  const pages = usePages(chromium);
  const origin = useServers(MODELS);
  const lockedOrigin = useServers(['ner'], ['right-key']);

  test.each(MODELS)('%s: shows every operation of the document with every status', async (model) => {
    const api = (await (await fetch(`${origin(model)}/openapi.json`)).json()) as OpenApi;
    const operations = Object.entries(api.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, details]) => ({
        name: `${method.toUpperCase()} ${path}`,
        ...details,
      })),
    );
    expect(operations.length).toBeGreaterThan(5);
    await pages.visit(`${origin(model)}/docs`, async (page) => {
      await page.getByRole('heading', { level: 1, name: api.info.title }).waitFor();
      for (const { name, summary, responses } of operations) {
        const section = page.getByRole('region', { name, exact: true });
        const text = await section.evaluate((node) => node.textContent);
        expect(text).toContain(summary ?? '');
        for (const status of Object.keys(responses))
          expect([name, text]).toEqual([name, expect.stringContaining(status)]);
      }
      const links = page.getByRole('navigation', { name: 'Operations' }).getByRole('link');
      expect((await links.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ')).sort()).toEqual(
        operations.map(({ name }) => name).sort(),
      );
    });
  });

  test('shows fields, types and examples of a request', () =>
    pages.visit(`${origin('ner')}/docs#post-predict`, async (page) => {
      const section = page.getByRole('region', { name: 'POST /predict', exact: true });
      await section.waitFor();
      expect(await section.innerText()).toMatch(
        /inputs array of \(string or array of string\), 1 to 2048 items/,
      );
      const example = await section.getByRole('group', { name: 'Example' }).first().innerText();
      expect(JSON.parse(example)).toHaveProperty('inputs');
      const top = await section
        .getByRole('heading', { level: 2 })
        .evaluate((node) => node.getBoundingClientRect().top);
      expect(Math.abs(top)).toBeLessThan(100);
    }));

  test('sends a request and shows it as code; /predict comes first', () =>
    pages.visit(
      `${origin('sentiment')}/docs`,
      async (page) => {
        const first = page.getByRole('navigation', { name: 'Operations' }).getByRole('link').first();
        expect((await first.innerText()).replaceAll(/\s+/g, ' ')).toBe('POST /predict');
        const section = page.getByRole('region', { name: 'POST /predict', exact: true });
        await section.getByText('Try it').click();
        await section.getByLabel('Body').fill('{"inputs": ["I love this"]}');
        await section.getByRole('tab', { name: 'Python' }).click();
        const code = section.getByRole('tabpanel');
        expect(await code.innerText()).toContain('body = {"inputs": ["I love this"]}');
        await section.getByRole('tab', { name: 'Python' }).press('ArrowRight');
        expect(await code.innerText()).toContain('await fetch(');
        await section.getByRole('button', { name: 'Send' }).press('Enter');
        const response = section.getByRole('region', { name: 'Response' });
        await response.getByText('POSITIVE').first().waitFor();
        expect(JSON.parse(await response.innerText())).toHaveProperty('results');
        await section.getByText(/^200 OK · application\/json · \d/).waitFor();
        await section.getByLabel('Body').fill('{"inputs": [');
        await section.getByRole('button', { name: 'Send' }).click();
        await section.locator('.field-problem', { hasText: 'The body is not valid JSON.' }).waitFor();
        await section.getByLabel('Body').fill('{"inputs": []}');
        await section.getByRole('button', { name: 'Send' }).click();
        await section.getByText('Error 4').waitFor();
      },
      { callFails: true },
    ));

  test('accepts a key if the server requires one', () =>
    pages.visit(
      `${lockedOrigin('ner')}/docs`,
      async (page) => {
        await page.getByLabel('API key').fill('right-key');
        await page.keyboard.press('Enter');
        await page.getByRole('region', { name: 'POST /predict', exact: true }).waitFor();
        expect(await page.getByLabel('API key').isVisible()).toBe(false);
      },
      { callFails: true },
    ));

  test.each([
    { width: 360, colorScheme: 'dark' },
    { width: 1280, colorScheme: 'light' },
  ] as const)(
    'passes accessibility audits and does not scroll horizontally at $width in $colorScheme',
    ({ width, colorScheme }) =>
      pages.visit(
        `${origin('sentiment')}/docs`,
        async (page) => {
          await page.getByRole('region', { name: 'POST /predict', exact: true }).waitFor();
          for (const summary of await page.locator('summary').all()) await summary.click();
          expect(await audit(page)).toEqual([]);
          expect(await axeFindings(page)).toEqual([]);
          expect(await page.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth)).toBe(0);
        },
        { viewport: { width, height: 740 }, colorScheme },
      ),
  );
});
