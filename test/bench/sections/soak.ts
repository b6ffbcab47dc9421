import { connect } from 'node:net';
import { megabytes, print, printGoal, printTable } from '../measure/print.ts';
import { memoryOf } from '../measure/process-memory.ts';
import { SHAPES } from '../models/shapes.ts';
import { makeTexts } from '../models/texts.ts';
import { makeVocabulary } from '../models/vocabulary.ts';
import { get, putLoad } from '../serve/load.ts';
import type { RunningServer } from '../serve/running-server.ts';
import { serveSentiment } from '../serve/encoder-server.ts';
import type { Section } from './section.ts';

const REQUESTS = 50_000;
const STEPS = 5;
const CONCURRENCY = 16;
const DEPARTING_CLIENTS = 1000;

/** A server under sustained load: memory, clients that disconnect, and health reports. */
export const soak: Section = {
  title: `Endurance: ${REQUESTS} mixed requests, ${DEPARTING_CLIENTS} clients that leave`,
  linuxOnly: true,
  async run() {
    const server = await serveSentiment();
    try {
      await memoryUnderLoad(server);
      await departures(server);
      await healthUnderLoad(server);
    } finally {
      server.stop();
    }
  },
};

/** One to thirty texts per request, of all lengths. */
function mixedRequests(count: number): string[][] {
  const texts = makeTexts(makeVocabulary(SHAPES.m6.vocabulary), 400);
  return Array.from({ length: count }, (_, at) => {
    const size = at % 50 === 0 ? 30 : 1 + (at % 3);
    return Array.from({ length: size }, (_unused, text) => texts[(at * 7 + text) % texts.length] ?? 'text');
  });
}

async function memoryUnderLoad({ port, pid }: RunningServer): Promise<void> {
  const rows: string[][] = [];
  const resident: number[] = [];
  for (let step = 1; step <= STEPS; step += 1) {
    const requests = mixedRequests(REQUESTS / STEPS);
    const { textsPerSecond } = await putLoad({ port, path: '/predict', requests, concurrency: CONCURRENCY });
    resident.push(memoryOf(pid).resident);
    rows.push([
      String((step * REQUESTS) / STEPS),
      textsPerSecond.toFixed(0),
      megabytes(resident.at(-1) ?? 0),
    ]);
  }
  printTable(['requests', 'texts/s', 'RSS'], rows);
  const [, second = 0] = resident;
  const growth = (resident.at(-1) ?? 0) - second;
  printGoal('memory flat after the first fifth', `${megabytes(growth)} more at the end`, growth < 20e6);
}

/** Clients that send a request and disconnect before the response. */
async function departures(server: RunningServer): Promise<void> {
  const body = JSON.stringify({ inputs: mixedRequests(1)[0] });
  for (let left = 0; left < DEPARTING_CLIENTS; left += 1) {
    await new Promise<void>((resolve, reject) => {
      const socket = connect(server.port, '127.0.0.1', () => {
        const head = `POST /predict HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
        socket.write(head + body, () => socket.destroy());
      });
      socket.on('error', reject);
      socket.on('close', () => resolve());
    });
  }
  let queued = NaN;
  while (queued !== 0) {
    queued = Number(/^encoder_queued_inputs (\d+)$/m.exec(await get(server.port, '/metrics'))?.[1]);
  }
  print(
    `${DEPARTING_CLIENTS} clients connected and disconnected; the queue is empty, and /health returns ${await get(server.port, '/health')}.\n`,
  );
}

async function healthUnderLoad({ port }: RunningServer): Promise<void> {
  const load = putLoad({ port, path: '/predict', requests: mixedRequests(4000), concurrency: 64 });
  const ended = new AbortController();
  void load.finally(() => ended.abort());
  const times: number[] = [];
  while (!ended.signal.aborted) {
    const started = performance.now();
    await get(port, '/health');
    times.push(performance.now() - started);
  }
  await load;
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? NaN;
  const text = `p50 ${at(0.5).toFixed(2)} ms, p99 ${at(0.99).toFixed(2)} ms of ${times.length}`;
  printGoal('/health p99 under 10 ms while 64 clients keep the model busy', text, at(0.99) < 10);
}
