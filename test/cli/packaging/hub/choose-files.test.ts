import { expect, test } from 'vitest';
import { chooseFiles } from '../../../../cli/packaging/hub/choose-files.ts';
import { chooseGraph } from '../../../../cli/packaging/model/graph-variants.ts';

const filesOf = (paths: readonly string[]) =>
  paths.map((path) => ({ path, bytes: 10, hash: 'a'.repeat(40) }));
const chosen = (paths: readonly string[], variant?: string): string[] =>
  chooseFiles(filesOf(paths), 'org/name', (variants) => chooseGraph(variants, variant, 'hf:org/name'))
    .files.map(({ path }) => path)
    .sort();

const SENTENCE_MODEL = [
  '.gitattributes',
  '1_Pooling/config.json',
  '2_Normalize/config.json',
  'README.md',
  'LICENSE',
  'config.json',
  'config_sentence_transformers.json',
  'data_config.json',
  'encoderfile.yml',
  'model.safetensors',
  'modules.json',
  'onnx/config.json',
  'onnx/model.onnx',
  'onnx/model_O4.onnx',
  'onnx/model_fp16.onnx',
  'onnx/model_fp16.onnx_data',
  'onnx/model_fp16.onnx_data_1',
  'openvino/config.json',
  'openvino/openvino_model.bin',
  'pytorch_model.bin',
  'sentence_bert_config.json',
  'special_tokens_map.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'train_script.py',
  'vocab.txt',
];

test('only what a build reads is chosen', () => {
  const settings = [
    '1_Pooling/config.json',
    '2_Normalize/config.json',
    'LICENSE',
    'README.md',
    'config.json',
    'config_sentence_transformers.json',
    'modules.json',
    'sentence_bert_config.json',
    'tokenizer.json',
    'tokenizer_config.json',
  ];
  expect(chosen(SENTENCE_MODEL)).toEqual([...settings, 'onnx/model.onnx'].sort());
  expect(chosen(SENTENCE_MODEL, 'fp16')).toEqual(
    [...settings, 'onnx/model_fp16.onnx', 'onnx/model_fp16.onnx_data', 'onnx/model_fp16.onnx_data_1'].sort(),
  );
});

test('without tokenizer.json, a vocabulary and the files next to it are chosen', () => {
  const files = [
    'model.onnx',
    'config.json',
    'vocab.json',
    'merges.txt',
    'added_tokens.json',
    'onnx/vocab.txt',
  ];
  expect(chosen(files)).toEqual([
    'added_tokens.json',
    'config.json',
    'merges.txt',
    'model.onnx',
    'vocab.json',
  ]);
});

test('exporters can write all files to onnx/', () => {
  const files = ['onnx/model.onnx', 'onnx/config.json', 'onnx/tokenizer.json', 'onnx/tokenizer_config.json'];
  expect(chosen([...files, 'tokenizer_config.json'])).toEqual(files.toSorted());
});

test('a repository without graphs has a way out', () => {
  expect(() => chosen(['config.json', 'model.safetensors'])).toThrow(
    'hf:org/name has no ONNX graph, only model.safetensors. Export it with `optimum-cli export onnx --model org/name ./name`, and build that folder.',
  );
  expect(() => chosen(['data.csv'])).toThrow('hf:org/name has no ONNX graph. Export it');
});

test('a graph that is not clear, and a file that is too large to read, are refused', () => {
  expect(() => chosen(['onnx/model_O4.onnx', 'onnx/model_fp16.onnx'])).toThrow(
    'hf:org/name has no model.onnx, but 2 other graphs: O4 (onnx/model_O4.onnx, 10 B)',
  );
  const files = [...filesOf(['model.onnx']), { path: 'config.json', bytes: 5e9, hash: 'a'.repeat(40) }];
  expect(() => chooseFiles(files, 'org/name', (variants) => chooseGraph(variants, undefined, ''))).toThrow(
    'config.json of hf:org/name has 5.0 GB, but it can have at most 537 MB.',
  );
});
