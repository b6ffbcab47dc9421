import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from '#serve/cli/run.ts';
import { openServingEngine } from '#encoder/engine/serving-engine.ts';
import { encoderProgram } from '#encoder/program.ts';
import { largestDifference, TOLERANCE } from '../../../helpers/close.ts';
import { readGolden } from '../../../helpers/golden.ts';
import { copyModel } from '../../../helpers/model-folder.ts';
import { TEST_CACHE } from '../../../helpers/paths.ts';
import { runCliHere as runCli } from '../../../helpers/cli-here.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';
import { appAround } from './http/open-app.ts';
import { DEFAULT_LIMITS } from '../../../helpers/default-limits.ts';

const folder = useTempFolder();
const golden = readGolden('reranker').slice(0, 20);
const logits = golden.map((expected) => Number(expected.logits?.[0]));

/** The reranker as a regression model; only its config.json differs. */
async function buildRegressionModel(): Promise<string> {
  const config = copyModel(folder(), 'reranker');
  const modelConfig = join(folder(), 'model', 'config.json');
  const fields = JSON.parse(readFileSync(modelConfig, 'utf8')) as object;
  writeFileSync(modelConfig, JSON.stringify({ ...fields, problem_type: 'regression' }));
  const output = join(folder(), 'model.encoder');
  const args = ['build', '--no-build', '-q', '-f', config, '-o', output, '--cache-dir', TEST_CACHE];
  expect(await runCli(args)).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  return join(folder(), 'model.assets');
}

test('scores of a regression model are its logits', async () => {
  const path = await buildRegressionModel();
  const engine = await openServingEngine(path, { limits: DEFAULT_LIMITS, workers: 1, threads: 1 });
  const served = appAround(engine);
  try {
    const model = (await (await served.app.request('/model')).json()) as object;
    expect(model).toMatchObject({ score_function: 'none' });
    const inputs = golden.map(({ text }) => text);
    const { results } = (await (await served.post('/predict', { inputs, top_k: 1 })).json()) as {
      results: { scores: number[]; logits: number[]; top: { score: number }[] }[];
    };
    const scores = results.flatMap((result) => result.scores);
    expect(largestDifference(scores, logits)).toBeLessThan(TOLERANCE);
    expect(results.flatMap(({ top }) => top.map(({ score }) => score))).toEqual(scores);
    // The relevance of a document stays between 0 and 1.
    const ranked = (await (await served.post('/rerank', { query: 'a', documents: ['b'] })).json()) as {
      results: { relevance_score: number }[];
    };
    expect(ranked.results[0]?.relevance_score).toBeGreaterThan(0);
  } finally {
    await engine.close();
  }

  let stdout = '';
  const output = { out: (text: string) => void (stdout += text), err: () => {} };
  const args = ['infer', '--', ...golden.map(({ text }) => text)];
  expect(await runProgram(encoderProgram(path, 'model.encoder'), args, output)).toBe(0);
  const { predictions } = JSON.parse(stdout) as { predictions: { score: number }[] };
  const printed = predictions.map(({ score }) => score);
  expect(largestDifference(printed, logits)).toBeLessThan(TOLERANCE);
});
