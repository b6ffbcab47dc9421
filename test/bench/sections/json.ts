import { encodeJson } from '../../../runtime/targets/encoder/json/json-writer.ts';
import { normalizeL2 } from '../../../runtime/targets/encoder/math/inference.ts';
import { print, printGoal, printTable, ratio } from '../measure/print.ts';
import { interleave } from '../measure/rounds.ts';
import type { Section } from './section.ts';

const TOKENS = 128;
const WIDTH = 384;
const ROUNDS = 300;
const GOAL = 0.6;

/** Values like a model's hidden states, normalized. */
const VECTORS: Readonly<Record<string, (next: () => number) => Float32Array>> = {
  'raw, N(0, 1)': (next) => Float32Array.from({ length: WIDTH }, () => normal(next)),
  'raw, N(0, 0.3)': (next) => Float32Array.from({ length: WIDTH }, () => 0.3 * normal(next)),
  normalized: (next) => normalizeL2(Float32Array.from({ length: WIDTH }, () => normal(next))),
};

/** The JSON response to one long text: floats in their shortest form, compared with JSON.stringify. */
export const json: Section = {
  title: `JSON of ${TOKENS} tokens with ${WIDTH} floats each`,
  linuxOnly: false,
  async run() {
    const measured: Measured[] = [];
    for (const [name, vector] of Object.entries(VECTORS)) measured.push(await measure(name, vector));
    print(`Best of ${ROUNDS} rounds, interleaved:\n`);
    printTable(
      ['values', 'writer', 'JSON.stringify', '... to UTF-8', 'of stringify', 'bytes', 'of stringify'],
      measured.map(({ name, times, bytes, plainBytes }) => [
        name,
        microseconds(times.ours),
        microseconds(times.text),
        microseconds(times.utf8),
        ratio(times.ours / times.text),
        String(bytes),
        ratio(bytes / plainBytes),
      ]),
    );
    const time = Math.max(...measured.map(({ times }) => times.ours / times.text));
    const size = Math.max(...measured.map(({ bytes, plainBytes }) => bytes / plainBytes));
    printGoal(
      `at most ${GOAL} of the time and of the bytes`,
      `${ratio(time)} and ${ratio(size)} at most`,
      time <= GOAL && size <= GOAL,
    );
  },
};

interface Measured {
  readonly name: string;
  readonly times: Readonly<Record<'ours' | 'text' | 'utf8', number>>;
  readonly bytes: number;
  readonly plainBytes: number;
}

async function measure(name: string, vector: (next: () => number) => Float32Array): Promise<Measured> {
  const next = random(1);
  const tokens = Array.from({ length: TOKENS }, (_, at) => ({
    embedding: vector(next),
    token_info: { token: `word${at}`, token_id: 1000 + at, start: at * 5, end: at * 5 + 4 },
  }));
  const answer = { embeddings: tokens };
  const plain = { embeddings: tokens.map((token) => ({ ...token, embedding: Array.from(token.embedding) })) };
  const times = await interleave(
    {
      ours: timed(() => encodeJson(answer)),
      text: timed(() => JSON.stringify(plain)),
      utf8: timed(() => Buffer.from(JSON.stringify(plain))),
    },
    ROUNDS,
  );
  return {
    name,
    times: { ours: Math.min(...times.ours), text: Math.min(...times.text), utf8: Math.min(...times.utf8) },
    bytes: encodeJson(answer).length,
    plainBytes: Buffer.byteLength(JSON.stringify(plain)),
  };
}

const timed = (encode: () => unknown) => (): Promise<number> => {
  const started = performance.now();
  encode();
  return Promise.resolve(performance.now() - started);
};

const microseconds = (milliseconds: number): string => `${(milliseconds * 1000).toFixed(0)} us`;

/** The same numbers from 0 to 1 in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const normal = (next: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
