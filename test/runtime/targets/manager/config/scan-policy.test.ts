import { expect, test } from 'vitest';
import { resolve } from './resolve.ts';

test.each([
  ['', undefined],
  ['scan = "block"', { definitions: 'block', results: 'block' }],
  ['scan = "quarantine"\nscan_results = "off"', { definitions: 'quarantine', results: 'off' }],
  ['scan_results = "warn"', { definitions: 'warn', results: 'warn' }],
  ['scan = "off"', { definitions: 'off', results: 'off' }],
])('%j', (keys, scan) => {
  const servers = `[[servers]]\nname = "a"\ncommand = "x"\ntools = ["*"]\n${keys}\n`;
  expect(resolve({ servers }).servers[0]?.scan).toEqual(scan);
});

test('[daemon.scan] sets the classifier, relative to the file', () => {
  const servers = '[daemon.scan]\nclassifier = "http://127.0.0.1:1"\nlabels = ["BAD"]\nthreshold = 0.5\n';
  expect(resolve({ servers }).daemon.scanClassifier).toEqual({
    encoder: { kind: 'url', url: 'http://127.0.0.1:1' },
    labels: ['bad'],
    threshold: 0.5,
  });
});
