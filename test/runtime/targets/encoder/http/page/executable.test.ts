import { on } from 'node:events';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { provideChromium } from '#test/helpers/chromium.ts';
import { TEST_CACHE } from '#test/helpers/paths.ts';
import { usePages } from '#test/helpers/use-pages.ts';
import { run, write } from './pages.ts';
import { builtExecutable } from '#test/helpers/built.ts';

const chromium = await provideChromium();

describe.skipIf(chromium === undefined)('the pages inside an executable', () => {
  const pages = usePages(chromium);

  test('are minified from the source', async () => {
    const args = ['serve', '--disable-grpc', '--http-hostname', '127.0.0.1', '--http-port', '0'];
    const server = execa(builtExecutable('ner'), args, {
      env: { ENCODERFILE_CACHE_DIR: TEST_CACHE },
      stdin: 'ignore',
      reject: false,
      all: true,
    });
    try {
      const origin = await addressOf(server);
      await pages.visit(origin, async (page) => {
        await page.getByRole('heading', { level: 1, name: 'ner' }).waitFor();
        await write(page, 1, 'John lives in Berlin');
        await run(page);
        expect(await page.locator('mark').allInnerTexts()).toEqual(['John\u00A0PER', 'Berlin\u00A0LOC']);
        await page.getByRole('link', { name: 'API docs' }).click();
        await page.getByRole('region', { name: 'POST /predict', exact: true }).waitFor();
      });
      const script = await (await fetch(`${origin}/assets/app.js`)).text();
      expect(script.length).toBeGreaterThan(10_000);
      // Templates in code samples keep their spaces.
      expect(/\/\*\*|@param|^import\b/m.exec(script)?.[0]).toBeUndefined();
    } finally {
      server.kill('SIGTERM');
      await server;
    }
  });
});

/** The address printed by the server. */
async function addressOf(server: { readonly all: NodeJS.ReadableStream }): Promise<string> {
  let said = '';
  for await (const [chunk] of on(server.all, 'data', { close: ['end'] })) {
    said += String(chunk);
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
    if (address) return address;
  }
  throw new Error(`the server ended: ${said}`);
}
