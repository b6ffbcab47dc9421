import { expect, test } from 'vitest';
import type { ByteSource } from '../../../../runtime/contract/container/byte-source.ts';
import { encodeTail, layoutContainer } from '../../../../runtime/contract/container/layout.ts';
import type { SectionName } from '../../../../runtime/contract/container/sections.ts';
import { readModelCard } from '../../../../runtime/core/model/documents.ts';

function fileWith(names: readonly SectionName[]): ByteSource {
  const layout = layoutContainer(
    100,
    names.map((name) => ({ name, length: 5 })),
  );
  const hashes = new Map(layout.parts.map(({ name }) => [name, { crc32: 0, sha256: '0'.repeat(64) }]));
  const file = new Uint8Array(layout.end);
  file.set(encodeTail(layout, hashes), layout.indexOffset);
  return {
    name: 'file',
    size: file.length,
    readAt: (offset, length) => file.slice(offset, offset + length),
  };
}

test('a file without a model card has a way out, which depends on whether it has a model', () => {
  expect(() => readModelCard(fileWith(['manifest']))).toThrow(
    'file contains no model card. Put README.md next to config.json and build the model again.',
  );
  expect(() => readModelCard(fileWith([]))).toThrow(
    'file contains no model (section `manifest` is missing). Build a model executable with `encoderfile build`.',
  );
});
