import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import { expectClose } from '../helpers/close.ts';
import { causalRerankerFolder, readGoldenCausalRerankers } from '../helpers/golden-causal-rerankers.ts';
import { writeConfig } from '../helpers/model-folder.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import type { Answer } from '../helpers/run-process.ts';
import { portIn, startExecutable } from '../helpers/start-executable.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { TRANSPORTS } from './clients.ts';
import { post } from './http-client.ts';
import { ANY_PORTS, serveAssets, type Served } from './serving.ts';
import { verifiesOnce } from './verifies.ts';

const folder = useTempFolder();
const { pairs, instruction, models } = readGoldenCausalRerankers();
const CLOSE = 1e-5;

const started: Served[] = [];
afterAll(async () => {
  await Promise.all(started.map(({ stop }) => stop()));
});

function copyReranker(name: string, as = name): string {
  const path = join(folder(), as);
  cpSync(causalRerankerFolder(name), path, { recursive: true });
  return path;
}

const run = (...args: string[]): Promise<Answer> =>
  runCli([...args, '--cache-dir', TEST_CACHE], { cwd: folder() });

/** Builds a model without an executable and serves it from this process. */
async function serveReranker(name: string): Promise<Served> {
  copyReranker(name);
  const output = join(folder(), `${name}.encoder`);
  const { exitCode, stderr } = await run('build', name, '--no-build', '-o', output);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  const served = await serveAssets(output.replace('.encoder', '.assets'));
  started.push(served);
  return served;
}

interface Predicted {
  readonly results: readonly { readonly logits: readonly number[]; readonly scores: readonly number[] }[];
}

async function logitsOf({ httpPort }: Served, fields: object = {}): Promise<number[]> {
  const inputs = pairs.map(({ query, document }) => [query, document]);
  const { status, text } = await post(`http://127.0.0.1:${httpPort}/predict`, { inputs, ...fields });
  expect(status, text).toBe(200);
  return (JSON.parse(text) as Predicted).results.map(({ logits }) => logits[0] ?? NaN);
}

verifiesOnce('causal-rerankers:golden', async () => {
  for (const { name, logits, instructed, lengths } of models) {
    const served = await serveReranker(name);
    expectClose(await logitsOf(served), logits, name, CLOSE);
    if (instructed) expectClose(await logitsOf(served, { instruction }), instructed, `${name}, instructed`, CLOSE);
    for (const [at, { query, document }] of pairs.entries()) {
      const body = { query, documents: [document], raw_scores: true };
      const { text } = await post(`http://127.0.0.1:${served.httpPort}/rerank`, body);
      const { results, meta } = JSON.parse(text) as {
        results: { relevance_score: number }[];
        meta: { tokens: { input_tokens: number } };
      };
      expect(meta.tokens.input_tokens, `${name}: ${at}`).toBe(lengths[at]);
      expectClose([results[0]?.relevance_score ?? NaN], [logits[at] ?? NaN], `${name}: ${at}`, CLOSE);
    }
  }
});
