import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { evidenceOf, guessModel, type ModelGuess } from '#cli/packaging/model/guess-model.ts';
import { FIXTURES } from '../../../helpers/paths.ts';

type Contents = Partial<Parameters<typeof evidenceOf>[0]>;
const guess = async (contents: Contents): Promise<ModelGuess> =>
  await guessModel(evidenceOf({ folder: 'no such folder', name: 'folder', config: undefined, ...contents }));
const typeOf = async (config: unknown, modules?: unknown): Promise<string> =>
  (await guess({ config, modules })).modelType;
const nameOf = async (config: unknown, name?: string): Promise<string> =>
  (await guess({ config, ...(name === undefined ? {} : { name }) })).name;

describe('the guessed model type', () => {
  test.each([
    ['DistilBertForSequenceClassification', 'sequence_classification'],
    ['BertForTokenClassification', 'token_classification'],
    ['BertModel', 'embedding'],
    ['BertForMaskedLM', 'fill_mask'],
  ])('a model with the architecture %s is of type %s', async (architecture, expected) => {
    expect(await typeOf({ architectures: [architecture], id2label: { 0: 'LABEL_0', 1: 'LABEL_1' } })).toBe(
      expected,
    );
  });

  test.each([
    ['deberta-v2', [], 'config.json names the encoder deberta-v2 without a head'],
    ['qwen3', [], undefined],
    ['other', [], undefined],
    ['deberta-v2', [{ name: 'pooler_output', rank: 2 }], undefined],
  ])(
    'without architectures and labels, the encoder %s with the outputs %j',
    async (family, outputs, because) => {
      expect(await guess({ config: { model_type: family }, outputs })).toMatchObject({
        modelType: 'embedding',
        because,
      });
    },
  );

  test.each([
    [['contradiction', 'neutral', 'entailment'], 'zero_shot_classification'],
    [['ENTAILMENT', 'NEUTRAL', 'CONTRADICTION'], 'zero_shot_classification'],
    [['entailment', 'not_entailment'], 'zero_shot_classification'],
    [['entailment', 'neutral', 'contradiction', 'other'], 'sequence_classification'],
    [['entailed', 'refuted'], 'sequence_classification'],
  ])('a classifier with the labels %j is of type %s', async (labels, expected) => {
    const id2label = Object.fromEntries(labels.entries());
    expect(await typeOf({ architectures: ['BertForSequenceClassification'], id2label })).toBe(expected);
  });

  test.each(['sentence_transformers.models.Pooling', 'x.pooling.Pooling', 'Pooling'])(
    'a model with the module %s is a sentence embedding model',
    async (type) => {
      const config = { architectures: ['BertModel'] };
      expect(await typeOf(config, [{ type: 'x.Transformer' }, { type }])).toBe('sentence_embedding');
    },
  );

  test('a model with the module SpladePooling is a sparse embedding model, regardless of its architecture', async () => {
    const modules = [{ type: 'x.MLMTransformer' }, { type: 'sentence_transformers.x.SpladePooling' }];
    expect(await typeOf({ architectures: ['BertForMaskedLM'] }, modules)).toBe('sparse_embedding');
  });

  test.each([
    ['prithivida/Splade_PP_en_v1', 'sparse_embedding'],
    ['acme/my-splade', 'sparse_embedding'],
    ['acme/displade-v1', 'fill_mask'],
    ['acme/splader', 'fill_mask'],
  ])('the masked language model %s without modules is of type %s', async (repository, expected) => {
    const found = await guess({ repository, config: { architectures: ['BertForMaskedLM'] } });
    expect(found.modelType).toBe(expected);
  });

  test.each([[[]], [[{ type: 'x.OtherPooling' }]], [[null, 1, { type: 7 }]], [{ type: 'x.Pooling' }]])(
    'the modules %j do not determine a type',
    async (modules) => {
      expect(await typeOf({ architectures: ['BertModel'] }, modules)).toBe('embedding');
    },
  );

  test('labels determine the type if the config contains no architecture', async () => {
    expect(await typeOf({ id2label: { 0: 'O', 1: 'B-PER', 2: 'I-PER' } })).toBe('token_classification');
    expect(await typeOf({ id2label: { 0: 'NEGATIVE', 1: 'POSITIVE' } })).toBe('sequence_classification');
  });

  test.each([
    [null],
    [undefined],
    ['x'],
    [[]],
    [{}],
    [{ architectures: 'BertModel', id2label: [1] }],
    [{ architectures: [1] }],
  ])('a config without usable information (%j) results in the type embedding', async (config) => {
    expect(await typeOf(config)).toBe('embedding');
  });

  test.each([
    [[{ name: 'logits', rank: 2 }], 'sequence_classification'],
    [[{ name: 'sentence_embedding', rank: 2 }], 'sentence_embedding'],
    [[{ name: 'last_hidden_state', rank: 3 }], 'embedding'],
  ])('without config.json, the outputs %j determine the type', async (outputs, modelType) => {
    expect(await guess({ outputs })).toMatchObject({
      modelType,
      because: expect.stringContaining(outputs[0]?.name ?? ''),
    });
  });

  test('a model of a known embedding family is a sentence embedding model', async () => {
    const config = { architectures: ['BertModel'] };
    expect((await guess({ config, name: 'bge-small-en-v1.5' })).modelType).toBe('sentence_embedding');
  });

  test('the types and names of fixture models are as expected', async () => {
    const read = (name: string, file = 'config.json'): unknown =>
      JSON.parse(readFileSync(join(FIXTURES, 'models', name, file), 'utf8'));
    expect(await guess({ config: read('sentiment'), name: 'sentiment' })).toMatchObject({
      name: 'sentiment',
      modelType: 'sequence_classification',
    });
    expect(await guess({ config: read('ner'), name: 'ner' })).toMatchObject({
      name: 'ner',
      modelType: 'token_classification',
    });
    expect(await guess({ config: read('embedder'), name: 'embedder' })).toMatchObject({
      name: 'embedder',
      modelType: 'embedding',
    });
    expect(
      await guess({ config: read('sentence'), name: 'sentence', modules: read('sentence', 'modules.json') }),
    ).toMatchObject({
      name: 'sentence',
      modelType: 'sentence_embedding',
    });
  });
});

describe('the guessed model name', () => {
  test('is the name of the folder, not of its base model', async () => {
    expect(await nameOf({ _name_or_path: 'dslim/bert-base-NER' }, 'mine')).toBe('mine');
  });

  test('falls back to the model type, or just "model", if the folder has no usable name', async () => {
    expect(await nameOf({ model_type: 'bert' }, '.')).toBe('bert');
    expect(await nameOf({}, '')).toBe('model');
    expect(await nameOf({}, 'a\u0007b')).toBe('model');
    expect(await nameOf({}, 'моя модель')).toBe('моя модель');
  });
});
