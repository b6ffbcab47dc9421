import { expect, test } from 'vitest';
import { chooseFiles } from '#cli/packaging/hub/choose-files.ts';
import { chooseGraph } from '#cli/packaging/model/graph-variants.ts';

const filesOf = (paths: readonly string[]) =>
  paths.map((path) => ({ path, bytes: 10, hash: 'a'.repeat(40) }));
const chosen = (paths: readonly string[], variant?: string, modelType?: string): string[] =>
  chooseFiles({ files: filesOf(paths), modelType }, 'org/name', (variants) =>
    chooseGraph(variants, variant, 'hf:org/name'),
  )
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

test('only the files that a build requires are selected', () => {
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

test('layers for additional outputs are selected', () => {
  const heads = ['colbert_linear.pt', 'sparse_linear.pt'];
  const files = ['config.json', 'onnx/model.onnx', 'tokenizer.json', ...heads];
  expect(chosen([...files, 'pytorch_model.bin', 'long.jpg'])).toEqual(files.toSorted());
});

test('model files in 0_Transformer are selected', () => {
  const files = [
    'config.json',
    'model.onnx',
    'sentence_bert_config.json',
    'tokenizer_config.json',
    'vocab.txt',
  ];
  const older = ['modules.json', ...files.map((name) => `0_Transformer/${name}`)];
  expect(chosen([...older, '0_Transformer/pytorch_model.bin'])).toEqual(older.sort());
});

test('without tokenizer.json, a vocabulary and its settings files are selected', () => {
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

test('exports with all files in onnx/ are supported', () => {
  const files = ['onnx/model.onnx', 'onnx/config.json', 'onnx/tokenizer.json', 'onnx/tokenizer_config.json'];
  expect(chosen([...files, 'tokenizer_config.json'])).toEqual(files.toSorted());
});

test('the error for a repository without graphs suggests a fix', () => {
  const way = (...commands: string[]) =>
    `Export it: ${['hf download org/name --local-dir ./name', ...commands, 'encoderfile build ./name']
      .map((command) => `\`${command}\``)
      .toSpliced(0, 2, `\`${commands[0] ?? ''}\``, '`hf download org/name --local-dir ./name`')
      .join(', then ')}.`;
  const script = way(
    'pip install torch transformers onnx',
    'encoderfile export-script > export.py',
    'python export.py ./name ./name/onnx',
  );
  expect(() => chosen(['config.json', 'model.safetensors'], undefined, 'roc_bert')).toThrow(
    `hf:org/name has no ONNX graph, only model.safetensors, and a model of type "roc_bert" cannot be built from it (supported types: albert, bart, `,
  );
  expect(() => chosen(['config.json', 'model.safetensors'], undefined, 'roc_bert')).toThrow(script);
  expect(() => chosen(['config.json', 'pytorch_model.bin'], undefined, 'roc_bert')).toThrow(
    `hf:org/name has no ONNX graph, only pytorch_model.bin, and a model of type "roc_bert" cannot be built from it (`,
  );
  expect(() => chosen(['model.safetensors'])).toThrow(
    "only model.safetensors, and no config.json with a `model_type`, which specifies how the weights are used. Copy config.json from the model's source.",
  );
  expect(() => chosen(['data.csv'])).toThrow(
    'hf:org/name has no ONNX graph, no model.safetensors and no pytorch_model.bin. Choose another model.',
  );
});

test('safetensors are selected if there is no ONNX graph, or if they are named explicitly', () => {
  const settings = ['config.json', 'tokenizer.json'];
  expect(chosen([...settings, 'model.safetensors', 'pytorch_model.bin'], undefined, 'bert')).toEqual([
    'config.json',
    'model.safetensors',
    'tokenizer.json',
  ]);
  const both = [...settings, 'model.safetensors', 'onnx/model.onnx'];
  expect(chosen(both, undefined, 'bert')).toContain('onnx/model.onnx');
  expect(chosen(both, 'safetensors', 'bert')).toEqual(['config.json', 'model.safetensors', 'tokenizer.json']);
});

test('the state dict of torch is selected if there is nothing else', () => {
  const settings = ['config.json', 'tokenizer.json'];
  const others = ['optimizer.pt', 'scheduler.pt', 'training_args.bin', 'rng_state.pth'];
  const files = [...settings, ...others, 'pytorch_model.bin'];
  expect(chosen(files, undefined, 'bert')).toEqual(['config.json', 'pytorch_model.bin', 'tokenizer.json']);
  expect(chosen([...files, 'onnx/model_q4.onnx'], undefined, 'bert')).toEqual([
    'config.json',
    'onnx/model_q4.onnx',
    'tokenizer.json',
  ]);
  const older = ['0_Transformer/config.json', '0_Transformer/pytorch_model.bin', 'tokenizer.json'];
  expect(chosen(older, undefined, 'bert')).toEqual(older);
});

test('an ambiguous graph and a file that is too large are rejected', () => {
  expect(() => chosen(['onnx/model_O4.onnx', 'onnx/model_fp16.onnx'])).toThrow(
    'hf:org/name has no model.onnx, but 2 other graphs: O4 (onnx/model_O4.onnx, 10 B)',
  );
  const files = [...filesOf(['model.onnx']), { path: 'config.json', bytes: 5e9, hash: 'a'.repeat(40) }];
  const choose = () =>
    chooseFiles({ files, modelType: undefined }, 'org/name', (variants) =>
      chooseGraph(variants, undefined, ''),
    );
  expect(choose).toThrow('config.json of hf:org/name has 5.0 GB, but the maximum is 537 MB.');
});
