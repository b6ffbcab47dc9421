import { describe, expect, test } from 'vitest';
import { audit } from '#test/helpers/audit.ts';
import { provideChromium } from '#test/helpers/chromium.ts';
import { heading, openPages } from './open-pages.ts';

const chromium = await provideChromium();

describe.skipIf(chromium === undefined)('manager pages at every width and in both themes', () => {
  const { manager, visit } = openPages(chromium);

  const EVERY_PAGE = [
    '#/',
    '#/servers/echo',
    '#/servers/echo/log',
    '#/servers/echo/tools',
    '#/servers/echo/resources',
    '#/servers/echo/configuration',
    '#/tools?q=adds',
    '#/tools/echo/add',
    '#/prompts?q=greets',
    '#/resources?q=memo',
    '#/clients',
    '#/groups',
    '#/groups/research',
    '#/new-group',
    '#/configuration',
    '#/add',
    '#/keys',
    '#/pins',
    '#/findings',
    '#/audit',
  ];
  test.each([
    { width: 320, colorScheme: 'dark' },
    { width: 1280, colorScheme: 'light' },
    { width: 2560, colorScheme: 'dark' },
  ] as const)('every page is accessible at $width in $colorScheme', ({ width, colorScheme }) =>
    visit(
      '#/',
      async (page) => {
        await heading(page, 'Servers').waitFor();
        const problems: unknown[] = [];
        for (const hash of EVERY_PAGE) {
          await page.goto(`${manager().url}/${hash}`);
          // The hashchange event fires before the next frame.
          for (let frames = 0; frames < 2; frames += 1) await page.locator('body').evaluate(nextFrame);
          await expect.poll(() => page.locator('.state.loading, [aria-busy]').count()).toBe(0);
          const scrollWidth = await page.locator('html').evaluate((node) => node.scrollWidth);
          problems.push(...(await audit(page)).map((problem) => `${hash}: ${problem}`));
          if (scrollWidth > width) problems.push(`${hash}: ${scrollWidth} px wide`);
        }
        expect(problems).toEqual([]);
      },
      { viewport: { width, height: 800 }, colorScheme },
    ),
  );
});

const nextFrame = (body: BrowserNode): Promise<unknown> =>
  new Promise((resolve) => body.ownerDocument.defaultView.requestAnimationFrame(resolve));

/** The part of an element that `nextFrame` uses; tests of this project have no browser types. */
interface BrowserNode {
  readonly ownerDocument: {
    readonly defaultView: { requestAnimationFrame(run: (time: number) => void): number };
  };
}
