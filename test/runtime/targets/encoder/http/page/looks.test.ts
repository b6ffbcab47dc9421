import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { provideChromium } from '#test/helpers/chromium.ts';
import { audit } from '#test/helpers/audit.ts';
import { axeFindings } from '#test/helpers/axe.ts';
import { usePages } from '#test/helpers/use-pages.ts';
import { run, useServers, write } from './pages.ts';

const chromium = await provideChromium();
const MODELS = ['sentiment', 'ner', 'embedder'] as const;
const LONG = 'a'.repeat(300);

describe.skipIf(chromium === undefined)('appearance and accessibility of the pages', () => {
  const pages = usePages(chromium);
  const origin = useServers(MODELS);

  /** The results of an example with all details expanded. */
  const showAll = async (page: Page): Promise<void> => {
    await page.locator('#examples button').nth(1).click();
    await page.locator('.result').first().waitFor();
    for (const summary of await page.locator('summary').all()) await summary.click();
  };
  /** The widths at which the whole page scrolls horizontally. */
  const sticksOut = async (page: Page): Promise<number[]> => {
    const found: number[] = [];
    for (const width of [320, 360, 768, 1440]) {
      await page.setViewportSize({ width, height: 740 });
      const hidden = await page.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth);
      if (hidden > 0) found.push(width);
    }
    return found;
  };

  describe.each(MODELS)('%s', (model) => {
    test.each(['light', 'dark'] as const)('has no accessibility violations, in %s', (colorScheme) =>
      pages.visit(
        origin(model),
        async (page) => {
          await page.locator('#examples button').first().waitFor();
          expect(await audit(page)).toEqual([]);
          await showAll(page);
          expect(await audit(page)).toEqual([]);
          expect(await axeFindings(page)).toEqual([]);
        },
        { colorScheme },
      ),
    );

    test('no element is wider than the window at any width', () =>
      pages.visit(origin(model), async (page) => {
        await page.locator('#examples button').first().waitFor();
        expect(await sticksOut(page)).toEqual([]);
        await showAll(page);
        expect(await sticksOut(page)).toEqual([]);
        await write(page, 1, LONG);
        await run(page);
        expect(await sticksOut(page)).toEqual([]);
      }));
  });

  test('the audit detects violations', () =>
    pages.visit(origin('sentiment'), async (page) => {
      await page.locator('#examples button').first().waitFor();
      await page.locator('body').evaluate((body) => {
        body.style.setProperty('--soft', '#b0aca4');
        body.style.setProperty('--edge', '#e0e0e0');
        body.querySelector('label[for="text-1"]').remove();
        body.querySelector('h2').remove();
        body.append(body.querySelector('h1').cloneNode(true));
      });
      const problems = (await audit(page)).join('\n');
      expect(problems).toMatch(/"Ctrl \+ Enter": 2\.\d\d/);
      expect(problems).toMatch(/edge of textarea/);
      expect(problems).toMatch(/a textbox has no name/);
      expect(problems).toMatch(/there is not exactly one h1/);
      expect(problems).toMatch(/two elements are #model-name/);
    }));

  test('the dark theme is dark and the light theme is light', async () => {
    const shots: Buffer[] = [];
    const grounds: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await pages.visit(
        origin('sentiment'),
        async (page) => {
          await page.getByRole('button', { name: 'Praise' }).click();
          await page.locator('.result').waitFor();
          shots.push(await page.screenshot());
          grounds.push(
            await page
              .locator('html')
              .evaluate((html) => html.ownerDocument.defaultView.getComputedStyle(html).backgroundColor),
          );
        },
        { colorScheme },
      );
    }
    expect(grounds).toEqual(['rgb(250, 249, 246)', 'rgb(22, 22, 20)']);
    expect(shots[0]?.equals(shots[1] ?? Buffer.alloc(0))).toBe(false);
  });

  test('the pages have no animations if the user prefers reduced motion', () =>
    pages.visit(
      origin('sentiment'),
      async (page) => {
        await page.getByRole('button', { name: 'Praise' }).waitFor();
        const durations = await page
          .locator('*')
          .evaluateAll((all) =>
            all.map((one) => one.ownerDocument.defaultView.getComputedStyle(one).transitionDuration),
          );
        expect(new Set(durations)).toEqual(new Set(['0s']));
      },
      { reducedMotion: 'reduce' },
    ));

  test('everything can be operated by keyboard, with visible focus', () =>
    pages.visit(origin('sentiment'), async (page) => {
      await page.getByRole('button', { name: 'Praise' }).waitFor();
      const stops: string[] = [];
      const outlines: number[] = [];
      for (;;) {
        await page.keyboard.press('Tab');
        const focused = page.locator(':focus');
        if ((await focused.count()) === 0) break;
        const { name, outline } = await focused.evaluate((node) => {
          const style = node.ownerDocument.defaultView.getComputedStyle(node);
          return {
            name: String(node.id || node.getAttribute('aria-label') || node.textContent),
            outline: style.outlineStyle === 'none' ? 0 : Number.parseFloat(style.outlineWidth),
          };
        });
        stops.push(name);
        outlines.push(outline);
        if (name !== 'text-1') continue;
        await page.keyboard.press('Control+A');
        await page.keyboard.type('this is awful');
        await page.keyboard.press('Control+Enter');
        await page.getByRole('rowheader', { name: 'NEGATIVE' }).waitFor();
      }
      expect(stops).toEqual([
        'Skip to the results',
        'API docs',
        'openapi.json',
        'Praise',
        'Complaint',
        'Three texts',
        'text-1',
        'run',
        'add',
        'Tokens',
        'JSON response',
        'tab-1-0',
        'Copy This request',
        'panel-1',
        'file-input',
      ]);
      expect(Math.min(...outlines)).toBeGreaterThanOrEqual(2);
      expect(await page.getByRole('rowheader').first().innerText()).toBe('NEGATIVE');
    }));
});
