import type { Browser, Page } from 'playwright-core';
import { messageOf } from '#contract/errors.ts';
import { print, printTable } from '../bench/measure/print.ts';
import { BROWSERS, withBrowser } from '../helpers/with-browser.ts';
import { HOSTILE_FLOWS } from './hostile/flows.ts';
import { injected } from './hostile/injected.ts';
import type { Programs } from './programs/build-programs.ts';
import { withPrograms } from './programs/started.ts';
import { HOSTILE, HOSTILE_NAME } from './programs/texts.ts';
import { picture, tooWide } from './visits/inspect.ts';
import { type PageEntry, type PageGroup, pageGroups } from './visits/page-list.ts';
import { settled, visit } from './visits/visit.ts';

const WIDTHS = [1280, 320];

/** Opens every page with hostile names, prompts, responses, logs and files. Returns the content that was not shown as text. */
export async function checkHostile(programs: Programs, folder: string): Promise<string[]> {
  const problems: string[] = [];
  const rows: string[][] = [];
  await withPrograms(programs, folder, HOSTILE, async (started) => {
    for (const name of BROWSERS) {
      await withBrowser(name, async (browser) => {
        for (const group of pageGroups(started)) {
          const found = await openGroup(browser, name, group);
          problems.push(...printed(found));
          rows.push([name, group.pages[0]?.program ?? '', String(group.pages.length), String(found.length)]);
        }
        for (const { title, of, run } of HOSTILE_FLOWS) {
          const { url, key } = of(started);
          const found = await visit(browser, url, { key }, async (page) => {
            await page.goto(url);
            await run(page, started);
            await picture(page, `hostile ${name} ${title}`);
            await expectHarmless(page);
          }).catch((error: unknown) => [messageOf(error)]);
          problems.push(...printed(found.map((problem) => `${name}, ${title}: ${problem}`)));
          rows.push([name, title, '1', String(found.length)]);
        }
      });
    }
  });
  printTable(['browser', 'pages', 'opened', 'problems'], rows);
  return problems;
}

/** A run takes minutes, so problems are printed when they are found. */
function printed(problems: readonly string[]): readonly string[] {
  for (const problem of problems) print(problem);
  return problems;
}

async function openGroup(browser: Browser, name: string, { url, key, pages }: PageGroup): Promise<string[]> {
  const problems: string[] = [];
  for (const entry of pages) {
    const found = await visit(browser, url, { key }, async (page) => {
      await page.goto(`${url}/${entry.path}`);
      await showsHostile(page, entry);
      await picture(page, `hostile ${name} ${entry.program} ${entry.path}`);
      await expectHarmless(page);
    }).catch((error: unknown) => [messageOf(error)]);
    problems.push(...found.map((problem) => `${name}, ${entry.program} /${entry.path}: ${problem}`));
  }
  return problems;
}

async function showsHostile(page: Page, { shows, hasNames = false }: PageEntry): Promise<void> {
  await settled(page);
  if (shows !== undefined) await page.locator('main').getByText(shows).first().waitFor({ state: 'attached' });
  if (hasNames) await page.locator('body').getByText(HOSTILE_NAME).first().waitFor({ state: 'attached' });
  await settled(page);
}

async function expectHarmless(page: Page): Promise<void> {
  const found = [...(await injected(page)), ...(await tooWide(page, WIDTHS))];
  if (found.length > 0) throw new Error(found.join('\n'));
}
