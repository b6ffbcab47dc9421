import { expect, test } from 'vitest';
import { readDecoderWasm } from '#platform/images/decoder-wasm.ts';
// @ts-expect-error -- The file is part of the checks and has no types.
import { sourcesHash as hashOfSources } from '../.ci/pixels-wasm.mjs';

const sourcesHash = hashOfSources as () => string;

test('pixels.wasm is compiled from the current files: run node .ci/pixels-wasm.mjs after a change', () => {
  expect(Buffer.from(readDecoderWasm('pixels.wasm')).toString('latin1')).toContain(`sources${sourcesHash()}`);
});
