import { join } from 'node:path';
import { expect } from 'vitest';
import { runCliHere } from '../helpers/cli-here.ts';
import { expectClose } from '../helpers/close.ts';
import { editGraph } from '../helpers/edited-graph.ts';
import { fixShape } from '../helpers/fixed-shape.ts';
import { readGolden } from '../helpers/golden.ts';
import { copyModel } from '../helpers/model-folder.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { verifiesOnce } from './verifies.ts';

const folder = useTempFolder();

verifiesOnce('build:fixed-shape', async () => {
  const config = copyModel(folder());
  editGraph(join(folder(), 'model/model.onnx'), (graph) => fixShape(graph, { texts: 1, tokens: 128 }));
  const command = ['build', '-f', config, '--cache-dir', TEST_CACHE];
  expect(await runCliHere(command, { cwd: folder() })).toMatchObject({ exitCode: 0 });
  const path = join(folder(), 'model.encoder');
  const { stdout } = await runExecutable(path, ['inspect']);
  expect(stdout).toMatch(/^Shape +fixed shape \[1, 128\]; .*export with dynamic axes$/m);
  const golden = readGolden('sentiment').slice(0, 5);
  const answer = await runExecutable(path, ['infer', ...golden.map(({ text }) => text)]);
  const { predictions } = JSON.parse(answer.stdout);
  for (const [at, { id, scores = [] }] of golden.entries())
    expectClose([predictions[at].score], [Math.max(...scores.flat())], id);
});
