import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audit } from '#test/helpers/audit.ts';
import { provideChromium } from '#test/helpers/chromium.ts';
import { textsOfRegions } from '#test/helpers/regions.ts';
import { usePages } from '#test/helpers/use-pages.ts';
import { type OpenGateway, openGateway } from './open-gateway.ts';

const chromium = await provideChromium();

describe.skipIf(chromium === undefined)('API documentation page in a browser', () => {
  const pages = usePages(chromium);
  let gateway: OpenGateway;
  let origin: string;
  beforeAll(async () => {
    gateway = await openGateway();
    origin = await gateway.listen();
  });
  afterAll(() => gateway.close());

  test('lists every operation and has no accessibility violations', () =>
    pages.visit(`${origin}/docs`, async (page) => {
      await page.getByRole('heading', { level: 1, name: 'gateway' }).waitFor();
      const { paths } = (await gateway.request('/openapi.json')).body;
      const texts = await textsOfRegions(page);
      for (const [path, methods] of Object.entries<Record<string, { summary: string }>>(paths)) {
        for (const [method, { summary }] of Object.entries(methods)) {
          expect(texts.get(`${method.toUpperCase()} ${path}`)).toContain(summary);
        }
      }
      expect(texts.get('DELETE /v1/keys/{id}')).toContain('204');
      expect(await audit(page)).toEqual([]);
    }));
});
