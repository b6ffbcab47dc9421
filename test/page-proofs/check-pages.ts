import type { Browser } from 'playwright-core';
import { messageOf } from '#contract/errors.ts';
import { print, printTable } from '../bench/measure/print.ts';
import type { BrowserName, Theme } from '../helpers/launch-browser.ts';
import { BROWSERS, withBrowser } from '../helpers/with-browser.ts';
import { FLOWS } from './flows/flows.ts';
import type { Programs } from './programs/build-programs.ts';
import { type Started, withPrograms } from './programs/started.ts';
import { PLAIN } from './programs/texts.ts';
import { firstPaint, inspect, picture } from './visits/inspect.ts';
import { type PageEntry, type PageGroup, pageGroups } from './visits/page-list.ts';
import { settled, visit } from './visits/visit.ts';

const THEMES: readonly Theme[] = ['light', 'dark'];
const MAX_PAINT_MS = 1000;
const WINDOW = { width: 1280, height: 900 };

/** Results by page or flow, and by browser and theme. */
type Results = Map<string, Map<string, string>>;

/** Opens every page of every program in both browsers and themes, and runs the user flows. Returns the problems. */
export async function checkPages(programs: Programs, folder: string): Promise<string[]> {
  const results: Results = new Map();
  const problems: string[] = [];
  await withPrograms(programs, folder, PLAIN, async (started) => {
    const groups = pageGroups(started);
    for (const name of BROWSERS) {
      for (const theme of THEMES) {
        const column = `${name}, ${theme}`;
        const note: Note = (row, result, found) => {
          for (const problem of found) {
            // A run takes minutes, so problems are printed when they are found.
            print(`${row}, ${column}: ${problem}`);
            problems.push(`${row}, ${column}`);
          }
          const cells = results.get(row) ?? new Map<string, string>();
          results.set(row, cells.set(column, found.length === 0 ? result : 'FAILED'));
        };
        const run = async (browser: Browser): Promise<void> => {
          for (const group of groups) await openPages(browser, theme, group, note, column);
          if (theme === 'light') await runFlows(browser, name, started, note);
        };
        await withBrowser(name, run, theme);
      }
    }
  });
  printResults(results);
  return problems;
}

type Note = (row: string, result: string, problems: readonly string[]) => void;

async function openPages(
  browser: Browser,
  theme: Theme,
  { url, key, pages }: PageGroup,
  note: Note,
  column: string,
): Promise<void> {
  for (const entry of pages) {
    const row = `${entry.program} /${entry.path.replaceAll(/[\da-f]{8,}[\w-]*/g, '…')}`;
    let paint = 0;
    const options = { key, colorScheme: theme, viewport: WINDOW };
    const problems = await visit(browser, url, options, async (page) => {
      await page.goto(`${url}/${entry.path}`);
      await showsData(page, entry);
      paint = await firstPaint(page);
      await picture(page, `${column} ${row}`);
      if (paint > MAX_PAINT_MS) throw new Error(`the first paint took ${paint.toFixed(0)} ms`);
      const found = await inspect(page);
      if (found.length > 0) throw new Error(found.join('\n'));
    }).catch((error: unknown) => [messageOf(error)]);
    note(row, `${paint.toFixed(0)} ms`, problems);
  }
}

async function showsData(page: Parameters<typeof settled>[0], { shows }: PageEntry): Promise<void> {
  await settled(page);
  if (shows !== undefined) await page.locator('main').getByText(shows).first().waitFor({ state: 'attached' });
  await settled(page);
}

async function runFlows(browser: Browser, name: BrowserName, started: Started, note: Note): Promise<void> {
  for (const { title, of, run, failures = [] } of FLOWS) {
    const { url, key } = of(started);
    const permissions = name === 'chromium' ? ['clipboard-read', 'clipboard-write'] : [];
    const options = { key, failures, permissions, viewport: WINDOW };
    const problems = await visit(browser, url, options, async (page) => {
      await page.goto(url);
      await run(page, started);
    }).catch((error: unknown) => [messageOf(error)]);
    note(title, 'ok', problems);
  }
}

function printResults(results: Results): void {
  const columns = BROWSERS.flatMap((name) => THEMES.map((theme) => `${name}, ${theme}`));
  print('First paint; no findings of axe, no horizontal overflow at 320, 1280 and 2560 px:');
  printTable(
    ['page or flow', ...columns],
    [...results].map(([row, cells]) => [row, ...columns.map((column) => cells.get(column) ?? '')]),
  );
}
