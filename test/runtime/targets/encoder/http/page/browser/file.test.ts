import { array, assert, constantFrom, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { readCsv, writeCsv } from '#encoder/http/page/browser/file/csv.ts';
import { runRows } from '#encoder/http/page/browser/file/run-rows.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';
import { unreadPart } from '#encoder/http/page/browser/tokens.ts';
import { labelExamples } from '#encoder/http/page/browser/label-examples.ts';

test.each<[text: string, header: string[], rows: string[][], delimiter: string]>([
  ['a,b\n1,2\n', ['a', 'b'], [['1', '2']], ','],
  ['\uFEFFa;b\r\n"x;y";"say ""hi"""\r\n', ['a', 'b'], [['x;y', 'say "hi"']], ';'],
  ['a\tb\n1', ['a', 'b'], [['1', '']], '\t'],
  ['text\n"two\nlines"\n\nlast', ['text'], [['two\nlines'], ['last']], ','],
  [
    'a,\n1,\n,2',
    ['a', 'column 2'],
    [
      ['1', ''],
      ['', '2'],
    ],
    ',',
  ],
  ['', [], [], ','],
  ['a\n"never closed', ['a'], [['never closed']], ','],
])('%j is parsed', (text, header, rows, delimiter) => {
  expect(readCsv(text)).toEqual({ header, rows, delimiter });
});

test('any values that are written as CSV can be read back', () => {
  const cell = string({ unit: constantFrom('"', ',', ';', '\n', '\r', ' ', 'a', '\t') });
  const rows = array(array(cell, { minLength: 2, maxLength: 2 }));
  assert(
    property(rows, constantFrom(',', ';', '\t'), (records, delimiter) => {
      const text = writeCsv([['x', 'y'], ...records], delimiter);
      expect(readCsv(text).rows).toEqual(records);
    }),
  );
});

test('rows are sent in batches; rejected rows get an error, and empty rows get no result', async () => {
  const texts = Array.from({ length: 70 }, (_, at) => (at === 40 ? 'bad' : at === 50 ? ' ' : `text ${at}`));
  const sizes: number[] = [];
  const progress: number[] = [];
  let attempts = 0;
  const results = await runRows({
    texts,
    signal: new AbortController().signal,
    onProgress: (done) => progress.push(done),
    async send(batch) {
      attempts += 1;
      if (attempts === 1) throw new ServerError('The queue is full.', 503);
      if (batch.includes('bad')) throw new ServerError('Not this one.', 422);
      sizes.push(batch.length);
      return batch.map((text) => ({ label: text.toUpperCase() }));
    },
  });
  expect(results[40]).toEqual({ error: 'Not this one.' });
  expect(results[50]).toEqual({});
  expect(results.map((cells, at) => cells?.['label'] ?? at)).toEqual(
    texts.map((text, at) => (at === 40 || at === 50 ? at : text.toUpperCase())),
  );
  expect(Math.max(...sizes)).toBeLessThanOrEqual(32);
  expect([progress[0], progress.at(-1)]).toEqual([1, 70]);
  const failed = runRows({
    texts: ['a'],
    signal: new AbortController().signal,
    onProgress: () => {},
    send: () => Promise.reject(new ServerError('Gone.', 0)),
  });
  await expect(failed).rejects.toThrow('Gone.');
});

test('a stopped run keeps its results', async () => {
  const stop = new AbortController();
  const results = await runRows({
    texts: Array.from({ length: 200 }, () => 'text'),
    signal: stop.signal,
    onProgress: (done) => done >= 64 && stop.abort(),
    send: (batch) => Promise.resolve(batch.map(() => ({ label: 'x' }))),
  });
  const done = results.filter((cells) => cells !== undefined).length;
  expect(done).toBeGreaterThanOrEqual(64);
  expect(done).toBeLessThan(200);
});

test('the unread part of a text starts after the last token', () => {
  const token = (start: number, end: number) => ({ id: 1, text: '', special: false, start, end });
  const special = { id: 0, text: '[CLS]', special: true, start: null, end: null };
  expect(unreadPart('😀 one two', [special, token(0, 1), token(2, 5), special])).toEqual({
    before: '',
    after: 'two',
  });
  expect(unreadPart('one two', [token(4, 7)])).toEqual({ before: 'one', after: '' });
  // The tokens of a prompt of 7 characters come first.
  expect(unreadPart('one two', [token(0, 5), token(7, 10)], 7)).toEqual({ before: '', after: 'two' });
});

test.each<[labels: string[], languages: string[], first: string, text: RegExp]>([
  [['NEGATIVE', 'POSITIVE'], ['en'], 'Praise', /I love this place/],
  [['negativ', 'POSITIVE', 'neutral'], ['de'], 'Praise', /Ich liebe/],
  [['1 star', '2 stars', '3 stars'], ['multilingual'], 'Praise', /I love/],
  [['joy', 'anger', 'sadness'], [], 'Joy', /lottery/],
  [['toxic', 'insult', 'threat'], [], 'Friendly', /Thank you/],
  [['spam', 'ham'], [], 'Advertisement', /free phone/],
  [['cooking', 'money', 'music', 'sport', 'weather'], [], 'cooking', /bread/],
  [['en', 'de', 'fr', 'es', 'it'], [], 'English', /cold and windy/],
  [['LABEL_0', 'LABEL_1'], [], 'One text', /question about my order/],
])('the page has examples for the labels %j', (labels, languages, first, text) => {
  const [example] = labelExamples(labels, languages);
  expect(example?.name).toBe(first);
  expect(example?.texts[0]).toMatch(text);
});
