import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { StringStringEntryProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import { openEngine } from '#encoder/engine/engine.ts';
import { runCliHere as runCli } from '../../helpers/cli-here.ts';
import { expectClose } from '../../helpers/close.ts';
import { editGraph } from '../../helpers/edited-graph.ts';
import { readGolden } from '../../helpers/golden.ts';
import { copyModel } from '../../helpers/model-folder.ts';
import { TEST_CACHE } from '../../helpers/paths.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();

/** EXTERNAL of TensorProto.DataLocation in onnx.proto. */
const EXTERNAL = 1;

/** Moves the weights of the sentiment model to external files, aligned to `alignment`, after `start` other bytes. */
function moveWeights(fileOf: (index: number) => string, alignment: number, start: number): void {
  const files = new Map<string, Uint8Array[]>();
  const sizes = new Map<string, number>();
  editGraph(join(folder(), 'model/model.onnx'), (graph) => {
    for (const [index, tensor] of graph.initializer.entries()) {
      if (tensor.rawData.length < 64) continue;
      const location = fileOf(index);
      const end = sizes.get(location) ?? start;
      const offset = Math.ceil(end / alignment) * alignment;
      const parts = files.get(location) ?? [new Uint8Array(start)];
      parts.push(new Uint8Array(offset - end), tensor.rawData);
      files.set(location, parts);
      sizes.set(location, offset + tensor.rawData.length);
      const entries = { location, offset: String(offset), length: String(tensor.rawData.length) };
      tensor.externalData = Object.entries(entries).map(([key, value]) =>
        create(StringStringEntryProtoSchema, { key, value }),
      );
      tensor.dataLocation = EXTERNAL;
      tensor.rawData = new Uint8Array();
    }
  });
  for (const [location, parts] of files) {
    const path = join(folder(), 'model', location);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, Buffer.concat(parts));
  }
}

const build = (config: string) =>
  runCli(['build', '-f', config, '--no-build', '--cache-dir', TEST_CACHE], { cwd: folder() });

test.each([
  ['two files', (index: number) => `w${index % 2}.bin`, 4096, 0],
  ['a file for each tensor', (index: number) => `onnx__MatMul_${index}`, 1, 0],
  ['offsets that are not aligned', () => 'model.onnx_data', 1, 3],
  ['a subfolder', () => 'weights/model.bin', 64, 64],
])('a model with weights in %s can be built', async (_name, fileOf, alignment, start) => {
  const config = copyModel(folder());
  moveWeights(fileOf, alignment, start);
  expect(readFileSync(join(folder(), 'model/model.onnx')).length).toBeLessThan(100_000);
  const built = await build(config);
  expect(built.exitCode, built.stderr).toBe(0);
  const assets = join(folder(), 'model.assets');
  const engine = await openEngine(assets, { threads: () => 1, prepack: false, cacheDir: TEST_CACHE });
  try {
    for (const { id, text, logits = [] } of readGolden('sentiment').slice(0, 6)) {
      const [result] = await engine.infer([text]);
      expectClose([...(result?.values ?? [])], logits.flat(), id);
    }
  } finally {
    await engine.close();
  }
});

test.each([
  [
    'is missing',
    rmSync,
    /ONNX Runtime cannot load .*w1\.bin.*Put the weights files into the model folder\.$/,
  ],
  [
    'is incomplete',
    (path: string) => truncateSync(path, 1000),
    /ONNX Runtime cannot load .*The weights file is incomplete\. Copy it again\.$/,
  ],
])('a build fails if a weights file %s', async (_name, damage, message) => {
  const config = copyModel(folder());
  moveWeights((index) => `w${index % 2}.bin`, 4096, 0);
  damage(join(folder(), 'model/w1.bin'));
  expect(await build(config)).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(message) });
});
