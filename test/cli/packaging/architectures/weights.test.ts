import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findWeights } from '#cli/packaging/architectures/find-weights.ts';
import { FIXTURES } from '../../../helpers/paths.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const folder = useTempFolder();
const BERT = readFileSync(join(FIXTURES, 'architectures/bert-text/model.safetensors'));

/** A file with this header and `bytes` bytes of data. */
function safetensors(header: unknown, bytes = 0): Buffer {
  const text = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, Buffer.alloc(bytes)]);
}

const write = (bytes: Uint8Array | string, name = 'model.safetensors'): void =>
  writeFileSync(join(folder(), name), bytes);
/** Loads the weights of the folder: a single file if there is no index. */
const found = () => {
  const index = join(folder(), 'model.safetensors.index.json');
  return findWeights(existsSync(index) ? index : join(folder(), 'model.safetensors'));
};
const NUMBERS = { dtype: 'F32', shape: [2, 2], data_offsets: [0, 16] };

test('the index locates weights that are split across several files', async () => {
  write(safetensors({ a: NUMBERS, __metadata__: { format: 'pt' } }, 16), 'model-00001-of-00002.safetensors');
  write(
    safetensors({ b: { ...NUMBERS, dtype: 'BF16', data_offsets: [0, 8] } }, 8),
    'model-00002-of-00002.safetensors',
  );
  write(
    JSON.stringify({
      weight_map: { a: 'model-00001-of-00002.safetensors', b: 'model-00002-of-00002.safetensors' },
    }),
    'model.safetensors.index.json',
  );
  const weights = await found();
  expect([...weights.keys()]).toEqual(['a', 'b']);
  expect(weights.get('b')).toMatchObject({ type: 'BF16', shape: [2, 2], length: 8 });
  expect(weights.get('b')?.file).toBe(join(folder(), 'model-00002-of-00002.safetensors'));
});

test.each([['../outside.safetensors'], ['/etc/passwd'], ['sub/model.safetensors'], [7]])(
  'an index that names %s is rejected',
  async (file) => {
    mkdirSync(join(folder(), 'sub'));
    write(JSON.stringify({ weight_map: { a: file } }), 'model.safetensors.index.json');
    await expect(found()).rejects.toThrow(
      /index\.json must map each weight to a \.safetensors file in the same folder\.$/,
    );
  },
);

test.each<[string, Uint8Array | string, RegExp]>([
  ['an empty file', '', /is damaged: it has no header\. Download model\.safetensors again\.$/],
  ['the first 500 bytes of a file', BERT.subarray(0, 500), /is damaged: its header is longer than the file/],
  [
    'a file without its last bytes',
    BERT.subarray(0, -4),
    /is damaged: it does not contain all bytes of \S+\./,
  ],
  [
    'a Git LFS pointer',
    'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 90868376\n',
    /it is a Git LFS pointer; run `git lfs pull`/,
  ],
  ['a header that is not JSON', safetensors('{"a":'), /its header is not a JSON object/],
  ['a header that is a list', safetensors([]), /its header is not a JSON object/],
  [
    'an entry without a shape',
    safetensors({ a: { dtype: 'F32', data_offsets: [0, 4] } }, 4),
    /the entry of a is incomplete/,
  ],
  [
    'a shape that does not match the data',
    safetensors({ a: { ...NUMBERS, shape: [3] } }, 16),
    /it does not contain all bytes of a\./,
  ],
  [
    'negative offsets',
    safetensors({ a: { ...NUMBERS, data_offsets: [-16, 0] } }, 16),
    /the entry of a is incomplete/,
  ],
  [
    'an offset beyond the end',
    safetensors({ a: { ...NUMBERS, data_offsets: [16, 32] } }, 16),
    /it does not contain all bytes of a\./,
  ],
])('%s instead of weights causes a one-sentence error', async (_name, content, message) => {
  write(content);
  await expect(found()).rejects.toThrow(message);
});

test('tensors with non-weight types are omitted', async () => {
  write(
    safetensors(
      {
        mask: { dtype: 'BOOL', shape: [16], data_offsets: [0, 16] },
        a: { ...NUMBERS, data_offsets: [16, 32] },
      },
      32,
    ),
  );
  expect([...(await found()).keys()]).toEqual(['a']);
});
