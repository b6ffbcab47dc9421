import { expect, test } from 'vitest';
import { explainWriteError } from '#platform/files/write-error.ts';

const withCode = (code: string): Error => Object.assign(new Error('as the system says'), { code });

test.each([
  [
    'EACCES',
    'Cannot write out: permission denied. Choose another output path, or change the permissions of the folder.',
  ],
  ['EROFS', 'Cannot write out: the file system is read-only. Choose another output path.'],
  ['ENOSPC', 'Cannot write out: the disk is full. Free some space, or write to another disk.'],
  ['EISDIR', 'Cannot write out: it is a folder. Pass a file.'],
  ['EBUSY', 'Cannot write out: as the system says.'],
])('%s causes a specific error message', (code, message) => {
  expect(explainWriteError('out', withCode(code))).toMatchObject({ message });
});

test('the caller provides the suggested fix', () => {
  expect(explainWriteError('cache', withCode('EROFS'), 'Set HF_HUB_CACHE to another folder')).toMatchObject({
    message: 'Cannot write cache: the file system is read-only. Set HF_HUB_CACHE to another folder.',
  });
});

test('errors without a code are returned unchanged', () => {
  const error = new Error('no code');
  expect(explainWriteError('out', error)).toBe(error);
});
