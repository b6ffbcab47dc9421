import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey, MASTER_KEY } from '../gateway/create-key.ts';
import { runProgram } from '../measure/child.ts';
import { childrenOf, sharedSize } from '../measure/process-memory.ts';
import { processorTime } from '../measure/processor-time.ts';
import { openRawConnection, rawPost } from '../measure/raw-connection.ts';
import { freePort, startUntil } from '../measure/started.ts';

const PRICE = { input_price_per_million: 1, output_price_per_million: 3 };
const LOOK_EVERY_MS = 50;
/** The default for jobs. */
const CONCURRENCY = 8;
const SYSTEM_PROMPT =
  'Summarize the text of the user in a few sentences. Answer with the summary and nothing else.';

export interface ExperimentOptions {
  /** The gateway's executable. */
  readonly program: string;
  readonly providerPort: number;
  readonly rows: number;
  /** Runs during the experiment, until its signal is aborted. */
  readonly meanwhile?: (gateway: GatewayAddress, stop: AbortSignal) => Promise<void>;
}

export interface GatewayAddress {
  readonly port: number;
  readonly key: string;
}

/** CPU time in milliseconds, without the provider and the command. */
interface Phase {
  readonly seconds: number;
  readonly gateway: number;
  readonly worker: number;
}

export interface MeasuredExperiment {
  readonly inference: Phase;
  readonly metrics: Phase;
  readonly comparison: Phase;
  /** Peak memory shares, in bytes. */
  readonly gatewayMemory: number;
  readonly comparisonMemory: number;
  readonly workerMemory: number;
  readonly usageRows: number;
}

/** Runs `experiment run` with one model against a new gateway, with the key of a user with a budget. */
export const runExperiment = async (options: ExperimentOptions): Promise<MeasuredExperiment> =>
  await withGateway(options, async (pid, address, folder) => {
    const file = await writeExperiment(folder, options.rows);
    return await measure(pid, address, file, options);
  });

/** Sends the requests for the same rows directly to a new gateway, with the same concurrency as a job. Returns its CPU time. */
export const sendDirectly = async (options: Omit<ExperimentOptions, 'meanwhile'>): Promise<number> =>
  await withGateway(options, async (pid, { port, key }) => {
    const before = processorTime(pid).own;
    const rows = Array.from({ length: options.rows }, (_, at) => textOf(at)).values();
    const send = async (): Promise<void> => {
      const { ask, close } = await openRawConnection(port);
      for (const text of rows) {
        const messages = [
          { role: 'system', content: SYSTEM_PROMPT },
          { role: 'user', content: text },
        ];
        const body = JSON.stringify({ model: 'bench:chat', messages });
        await ask(rawPost(port, '/v1/chat/completions', { authorization: `Bearer ${key}` }, body)).whole;
      }
      close();
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, send));
    return processorTime(pid).own - before;
  });

async function withGateway<Result>(
  { program, providerPort }: Pick<ExperimentOptions, 'program' | 'providerPort'>,
  use: (pid: number, address: GatewayAddress, folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-experiment-'));
  try {
    const config = join(folder, 'gateway.yml');
    await writeFile(config, JSON.stringify(configFor(providerPort)), { mode: 0o600 });
    const port = await freePort();
    const { pid, result, stop } = await startUntil(
      program,
      ['serve', '--config', config, '--data-dir', join(folder, 'data'), '--port', String(port)],
      { GATEWAY_MASTER_KEY: MASTER_KEY },
      () => createKey(port),
    );
    try {
      return await use(pid ?? 0, { port, key: result }, folder);
    } finally {
      await stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

interface Look {
  readonly at: number;
  readonly gateway: number;
  readonly children: number;
}

async function measure(
  pid: number,
  address: GatewayAddress,
  file: string,
  { program, meanwhile }: ExperimentOptions,
): Promise<MeasuredExperiment> {
  const stop = new AbortController();
  const beside = meanwhile?.(address, stop.signal);
  const look = (): Look => {
    const { own, children } = processorTime(pid);
    return { at: performance.now(), gateway: own, children };
  };
  const looks = [look()];
  // The first worker belongs to the inference job, the second one to the evaluation job.
  const workers = new Set<number>();
  let [gatewayMemory, comparisonMemory, workerMemory] = [0, 0, 0];
  const url = `http://127.0.0.1:${address.port}`;
  const ended = runProgram({
    command: program,
    args: ['experiment', 'run', '-f', file, '--url', url, '--format', 'json'],
    env: { GATEWAY_API_KEY: address.key },
  });
  while (!(await Promise.race([ended.then(() => true), sleep(LOOK_EVERY_MS, false)]))) {
    // A worker's CPU time is counted only after it has exited and its parent has collected it.
    const running = childrenOf(pid).filter((child) => workers.has(child) || isWorker(child));
    const isNew = running.some((worker) => !workers.has(worker));
    if (isNew && workers.size > 0) looks.push(look());
    for (const worker of running) workers.add(worker);
    if (looks.length === 2 && running.length === 0) looks.push(look());
    const size = sharedSize(pid);
    if (looks.length < 3) gatewayMemory = Math.max(gatewayMemory, size);
    else comparisonMemory = Math.max(comparisonMemory, size);
    for (const worker of running) workerMemory = Math.max(workerMemory, sizeIfRunning(worker));
  }
  await ended;
  looks.push(look());
  stop.abort();
  await beside;
  const [started, inferred, scored, compared] = looks;
  if (!started || !inferred || !scored || !compared || workers.size !== 2) {
    throw new Error(`${workers.size} workers instead of two have run`);
  }
  return {
    inference: phase(started, inferred),
    metrics: phase(inferred, scored),
    comparison: phase(scored, compared),
    gatewayMemory,
    comparisonMemory,
    workerMemory,
    usageRows: await countUsage(address),
  };
}

const phase = (from: Look, to: Look): Phase => ({
  seconds: (to.at - from.at) / 1000,
  gateway: to.gateway - from.gateway,
  worker: to.children - from.children,
});

/** A gateway also has other child processes. */
function isWorker(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('\0job\0run\0');
  } catch {
    return false;
  }
}

function sizeIfRunning(pid: number): number {
  try {
    return sharedSize(pid);
  } catch {
    return 0;
  }
}

const configFor = (port: number): object => ({
  providers: {
    bench: { type: 'openai-compatible', api_base: `http://127.0.0.1:${port}/v1`, api_key: 'sk-bench' },
  },
  pricing: { 'bench:chat': PRICE },
  require_pricing: true,
});

async function writeExperiment(folder: string, rows: number): Promise<string> {
  const dataset = join(folder, 'texts.csv');
  await writeFile(
    dataset,
    `examples,ground_truth\n${Array.from({ length: rows }, (_, at) => rowOf(at)).join('\n')}\n`,
  );
  const file = join(folder, 'experiment.yml');
  const models = [{ name: 'chat', model: 'bench:chat' }];
  await writeFile(file, JSON.stringify({ name: 'bench', dataset, task: 'summarization', models }));
  return file;
}

/** Each row is different, because identical requests in an experiment share a response. */
const textOf = (at: number): string => `${at} ${wordsOf(at).join(' ')}`;
const rowOf = (at: number): string => `"${textOf(at)}","${at} ${wordsOf(at).slice(0, 14).join(' ')}"`;

const wordsOf = (at: number): readonly (string | undefined)[] =>
  Array.from({ length: 40 }, (_, word) => WORDS[(at * 7 + word * (1 + (at % 5))) % WORDS.length]);

const WORDS = (
  'the council decided on Monday to close a bridge over river for repairs after engineers found cracks in two of its ' +
  'pillars and traffic will be led through center until spring while shops fear fewer customers'
).split(' ');

async function countUsage({ port }: GatewayAddress): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/usage?limit=1`, {
    headers: { authorization: `Bearer ${MASTER_KEY}` },
  });
  const { totals } = (await answer.json()) as { readonly totals: { readonly requests: number } };
  return totals.requests;
}
