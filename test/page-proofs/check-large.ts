import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { print } from '../bench/measure/print.ts';
import { experimentInteractions } from './large/experiments.ts';
import { fillUsage } from './large/fill-usage.ts';
import { createOwners, gatewayInteractions } from './large/gateway.ts';
import { managerInteractions } from './large/manager.ts';
import { measure } from './large/measure.ts';
import type { Programs } from './programs/build-programs.ts';
import { runExperiment, startGateway } from './programs/gateway.ts';
import { startManager } from './programs/manager.ts';
import { PLAIN } from './programs/texts.ts';

const USAGE_ROWS = 1_000_000;
const EXPERIMENT_ROWS = 100_000;
const SERVERS = 3000;
const TOOLS_PER_SERVER = 5;

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
