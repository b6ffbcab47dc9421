import { expect, it } from 'vitest';
import { messageOf } from '#contract/errors.ts';
import { explainMissingLibrary } from '#platform/native/load-addon.ts';

it.each([
  [
    'librt.so.1: cannot open shared object file: No such file or directory',
    'Cannot load the native libraries: this system has no librt.so.1. Install glibc, libstdc++ and libgcc.',
  ],
  [
    "/lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.22' not found (required by /tmp/a b/libonnxruntime.so.1)",
    "Cannot load the native libraries: this system's /lib/x86_64-linux-gnu/libstdc++.so.6 is too old and has no GLIBCXX_3.4.22. Use a newer system.",
  ],
])('explains %s', (message, expected) => {
  const error = explainMissingLibrary(new Error(message));
  expect(error).toMatchObject({ code: 'ConfigError' });
  expect(messageOf(error)).toBe(expected);
});

it('names the folder in LD_LIBRARY_PATH that contains another version', () => {
  const error = new Error(
    "/opt/ort/lib/libonnxruntime.so.1: version `VERS_1.30.0' not found (required by x)",
  );
  expect(messageOf(explainMissingLibrary(error, '/usr/lib:/opt/ort/lib'))).toBe(
    'Cannot load the native libraries: /opt/ort/lib/libonnxruntime.so.1, which is in LD_LIBRARY_PATH, has no VERS_1.30.0. Remove /opt/ort/lib from LD_LIBRARY_PATH.',
  );
});

it.each([
  '/tmp/x/libonnxruntime.so.1: cannot open shared object file: No such file or directory',
  '/tmp/x/libonnxruntime.so.1: failed to map segment from shared object: Operation not permitted',
  '/tmp/x/tokenizers.node: invalid ELF header',
])('does not handle %s', (message) => {
  expect(explainMissingLibrary(new Error(message))).toBeUndefined();
});
