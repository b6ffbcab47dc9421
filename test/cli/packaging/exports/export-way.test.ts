import { describe, expect, test } from 'vitest';
import { exportWay } from '#cli/packaging/exports/export-way.ts';
import { exportFacts } from '#cli/packaging/exports/model-kind.ts';
import { messageOf } from '#contract/errors.ts';
import { needsExport, withExportWay } from '#cli/packaging/exports/needs-export.ts';
import { withoutGraph } from '#cli/packaging/model/graph-variants.ts';

// `npm run test:exports` runs these instructions with the real tools.

const files = [{ path: 'model.safetensors', bytes: 1 }];
const sentence = (config: object, modules?: unknown, folder = './model'): string =>
  withoutGraph({ files, modelType: undefined, config, modules }, folder).message;
const SCRIPT =
  'Export it: `pip install torch transformers onnx`, then `encoderfile export-script > export.py`, then `python export.py ./model ./model/onnx`, then `encoderfile build ./model`.';
const optimum = (task: string, options = ''): string =>
  `Export it: \`pip install "optimum-onnx[onnxruntime]"\`, then \`optimum-cli export onnx --model ./model --task ${task}${options} ./model/onnx\`, then \`encoderfile build ./model\`.`;

describe('the instructions to export a model to ONNX', () => {
  test.each([
    ['EsmModel', 'esm', 'feature-extraction'],
    ['EsmForMaskedLM', 'esm', 'fill-mask'],
    ['FlaubertWithLMHeadModel', 'flaubert', 'fill-mask'],
    ['RoFormerForQuestionAnswering', 'roformer', 'question-answering'],
    ['DebertaForTokenClassification', 'deberta', 'token-classification'],
    ['MegatronBertForSequenceClassification', 'megatron-bert', 'text-classification'],
  ])('%s uses the export task for its head', (architecture, modelType, task) => {
    const config = { model_type: modelType, architectures: [architecture] };
    expect(sentence(config)).toContain(optimum(task));
  });

  test.each([
    ['an architecture that optimum does not support', { model_type: 'ernie' }],
    [
      'a model with a task that optimum does not support',
      { model_type: 'esm', architectures: ['EsmForQuestionAnswering'] },
    ],
    ['a model saved by transformers 5', { model_type: 'esm', transformers_version: '5.24.0' }],
    ['the encoder of T5', { model_type: 't5', is_encoder_decoder: true, architectures: ['T5EncoderModel'] }],
    ['a model type that is a JavaScript property name', { model_type: 'constructor' }],
  ])('%s is exported with the script', (_, config) => {
    expect(sentence(config)).toContain(SCRIPT);
  });

  test('a sentence-transformers model keeps its modules, and a path with spaces is quoted', () => {
    const modules = [{ type: 'sentence_transformers.models.Transformer' }];
    expect(sentence({ model_type: 'esm' }, modules)).toContain(
      optimum('feature-extraction', ' --library transformers'),
    );
    expect(
      exportWay(exportFacts({ model_type: 'esm' }, []), { source: "my m'odel/", isOnHub: false }),
    ).toContain(String.raw`--model 'my m'\''odel/' --task feature-extraction 'my m'\''odel/onnx'`);
  });

  test('a masked model is exported without its head, unless its sentence-transformers modules use the head', () => {
    const masked = { model_type: 'esm', architectures: ['EsmForMaskedLM'] };
    const modules = (name: string) => [
      { type: `sentence_transformers.${name}` },
      { type: 'sentence_transformers.models.Pooling' },
    ];
    expect(sentence(masked, modules('models.Transformer'))).toContain('--task feature-extraction');
    expect(sentence(masked, modules('sparse_encoder.models.MLMTransformer'))).toContain('--task fill-mask');
  });

  test('for a model with custom code, the instructions warn that the export runs this code', () => {
    const config = { model_type: 'bert', auto_map: { AutoModel: 'modeling.OwnModel' } };
    expect(sentence(config)).toContain(
      "Export it, which runs the model's Python code: `pip install torch transformers onnx`, then `encoderfile export-script > export.py`, then `python export.py ./model ./model/onnx --trust-remote-code`, then",
    );
  });

  test('only errors about unsupported settings contain instructions', () => {
    const facts = exportFacts({ model_type: 'bert', architectures: ['BertForMaskedLM'] }, undefined);
    const source = { source: './model', isOnHub: false };
    expect(messageOf(withExportWay(needsExport('`x` is 1.'), facts, source))).toBe(
      `\`x\` is 1. ${optimum('fill-mask')}`,
    );
    const other = new Error('other');
    expect(withExportWay(other, facts, source)).toBe(other);
    const noExport = { ...facts, kind: 'decoder' } as const;
    expect(messageOf(withExportWay(needsExport('`x` is 1.'), noExport, source))).toBe(
      '`x` is 1. Choose another model.',
    );
  });

  test.each([
    ['an image model', { model_type: 'vit', image_size: 224 }, undefined],
    ['an image model', { model_type: 'clip', vision_config: {} }, undefined],
    ['an audio model', { model_type: 'wav2vec2' }, undefined],
    ['has a decoder', { model_type: 't5', is_encoder_decoder: true }, undefined],
    [
      'has a decoder',
      { model_type: 'bart', is_encoder_decoder: true, architectures: ['BartForX'] },
      undefined,
    ],
  ])('the error for %s contains neither instructions nor a command', (reason, config, modules) => {
    const message = sentence(config, modules);
    expect(message).toMatch(/^\.\/model cannot be built: it [^`]+\. Choose another model\.$/);
    expect(message).toContain(reason);
  });

  test.each([
    ['model2vec', { model_type: 'model2vec' }, undefined],
    ['StaticEmbedding', {}, [{ type: 'sentence_transformers.models.StaticEmbedding' }]],
    ['StaticModel', { model_type: 'x', architectures: ['StaticModel'] }, undefined],
  ])('a static model of the kind %s needs safetensors, not an export', (_, config, modules) => {
    const without = (files: { path: string; bytes: number }[]): string =>
      withoutGraph({ files, modelType: undefined, config, modules }, './model').message;
    const end = '. Save the model again with a recent version of sentence-transformers or model2vec.';
    expect(without([])).toBe(
      `./model is a static model, but it has no model.safetensors with its table${end}`,
    );
  });

  test('damaged settings get the same instructions as a plain encoder', () => {
    for (const config of [undefined, null, 7, [], { model_type: 5, architectures: 'x', auto_map: 1 }])
      expect(exportFacts(config, { type: 'x' })).toMatchObject({ kind: 'encoder', modelType: undefined });
  });
});
