import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Result } from 'axe-core';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Colors in the middle of an animation are not those that users see. Endless animations are not awaited. */
const ANIMATIONS_END = `Promise.allSettled(document.getAnimations()
  .filter((one) => one.effect.getComputedTiming().endTime !== Infinity).map((one) => one.finished)).then(() => true)`;

/** Violations of WCAG 2.2 AA and of axe's best practices on the current page. */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(SOURCE);
  await page.evaluate(ANIMATIONS_END);
  const violations = await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)}, resultTypes: ['violations'] }).then((found) => found.violations)`,
  );
  return (violations as Result[]).flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  );
}
