import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { ROOT } from './paths.ts';

const VERSION = '2.60.0';
/** The installation takes minutes, so test runs share it. */
const FOLDER = join(ROOT, 'node_modules/.cache', `ray-${VERSION}`);
const START_SECONDS = 150;
const MAX_NODE_STARTS = 3;

/** A head node without CPUs, whose dashboard has the Jobs API, and other nodes. */
export interface RayCluster {
  readonly address: string;
  /** Starts a node. Resolves when it has joined the cluster. */
  readonly addNode: (place: RayPlace, cpus: number) => Promise<void>;
  stop(): Promise<void>;
}

/** The place where a node runs. */
export interface RayPlace {
  readonly ip: string;
  /** Program and arguments that run a command there. */
  readonly prefix: readonly string[];
}

export const THIS_MACHINE: RayPlace = { ip: '127.0.0.1', prefix: [] };

/** Ray's program, installed from PyPI if necessary. If that fails, prints a warning, because a test is then skipped. */
export async function findRay(): Promise<string | undefined> {
  const ray = join(FOLDER, 'bin/ray');
  // Written last.
  const complete = join(FOLDER, 'bin/serve');
  if (existsSync(ray) && existsSync(complete)) return ray;
  try {
    await execa('python3', ['-m', 'venv', '--clear', FOLDER]);
    await execa(join(FOLDER, 'bin/pip'), ['install', '--quiet', `ray[default]==${VERSION}`]);
    return ray;
  } catch (error) {
    rmSync(FOLDER, { recursive: true, force: true });
    const [reason] = (error as Error).message.split('\n');
    console.warn(
      `SKIPPED: nothing was tried on Ray, because it could not be installed (${reason}). It needs python3 with venv, and PyPI.`,
    );
    return undefined;
  }
}

const NODE_FLAGS = ['--block', '--object-store-memory=80000000', '--disable-usage-stats'];

/** A cluster with a head node, with or without an API token. Each node is the leader of a process group, which is terminated as a whole. */
export async function startRay(
  program: string,
  headPlace: RayPlace = THIS_MACHINE,
  token?: string,
): Promise<RayCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'ray-'));
  const nodes: ChildProcess[] = [];
  const start = async ({ ip, prefix }: RayPlace, ...flags: string[]): Promise<ChildProcess> => {
    const agent = `--dashboard-agent-listen-port=${await freePort()}`;
    const own = [`--node-ip-address=${ip}`, agent];
    const [command = program, ...args] = [...prefix, program, 'start', ...NODE_FLAGS, ...own, ...flags];
    const node = spawn(command, args, {
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        ...DEATH_IS_NOTICED_SOON,
        ...(token !== undefined && { RAY_AUTH_MODE: 'token', RAY_AUTH_TOKEN: token }),
      },
    });
    nodes.unshift(node);
    return node;
  };
  const stop = async (): Promise<void> => {
    for (const node of nodes) {
      const ended = once(node, 'exit');
      if (node.exitCode === null && node.signalCode === null && node.kill('SIGTERM')) await ended;
      signalGroup(node, 'SIGKILL');
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const [gcs, dashboard] = [await freePort(), await freePort()];
  const address = `http://${headPlace.ip}:${dashboard}`;
  const dashboardFlags = [`--dashboard-host=${headPlace.ip}`, `--dashboard-port=${dashboard}`];
  try {
    const head = await start(
      headPlace,
      '--head',
      `--port=${gcs}`,
      ...dashboardFlags,
      `--temp-dir=${folder}`,
      '--num-cpus=0',
    );
    await answers(`${address}/api/jobs/`, token, () => head.exitCode !== null);
    // The head is also a node, and joins after the API is available: `addNode` must not mistake it for another node.
    while ((await nodeIds(address, token)).size === 0) await sleep(200);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    address,
    async addNode(place, cpus) {
      const flags = [
        `--address=${headPlace.ip}:${gcs}`,
        `--num-cpus=${cpus}`,
        `--resources=${JSON.stringify({ batch: cpus })}`,
      ];
      const before = await nodeIds(address, token);
      for (let tries = 1; tries <= MAX_NODE_STARTS; tries += 1) {
        const node = await start(place, ...flags);
        // Ray's timeout for starting a node is 30 seconds, which is too short on a busy machine.
        while (node.exitCode === null && node.signalCode === null) {
          if ((await nodeIds(address, token)).difference(before).size > 0) return;
          await sleep(200);
        }
      }
      throw new Error(`The node ${place.ip} did not start.`);
    },
    stop,
  };
}

/** Ray's default timeouts are for clusters with slow networks. */
const DEATH_IS_NOTICED_SOON = {
  RAY_health_check_period_ms: '1000',
  RAY_health_check_failure_threshold: '4',
};

/** The IDs of all live nodes. */
async function nodeIds(address: string, token: string | undefined): Promise<ReadonlySet<string>> {
  const answer = await fetch(`${address}/api/v0/nodes`, { headers: credential(token) });
  const { data } = (await answer.json()) as NodesAnswer;
  return new Set(data.result.result.filter(({ state }) => state === 'ALIVE').map((node) => node.node_id));
}

interface NodesAnswer {
  readonly data: {
    readonly result: { readonly result: readonly { readonly node_id: string; readonly state: string }[] };
  };
}

const credential = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

async function answers(url: string, token: string | undefined, hasEnded: () => boolean): Promise<void> {
  const headers = credential(token);
  for (let second = 0; second < START_SECONDS && !hasEnded(); second += 1) {
    const isThere = await fetch(url, { headers }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isThere) return;
    await sleep(1000);
  }
  throw new Error('Ray did not start.');
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // No process is left.
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
