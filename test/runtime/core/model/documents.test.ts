import { expect, test } from 'vitest';
import type { ByteSource } from '#contract/container/byte-source.ts';
import type { SectionName } from '#contract/container/sections.ts';
import { readModelCard } from '#core/model/documents.ts';
import { smallContainer } from '../../../helpers/small-container.ts';

function fileWith(names: readonly SectionName[]): ByteSource {
  const file = smallContainer(Object.fromEntries(names.map((name) => [name, 'bytes'])));
  return {
    name: 'file',
    size: file.length,
    readAt: (offset, length) => file.slice(offset, offset + length),
  };
}

test('the error for a missing model card suggests a fix, which depends on whether the file has a model', () => {
  expect(() => readModelCard(fileWith(['manifest']))).toThrow(
    'file contains no model card. Put README.md next to config.json and build the model again.',
  );
  expect(() => readModelCard(fileWith([]))).toThrow(
    'file contains no model (section `manifest` is missing). Build a model executable with `encoderfile build`.',
  );
});
