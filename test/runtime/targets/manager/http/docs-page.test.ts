import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audit } from '#test/helpers/audit.ts';
import { provideChromium } from '#test/helpers/chromium.ts';
import { textsOfRegions } from '#test/helpers/regions.ts';
import { usePages } from '#test/helpers/use-pages.ts';
import { type OpenApi, openApi } from './open-api.ts';

const chromium = await provideChromium();

describe.skipIf(chromium === undefined)('API documentation page in a browser', () => {
  const pages = usePages(chromium);
  let api: OpenApi;
  let origin: string;
  beforeAll(async () => {
    api = await openApi({ servers: [] });
    origin = await api.listen();
  });
  afterAll(() => api.close());

  test('lists every operation with OpenAPI 3.1 types', () =>
    pages.visit(`${origin}/docs`, async (page) => {
      await page.getByRole('heading', { level: 1, name: 'mcp-manager' }).waitFor();
      const { paths } = (await api.get('/openapi.json')).body;
      const texts = await textsOfRegions(page);
      for (const [path, methods] of Object.entries<Record<string, { summary: string }>>(paths)) {
        for (const [method, { summary }] of Object.entries(methods)) {
          expect(texts.get(`${method.toUpperCase()} ${path}`)).toContain(summary);
        }
      }
      expect(texts.get('GET /api/v1/health/servers')).toMatch(/servers array of object or null/);
      expect(await page.getByText('Try the model').count()).toBe(0);
    }));

  test.each([
    { width: 360, colorScheme: 'dark' },
    { width: 1280, colorScheme: 'light' },
  ] as const)('has no accessibility violations at $width in $colorScheme', ({ width, colorScheme }) =>
    pages.visit(
      `${origin}/docs`,
      async (page) => {
        await page.getByRole('region', { name: 'GET /healthz', exact: true }).waitFor();
        expect(await audit(page)).toEqual([]);
        const scrollWidth = await page.locator('html').evaluate((node) => node.scrollWidth);
        expect(scrollWidth).toBeLessThanOrEqual(width);
      },
      { viewport: { width, height: 800 }, colorScheme },
    ),
  );
});
