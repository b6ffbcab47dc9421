import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { guessModel } from '#cli/config/guess-model-type.ts';

const typeOf = (config: unknown, modules?: unknown): string =>
  guessModel({ config, name: 'folder', modules }).modelType;
const nameOf = (config: unknown, folder = 'folder'): string => guessModel({ config, name: folder }).name;

describe('the model type', () => {
  test.each([
    ['DistilBertForSequenceClassification', 'sequence_classification'],
    ['BertForTokenClassification', 'token_classification'],
    ['BertModel', 'embedding'],
    ['BertForMaskedLM', 'fill_mask'],
  ])('%s is %s', (architecture, expected) => {
    expect(typeOf({ architectures: [architecture], id2label: { 0: 'LABEL_0', 1: 'LABEL_1' } })).toBe(
      expected,
    );
  });

  test.each([
    [['contradiction', 'neutral', 'entailment'], 'zero_shot_classification'],
    [['ENTAILMENT', 'NEUTRAL', 'CONTRADICTION'], 'zero_shot_classification'],
    [['entailment', 'not_entailment'], 'zero_shot_classification'],
    [['entailment', 'neutral', 'contradiction', 'other'], 'sequence_classification'],
    [['entailed', 'refuted'], 'sequence_classification'],
  ])('a classifier with the labels %j is %s', (labels, expected) => {
    const id2label = Object.fromEntries(labels.entries());
    expect(typeOf({ architectures: ['BertForSequenceClassification'], id2label })).toBe(expected);
  });

  test.each(['sentence_transformers.models.Pooling', 'x.pooling.Pooling', 'Pooling'])(
    'a list of modules with a %s is a sentence embedding',
    (type) => {
      const config = { architectures: ['BertModel'] };
      expect(typeOf(config, [{ type: 'x.Transformer' }, { type }])).toBe('sentence_embedding');
    },
  );

  test('a list of modules with SpladePooling is a sparse embedding, whatever the architecture', () => {
    const modules = [{ type: 'x.MLMTransformer' }, { type: 'sentence_transformers.x.SpladePooling' }];
    expect(typeOf({ architectures: ['BertForMaskedLM'] }, modules)).toBe('sparse_embedding');
  });

  test.each([[[]], [[{ type: 'x.OtherPooling' }]], [[null, 1, { type: 7 }]], [{ type: 'x.Pooling' }]])(
    'the modules %j say nothing',
    (modules) => {
      expect(typeOf({ architectures: ['BertModel'] }, modules)).toBe('embedding');
    },
  );

  test('labels decide where no architecture does', () => {
    expect(typeOf({ id2label: { 0: 'O', 1: 'B-PER', 2: 'I-PER' } })).toBe('token_classification');
    expect(typeOf({ id2label: { 0: 'NEGATIVE', 1: 'POSITIVE' } })).toBe('sequence_classification');
  });

  test.each([
    [null],
    [undefined],
    ['x'],
    [[]],
    [{}],
    [{ architectures: 'BertModel', id2label: [1] }],
    [{ architectures: [1] }],
  ])('%j is an embedding, for want of better', (config) => {
    expect(typeOf(config)).toBe('embedding');
  });

  test.each([
    [[{ name: 'logits', rank: 2 }], 'sequence_classification'],
    [[{ name: 'sentence_embedding', rank: 2 }], 'sentence_embedding'],
    [[{ name: 'last_hidden_state', rank: 3 }], 'embedding'],
  ])('without config.json, the outputs %j decide', (outputs, modelType) => {
    const guess = guessModel({ config: undefined, name: 'x', outputs });
    expect(guess).toMatchObject({ modelType, because: expect.stringContaining(outputs[0]?.name ?? '') });
  });

  test('a family of embedding models is a sentence embedding', () => {
    const config = { architectures: ['BertModel'] };
    expect(guessModel({ config, name: 'x', family: 'bge' }).modelType).toBe('sentence_embedding');
  });

  test('of the fixtures', () => {
    const read = (name: string, file = 'config.json'): unknown =>
      JSON.parse(readFileSync(join(import.meta.dirname, '../../../fixtures/models', name, file), 'utf8'));
    expect(guessModel({ config: read('sentiment'), name: 'sentiment' })).toMatchObject({
      name: 'sentiment',
      modelType: 'sequence_classification',
    });
    expect(guessModel({ config: read('ner'), name: 'ner' })).toMatchObject({
      name: 'ner',
      modelType: 'token_classification',
    });
    expect(guessModel({ config: read('embedder'), name: 'embedder' })).toMatchObject({
      name: 'embedder',
      modelType: 'embedding',
    });
    expect(
      guessModel({ config: read('sentence'), name: 'sentence', modules: read('sentence', 'modules.json') }),
    ).toMatchObject({
      name: 'sentence',
      modelType: 'sentence_embedding',
    });
  });
});

describe('the name', () => {
  test('is that of the folder, not of the model that it was trained from', () => {
    expect(nameOf({ _name_or_path: 'dslim/bert-base-NER' }, 'mine')).toBe('mine');
  });

  test('without a usable folder it is the kind of model, or just model', () => {
    expect(nameOf({ model_type: 'bert' }, '.')).toBe('bert');
    expect(nameOf({}, '')).toBe('model');
    expect(nameOf({}, 'a\u0007b')).toBe('model');
    expect(nameOf({}, 'моя модель')).toBe('моя модель');
  });
});
