import type { Browser } from 'playwright-core';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../runtime/contract/errors.ts';
import { print, printTable } from '../bench/measure/print.ts';
import { BROWSERS, withBrowser } from '../helpers/with-browser.ts';
import { experimentInteractions } from './large/experiments.ts';
import { fillUsage } from './large/fill-usage.ts';
import { createOwners, gatewayInteractions } from './large/gateway.ts';
import type { Interaction } from './large/interaction.ts';
import { timed, TIMER_SCRIPT } from './large/interaction-timer.ts';
import { managerInteractions } from './large/manager.ts';
import type { Programs } from './programs/build-programs.ts';
import { runExperiment, startGateway } from './programs/gateway.ts';
import { startManager } from './programs/manager.ts';
import { PLAIN } from './programs/texts.ts';
import { settled, visit } from './visits/visit.ts';

const USAGE_ROWS = 1_000_000;
const EXPERIMENT_ROWS = 100_000;
const SERVERS = 3000;
const TOOLS_PER_SERVER = 5;
/** Each list of actions is repeated, so that the first one, which also fills caches, is not the only one. */
const REPETITIONS = 3;
const MAX_MS = 100;

interface Target {
  readonly name: string;
  readonly url: string;
  readonly key: string;
  readonly interactions: readonly Interaction[];
}

/** Times interactions with large data in both browsers. Returns those whose median is above the limit. */
export async function checkLarge(programs: Programs, folder: string): Promise<string[]> {
  return [
    ...(await checkGateway(programs.gateway, join(folder, 'gateway'))),
    ...(await checkManager(programs.manager, join(folder, 'manager'))),
  ];
}

async function checkGateway(program: string, folder: string): Promise<string[]> {
  const gateway = await startGateway(program, folder, PLAIN);
  try {
    const owners = await createOwners(gateway);
    const before = performance.now();
    await fillUsage(gateway.database, USAGE_ROWS, owners);
    printDuration(`${USAGE_ROWS} usage rows with their sums`, before);
    const started = performance.now();
    const id = await runExperiment(gateway, PLAIN, EXPERIMENT_ROWS);
    printDuration(`an experiment with ${EXPERIMENT_ROWS} rows`, started);
    return [
      ...(await measure({ name: 'gateway', ...gateway, interactions: gatewayInteractions })),
      ...(await measure({ name: 'experiments', ...gateway, interactions: experimentInteractions(id) })),
    ];
  } finally {
    await gateway.stop();
  }
}

async function checkManager(program: string, folder: string): Promise<string[]> {
  const started = performance.now();
  const options = { texts: PLAIN, remote: SERVERS - 1, tools: TOOLS_PER_SERVER };
  const manager = await startManager(program, folder, options);
  try {
    for (;;) {
      const { phases } = await manager.call('GET', '/api/v1/admin/servers?limit=1');
      if (phases.running === SERVERS) break;
      await sleep(250);
    }
    printDuration(`${SERVERS} servers`, started);
    return await measure({ name: 'manager', ...manager, interactions: managerInteractions });
  } finally {
    await manager.stop();
  }
}

const printDuration = (what: string, since: number): void =>
  print(`${what}: ${((performance.now() - since) / 1000).toFixed(0)} s`);

async function measure({ name, url, key, interactions }: Target): Promise<string[]> {
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
          problems.push(`${label}: ${messageOf(error)}`);
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
        // The first repetition fills caches, of the browser too.
        if (repetition > 0) times.push(time);
      }
    }
  });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return { times, first: first ?? 0 };
}
