import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { open } from '#encoder/library/index.ts';
import { portIn, startExecutable } from '../helpers/start-executable.ts';

// `npm run test:node:speed -- model.encoder`: compares a sentence_embedding model in this process with the server of its executable over
// HTTP, in short turns in random order, so that other programs on the machine affect all of them. Prints the median time of a call, and the
// processor time of a call, of this process and the server together. Linux only. Takes three minutes.

type Embed = (texts: string[]) => Promise<readonly Float32Array[]>;

const WORDS =
  'the order was late and my invoice shows another amount than the page where I paid so tell me how to change it';
/** Seconds for each comparison. */
const SECONDS = Number(process.argv[3] ?? 55);

let seed = 7;
const random = (): number => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;

/** A text of 6 to 29 words, which never occurs twice. */
function makeText(): string {
  const words = WORDS.split(' ');
  const count = 6 + Math.floor(random() * 24);
  return Array.from({ length: count }, () => words[Math.floor(random() * words.length)]).join(' ');
}

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('pass the executable of a sentence_embedding model');
const server = startExecutable(
  file,
  'serve --http-hostname 127.0.0.1 --http-port 0 --disable-grpc --log-level warn'.split(' '),
);
const port = portIn(await server.said(/HTTP/), 'HTTP');
const agent = new Agent({ keepAlive: true });
const model = await open(file, { type: 'sentence_embedding' });

async function post(path: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const asked = request({ port, path, method: 'POST', agent, headers }).end(JSON.stringify(body));
  return await new Promise((resolve, reject) => {
    asked.on('error', reject).on('response', (response) => {
      json(response).then(resolve, reject);
    });
  });
}

const CONTESTANTS: Readonly<Record<string, Embed>> = {
  'in process': (texts) => model.embed(texts),
  'POST /predict': async (inputs) => {
    const { results } = (await post('/predict', { inputs })) as { results: { embedding: number[] }[] };
    return results.map(({ embedding }) => Float32Array.from(embedding));
  },
  'POST /v1/embeddings, base64': async (input) => {
    const body = { input, encoding_format: 'base64', normalize: false };
    const { data } = (await post('/v1/embeddings', body)) as { data: { embedding: string }[] };
    return data.map(
      ({ embedding }) => new Float32Array(Uint8Array.from(Buffer.from(embedding, 'base64')).buffer),
    );
  },
};

/** Processor time of this process and the server, in milliseconds. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  const fields = readFileSync(`/proc/${server.child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (user + system) / 1000 + (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

const MS_PER_TICK = 10;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** Calls of `size` texts each, `parallel` at a time, `calls` in each turn. */
async function compare(name: string, size: number, parallel: number, calls: number): Promise<void> {
  const found = Object.keys(CONTESTANTS).map((contestant) => ({
    contestant,
    times: [] as number[],
    processor: 0,
    calls: 0,
  }));
  const end = performance.now() + SECONDS * 1000;
  for (let turn = 0; performance.now() < end; turn++) {
    const texts = Array.from({ length: calls }, () => Array.from({ length: size }, makeText));
    for (const row of found.toSorted(() => random() - 0.5)) {
      const embed = CONTESTANTS[row.contestant];
      const before = processorTime();
      const started = performance.now();
      let next = 0;
      const worker = async (): Promise<void> => {
        for (let one = texts[next++]; one; one = texts[next++]) await embed?.(one);
      };
      await Promise.all(Array.from({ length: parallel }, worker));
      // The first turn compiles the code.
      if (turn === 0) continue;
      row.times.push((performance.now() - started) / calls);
      row.processor += processorTime() - before;
      row.calls += calls;
    }
  }
  console.log(`${name}, ${found[0]?.times.length} turns`);
  const [own] = found;
  for (const { contestant, times, processor, calls: count } of found) {
    const ratio = median(times.map((time, at) => (own?.times[at] ?? NaN) / time));
    console.log(
      `  ${contestant.padEnd(28)} ${median(times).toFixed(2)} ms, processor ${(processor / count).toFixed(2)} ms; in process / this: ${ratio.toFixed(3)}`,
    );
  }
}

try {
  await compare('64 texts', 64, 1, 2);
  await compare('64 texts, four calls in parallel', 64, 4, 4);
  await compare('one text', 1, 1, 20);
} finally {
  await model.close();
  agent.destroy();
  server.child.kill();
  await server.ended;
}
