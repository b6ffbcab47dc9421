import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { findNamedTokenizers } from '#cli/packaging/model/locate-files.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const folder = useTempFolder();

test.each([
  [[], []],
  [['a-tokenizer.json'], ['a-tokenizer.json']],
  [['other-tokenizer.json', 'tokenizer_config.json'], ['other-tokenizer.json']],
  [['b-tokenizer.json', 'a-tokenizer.json'], ['a-tokenizer.json']],
  [
    ['c-tokenizer.json', 'b-tokenizer.json'],
    ['b-tokenizer.json', 'c-tokenizer.json'],
  ],
])('among the files %j, the tokenizers that can belong to a.onnx are %j', (files, expected) => {
  for (const file of files) writeFileSync(join(folder(), file), '');
  expect(findNamedTokenizers(join(folder(), 'a.onnx')).map((path) => basename(path))).toEqual(expected);
});
