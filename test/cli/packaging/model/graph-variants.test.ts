import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { chooseGraph, graphVariants } from '#cli/packaging/model/graph-variants.ts';
import { listModel } from '#cli/packaging/model/model-listing.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const folder = useTempFolder();

const listed = () => graphVariants(listModel(folder()));

function variantsOf(...names: string[]) {
  for (const name of names) {
    mkdirSync(dirname(join(folder(), name)), { recursive: true });
    writeFileSync(join(folder(), name), 'bytes');
  }
  return listed();
}
const choice = (names: readonly string[], wanted?: string): string =>
  chooseGraph(variantsOf(...names), wanted, 'model').path;

const HUB = ['model', 'model_fp16', 'model_O4', 'model_qint8_avx512_vnni', 'model_quantized'].map(
  (name) => `onnx/${name}.onnx`,
);

test('lists only graphs, with the sizes of their weights', () => {
  const others = ['openvino/openvino_model.bin', 'pytorch_model-00001-of-00002.bin', 'onnx/config.json'];
  expect(variantsOf('model.onnx', 'onnx/model_fp16.onnx', 'onnx/model_fp16.onnx_data', ...others)).toEqual([
    { path: 'model.onnx', name: 'model', bytes: 5 },
    { path: 'onnx/model_fp16.onnx', name: 'fp16', bytes: 10 },
  ]);
});

test.each(['fp16', 'model_fp16', 'model_fp16.onnx', 'onnx/model_fp16', 'onnx/model_fp16.onnx'])(
  '%s selects a variant',
  (wanted) => {
    expect(choice(HUB, wanted)).toBe('onnx/model_fp16.onnx');
  },
);

test('without a name, model.onnx is used, preferably the one in the folder itself', () => {
  expect(choice(HUB)).toBe('onnx/model.onnx');
  expect(choice([...HUB, 'model.onnx'])).toBe('model.onnx');
  expect(choice([...HUB, 'model.onnx'], 'onnx/model')).toBe('onnx/model.onnx');
});

test('a single graph does not require a name', () => {
  expect(choice(['onnx/model_quantized.onnx'])).toBe('onnx/model_quantized.onnx');
});

test.each([
  [undefined, 'model has no model.onnx, but 2 other graphs: fp16 (onnx/model_fp16.onnx, '],
  ['q8', 'model has no variant "q8"; choose one of fp16 (onnx/model_fp16.onnx, '],
])('%j is rejected with a list if there are several graphs', (wanted, message) => {
  expect(() => choice(['onnx/model_fp16.onnx', 'onnx/model_q4.onnx'], wanted)).toThrow(message);
});

test('safetensors are listed if the architecture is supported', () => {
  writeFileSync(join(folder(), 'config.json'), '{"model_type": "bert"}');
  const safetensors = { path: 'model.safetensors', name: 'safetensors', bytes: 5 };
  expect(variantsOf('model.safetensors')).toEqual([safetensors]);
  expect(choice([])).toBe('model.safetensors');
  expect(choice(['onnx/model_q4.onnx'])).toBe('onnx/model_q4.onnx');
  expect(choice(['onnx/model_fp16.onnx'])).toBe('model.safetensors');
  expect(choice(['onnx/model.onnx'])).toBe('onnx/model.onnx');
  expect(choice([], 'safetensors')).toBe('model.safetensors');
  writeFileSync(join(folder(), 'config.json'), '{"model_type": "roc_bert"}');
  expect(listed()).not.toContainEqual(safetensors);
});

test('the state dict of torch is listed if there is nothing else', () => {
  writeFileSync(join(folder(), 'config.json'), '{"model_type": "bert"}');
  const parts = ['pytorch_model-00001-of-00002.bin', 'pytorch_model-00002-of-00002.bin'];
  expect(variantsOf('pytorch_model.bin.index.json', 'training_args.bin', ...parts)).toEqual([
    { path: 'pytorch_model.bin.index.json', name: 'pytorch', bytes: 10 },
  ]);
  expect(variantsOf('pytorch_model.bin')).toEqual([{ path: 'pytorch_model.bin', name: 'pytorch', bytes: 5 }]);
  expect(choice([], 'pytorch')).toBe('pytorch_model.bin');
  expect(variantsOf('model.safetensors').map(({ name }) => name)).toEqual(['safetensors']);
  expect(() => choice(['onnx/model_q4.onnx', 'onnx/model_fp16.onnx'], 'pytorch')).toThrow('no variant');
});

test('weights split over several files are one variant', () => {
  writeFileSync(join(folder(), 'config.json'), '{"model_type": "bert"}');
  const parts = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'];
  expect(variantsOf('model.safetensors.index.json', ...parts)).toEqual([
    { path: 'model.safetensors.index.json', name: 'safetensors', bytes: 10 },
  ]);
});
