import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { array, assert, integer, nat, property, tuple, uint8Array } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseFamily } from '#cli/packaging/tokenizer/choose-family.ts';
import { readMerges, readVocabJson, readVocabText } from '#cli/packaging/tokenizer/vocabulary-kind.ts';
import { readSentencePieceModel } from '#cli/packaging/tokenizer/sentencepiece-model.ts';
import { AppError } from '#contract/errors.ts';
import { FIXTURES } from '../../../helpers/paths.ts';

const model = new Uint8Array(readFileSync(join(FIXTURES, 'tokenizers/xlm-roberta/sentencepiece.bpe.model')));

/** Returns whether a reader accepts its input; any result other than a one-line ConfigError fails. */
function accepts(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'ConfigError' && !error.message.includes('\n'))
      return false;
    throw error;
  }
}

describe('vocab.txt', () => {
  test('line endings and a byte order mark are not part of tokens', () => {
    const expected = new Map([
      ['[PAD]', 0],
      ['\u2028', 1],
      ['##a', 2],
    ]);
    for (const end of ['\n', '\r\n', '\r']) {
      expect(readVocabText(`\uFEFF[PAD]${end}\u2028${end}##a${end}${end}`, 'vocab.txt')).toEqual(expected);
    }
  });

  test.each([
    ['', 'vocab.txt is empty. It must contain one token per line.'],
    [
      'a\nb\na\n',
      'vocab.txt has the token "a" on lines 1 and 3, but each token must appear only once. Restore the original file, or save tokenizer.json with `save_pretrained`.',
    ],
  ])('%j is rejected', (text, message) => {
    expect(() => readVocabText(text, 'vocab.txt')).toThrow(message);
  });
});

describe('vocab.json and merges.txt', () => {
  const ids = readVocabJson({ a: 0, b: 1, ab: 2, ['__proto__x']: 3 }, 'vocab.json');

  test('a header, Windows line endings and repeated merges are accepted', () => {
    expect(readMerges('\uFEFF#version: 0.2\r\na b\r\na b\r\n', ids, 'merges.txt')).toEqual([['a', 'b']]);
  });

  test.each([
    ['#v\na\n', 'merges.txt, line 2 is "a", but it must contain two tokens separated by a space.'],
    ['#v\na b\na b c\n', 'merges.txt, line 3 is "a b c", but it must contain two tokens'],
    ['#v\na x\n', 'merges.txt, line 2 uses the token "x", which is not in vocab.json.'],
  ])('%j is rejected', (text, message) => {
    expect(() => readMerges(text, ids, 'merges.txt')).toThrow(message);
  });

  test.each([
    [{}, 'vocab.json has no tokens.'],
    [{ a: 'x' }, 'vocab.json: the id of "a" is "x", but must be a whole number.'],
    [{ a: 1, b: 1 }, 'vocab.json: the tokens "a" and "b" have the same id 1.'],
  ])('%j is rejected', (content, message) => {
    expect(() => readVocabJson(content, 'vocab.json')).toThrow(message);
  });
});

describe('a sentencepiece model', () => {
  test('most truncated models are rejected, wherever they are truncated', () => {
    let refused = 0;
    for (let end = 0; end < model.length; end += 97) {
      if (!accepts(() => readSentencePieceModel(model.subarray(0, end), 'spm.model'))) refused += 1;
    }
    expect(refused).toBeGreaterThan(model.length / 97 / 2);
  });

  test('any damage results in an error message or a valid model', () => {
    expect(accepts(() => readSentencePieceModel(model, 'spm.model'))).toBe(true);
    assert(
      property(array(tuple(nat(), integer({ min: 0, max: 255 })), { maxLength: 20 }), (edits) => {
        const bytes = model.slice();
        for (const [at, value] of edits) bytes[at % bytes.length] = value;
        accepts(() => readSentencePieceModel(bytes, 'spm.model'));
      }),
    );
    assert(
      property(uint8Array({ maxLength: 200 }), (bytes) => {
        accepts(() => readSentencePieceModel(bytes, 'spm.model'));
      }),
    );
  });
});

describe('the tokenizer family', () => {
  test.each([
    [{ tokenizer_class: 'XLMRobertaTokenizerFast' }, { model_type: 'bert' }, 'XLMRoberta'],
    [{}, { model_type: 'bert', tokenizer_class: 'AlbertTokenizer' }, 'Albert'],
    [{}, { model_type: 'deberta-v2' }, 'DebertaV2'],
  ])('%j and %j: %s', (tokenizerConfig, modelConfig, name) => {
    expect(chooseFamily({ tokenizerConfig, modelConfig }).name).toBe(name);
  });

  test('an unknown class causes an error that lists the supported classes', () => {
    const choose = (name: string) => () =>
      chooseFamily({ tokenizerConfig: { tokenizer_class: name }, modelConfig: {} });
    expect(choose('PhobertTokenizer')).toThrow('Cannot convert a tokenizer of class PhobertTokenizer');
    expect(choose('Robertta')).toThrow('did you mean RobertaTokenizer?');
    expect(() => chooseFamily({ tokenizerConfig: {}, modelConfig: {} })).toThrow('Set `tokenizer_class`');
  });
});
