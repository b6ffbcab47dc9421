import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { parseManifest } from '#core/model/manifest-json.ts';
import { type GraphProto, ValueInfoProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import { openEngine } from '#encoder/engine/engine.ts';
import { runCliHere as runCli } from '../../helpers/cli-here.ts';
import { expectClose } from '../../helpers/close.ts';
import { editGraph } from '../../helpers/edited-graph.ts';
import { readGolden } from '../../helpers/golden.ts';
import { copyModel } from '../../helpers/model-folder.ts';
import { TEST_CACHE } from '../../helpers/paths.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();

/** Turns the positions, which the graph computes from token IDs, into an input. */
function takePositions(graph: GraphProto): void {
  const table = graph.initializer.find(({ dims }) => dims[0] === 130n);
  const lookup = graph.node.find(({ opType, input }) => opType === 'Gather' && input[0] === table?.name);
  const ids = graph.input.find(({ name }) => name === 'input_ids');
  if (!lookup || !ids) throw new Error('no positions');
  lookup.input[1] = 'position_ids';
  graph.input.push(create(ValueInfoProtoSchema, { ...ids, name: 'position_ids' }));
}

test.each(['roberta', 'unheard-of'])(
  'position IDs that start after the padding ID are supported: %s',
  async (family) => {
    const file = copyModel(folder(), 'roberta', { model_type: 'token_classification' });
    editGraph(join(folder(), 'model', 'model.onnx'), takePositions);
    const config = join(folder(), 'model', 'config.json');
    writeFileSync(
      config,
      JSON.stringify({ ...JSON.parse(readFileSync(config, 'utf8')), model_type: family }),
    );
    const built = await runCli(['build', '-f', file, '--no-build', '--cache-dir', TEST_CACHE], {
      cwd: folder(),
    });
    expect(built.exitCode, built.stderr).toBe(0);
    expect(built.stdout).toMatch(/^Changes +.*Positions start at 2, after the padding id/m);
    const assets = join(folder(), 'model.assets');
    const { inputs, firstPosition, tokenizer } = parseManifest(readFileSync(join(assets, 'manifest.json')));
    expect({ inputs, firstPosition }).toEqual({
      inputs: ['input_ids', 'attention_mask', 'position_ids'],
      firstPosition: 2,
    });
    expect(tokenizer.maxLength).toBe(128);
    const engine = await openEngine(assets, { threads: () => 1, prepack: false, cacheDir: TEST_CACHE });
    try {
      const golden = readGolden('roberta');
      const results = await engine.infer(golden.map(({ text }) => text));
      for (const [at, { id, logits = [] }] of golden.entries())
        expectClose([...(results[at]?.values ?? [])], logits.flat(), id);
    } finally {
      await engine.close();
    }
  },
);
