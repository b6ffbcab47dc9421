import type { Browser } from 'playwright-core';
import { messageOf } from '#contract/errors.ts';
import { print, printTable } from '../../bench/measure/print.ts';
import { BROWSERS, withBrowser } from '../../helpers/with-browser.ts';
import { settled, visit } from '../visits/visit.ts';
import type { Interaction } from './interaction.ts';
import { timed, TIMER_SCRIPT } from './interaction-timer.ts';

/** Each list of actions is repeated, because the first run also fills caches. */
const REPETITIONS = 3;
const MAX_MS = 100;

interface Target {
  readonly name: string;
  readonly url: string;
  readonly key: string;
  readonly interactions: readonly Interaction[];
}

/** Times interactions in both browsers and prints them. Returns those whose median is above the limit, and those that failed. */
export async function measure({ name, url, key, interactions }: Target): Promise<string[]> {
  const problems: string[] = [];
  const rows: string[][] = [];
  for (const browserName of BROWSERS) {
    await withBrowser(browserName, async (browser) => {
      for (const interaction of interactions) {
        const label = `${name}, ${browserName}: ${interaction.title}`;
        try {
          const { times, first } = await repeat(browser, { url, key, interaction });
          const sorted = times.toSorted((one, other) => one - other);
          const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
          const max = sorted.at(-1) ?? 0;
          rows.push([label, ...[median, max, first].map((time) => time.toFixed(0)), String(times.length)]);
          if (median > MAX_MS) problems.push(`${label}: ${median.toFixed(0)} ms`);
        } catch (error) {
          print(`${label}: ${messageOf(error)}`);
          problems.push(`${label}: failed`);
        }
      }
    });
  }
  print(`${name}: milliseconds from the input event to the last change of the document`);
  printTable(['interaction', 'p50', 'max', 'first', 'times'], rows);
  return problems;
}

async function repeat(
  browser: Browser,
  { url, key, interaction }: Pick<Target, 'url' | 'key'> & { readonly interaction: Interaction },
): Promise<{ readonly times: readonly number[]; readonly first: number }> {
  const { at = '#/', ignored, actions } = interaction;
  const times: number[] = [];
  let first: number | undefined;
  const options = { key, script: TIMER_SCRIPT, viewport: { width: 1280, height: 900 } };
  const problems = await visit(browser, url, options, async (page) => {
    for (let repetition = 0; repetition <= REPETITIONS; repetition += 1) {
      await page.goto('about:blank');
      await page.goto(`${url}/${at}`);
      await settled(page);
      for (const action of actions) {
        const time = await timed(page, () => action(page), ignored);
        first ??= time;
        // The first repetition fills caches, including the browser's.
        if (repetition > 0) times.push(time);
      }
    }
  });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return { times, first: first ?? 0 };
}
