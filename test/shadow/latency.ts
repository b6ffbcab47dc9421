// Measures how long users wait for an alias without and with a shadow evaluation of all its requests, at 32 concurrent
// requests, in turns: `node test/shadow/latency.ts [gateway executable]`. A judge compares all responses.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../bench/measure/started.ts';

const MASTER_KEY = 'the-master-key-of-the-latency-test-0123456789';
const [CONCURRENT, PER_ROUND, ROUNDS] = [32, 480, 6];
/** How long the models take to respond. */
const RESPONSE_MS = 200;
const PAUSE_MS = 1500;
/** `control` is the same as `plain`, and shows the noise. */
const MODELS = ['plain', 'control', 'shadowed'];
const SHARES = [
  ['p50', 0.5],
  ['p99', 0.99],
] as const;
const ROLE = process.env['SHADOW_ROLE'];

/** Models that respond after a while, in a process of their own. */
async function serveModels(): Promise<void> {
  const server = createServer((request, response) => {
    void (async () => {
      const { model, stream } = JSON.parse(await text(request)) as { model: string; stream?: boolean };
      await sleep(RESPONSE_MS);
      const content = model === 'judge' ? '{"reason":"","better":"equal"}' : `A response of ${model}.`;
      const usage = { prompt_tokens: 20, completion_tokens: 10 };
      response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
      if (!stream) {
        const message = { role: 'assistant', content };
        response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage }));
        return;
      }
      for (const word of content.split(/(?= )/)) {
        const choice = { index: 0, delta: { content: word }, finish_reason: null };
        response.write(`data: ${JSON.stringify({ choices: [choice] })}\n\n`);
      }
      const last = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage };
      response.end(`data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`);
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.((server.address() as AddressInfo).port);
}

async function measure(program: string | undefined): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'shadow-latency-'));
  const own = fileURLToPath(import.meta.url);
  const env = { ...process.env, SHADOW_ROLE: 'models', GATEWAY_MASTER_KEY: MASTER_KEY };
  const provider = spawn(process.execPath, [own], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [modelPort] = (await once(provider, 'message')) as [number];
  const shadow = {
    model: 'models:candidate',
    share: 1,
    user: 'evaluation',
    judge: 'models:judge',
    max_rows: 1e6,
  };
  const config = {
    providers: {
      models: { api_base: `http://127.0.0.1:${modelPort}/v1`, api_key: 'x', local: true, type: 'openai' },
    },
    aliases: {
      plain: ['models:current'],
      control: ['models:current'],
      shadowed: { targets: ['models:current'], shadow },
    },
    allow_unpriced: true,
  };
  const file = join(folder, 'gateway.yml');
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  const port = await freePort();
  const [command, first] = program
    ? [program, []]
    : [process.execPath, [fileURLToPath(new URL('../../runtime/targets/gateway/main.ts', import.meta.url))]];
  const args = [
    ...first,
    'serve',
    '--config',
    file,
    '--data-dir',
    folder,
    '--port',
    String(port),
    '--log-level',
    'error',
  ];
  const gateway = spawn(command, args, { env, stdio: ['ignore', 'inherit', 'inherit'] });
  const url = `http://127.0.0.1:${port}`;
  try {
    while (!(await fetch(`${url}/readyz`).catch(() => undefined))?.ok) {
      if (gateway.exitCode !== null) throw new Error('The gateway ended.');
      await sleep(50);
    }
    const admin = async (path: string, body?: object) => {
      const answer = await fetch(url + path, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${MASTER_KEY}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      return (await answer.json()) as Record<string, unknown>;
    };
    await admin('/v1/users', { user_id: 'evaluation' });
    const { key } = await admin('/v1/keys', { user_id: 'ada', allow_shadow: true });

    const round = async (model: string, count: number, stream: boolean): Promise<number[]> => {
      const durations: number[] = [];
      let left = count;
      const client = async (): Promise<void> => {
        while (left-- > 0) {
          const start = performance.now();
          const answer = await fetch(`${url}/v1/chat/completions`, {
            method: 'POST',
            headers: { authorization: `Bearer ${String(key)}`, 'content-type': 'application/json' },
            body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: `Hello ${left}` }] }),
          });
          const body = await answer.text();
          if (!answer.ok || !body.includes('current')) throw new Error(`${answer.status} ${body}`);
          durations.push(performance.now() - start);
        }
      };
      await Promise.all(Array.from({ length: CONCURRENT }, client));
      return durations;
    };
    const at = (sorted: readonly number[], share: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
    for (const stream of [false, true]) {
      for (const model of MODELS) await round(model, 200, stream);
      await sleep(PAUSE_MS);
      const all = new Map<string, number[]>(MODELS.map((model) => [model, []]));
      const ratios = new Map<string, number[]>();
      for (let turn = 0; turn < ROUNDS; turn += 1) {
        const sorted = new Map<string, readonly number[]>();
        for (const at of MODELS.keys()) {
          const model = MODELS[(at + turn) % MODELS.length] ?? '';
          const durations = await round(model, PER_ROUND, stream);
          sorted.set(
            model,
            durations.toSorted((a, b) => a - b),
          );
          all.get(model)?.push(...durations);
          // What is still compared must not disturb the next round.
          if (model === 'shadowed') await sleep(PAUSE_MS);
        }
        for (const model of ['control', 'shadowed'])
          for (const [name, share] of SHARES) {
            const ratio = at(sorted.get(model) ?? [], share) / at(sorted.get('plain') ?? [], share);
            ratios.set(`${model} ${name}`, [...(ratios.get(`${model} ${name}`) ?? []), ratio]);
          }
      }
      console.log(
        `\n${stream ? 'streams' : 'whole responses'}, ${CONCURRENT} concurrent, ${ROUNDS} x ${PER_ROUND} requests each`,
      );
      for (const [model, durations] of all) {
        const sorted = durations.toSorted((a, b) => a - b);
        const times = SHARES.map(([name, share]) => `${name} ${at(sorted, share).toFixed(1)} ms`);
        console.log(`${model.padEnd(10)} ${times.join('   ')}`);
      }
      for (const [name, values] of ratios) {
        const sorted = values.toSorted((a, b) => a - b);
        const [low, middle, high] = [0, 0.5, 1].map((share) => at(sorted, share).toFixed(3));
        console.log(`${name} to plain: median ${middle} of the rounds (${low} to ${high})`);
      }
    }
    await sleep(3000);
    const evaluation = await admin('/v1/shadow/shadowed');
    console.log(
      `\ncompared ${String(evaluation['rows'])}, not compared ${JSON.stringify(evaluation['skipped'])}, verdict: ${String(evaluation['message'])}`,
    );
  } finally {
    gateway.kill('SIGTERM');
    await once(gateway, 'exit');
    provider.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
}

if (ROLE === 'models') await serveModels();
else await measure(process.argv[2]);
