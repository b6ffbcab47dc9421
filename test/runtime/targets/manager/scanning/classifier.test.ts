import { expect, onTestFinished, test } from 'vitest';
import { parseScanClassifier, type ScanClassifierSetting } from '#manager/config/scan-classifier.ts';
import type { Classify } from '#manager/scanning/classify.ts';
import { openClassifier } from '#manager/scanning/open-classifier.ts';
import { builtExecutable } from '#test/helpers/built.ts';
import { localHttp } from '#test/helpers/local-http.ts';
import { testKernel } from '#test/helpers/test-kernel.ts';

interface Opened {
  readonly classify: Classify;
  readonly failures: () => Promise<string | undefined>;
}

function open(setting: ScanClassifierSetting, env: Record<string, string> = {}): Opened {
  const { log, metrics } = testKernel();
  const { classify, close } = openClassifier(setting, { env, log, metrics });
  onTestFinished(close);
  return {
    classify,
    failures: async () => /^mcp_scan_classifier_failures_total (\d+)$/m.exec(await metrics.metrics())?.[1],
  };
}

const file = (labels: readonly string[], threshold: number): ScanClassifierSetting => ({
  encoder: { kind: 'file', path: builtExecutable('sentiment') },
  labels,
  threshold,
});

const VALUE = { content: [{ type: 'text', text: 'I love this soup very much today.' }] };

test('an executable that the manager starts scores the texts of a value', async () => {
  const { classify } = open(file(['positive'], 0.01));
  const [found] = await classify(VALUE);
  expect(found).toMatchObject({
    rule: 'classifier',
    pointer: '/content/0/text',
    excerpt: expect.stringMatching(/^I love this soup very much today\. \(score 0\.\d+\)$/),
  });
  expect(await classify({ content: [{ type: 'text', text: 'short' }] })).toEqual([]);
});

test('scores below the threshold are not reported', async () => {
  expect(await open(file(['positive'], 1)).classify(VALUE)).toEqual([]);
});

test('a model without a label for injections fails, so that the rules alone decide', async () => {
  const { classify, failures } = open({ encoder: file([], 0).encoder });
  expect(await classify(VALUE)).toEqual([]);
  expect(await failures()).toBe('1');
});

test('a running encoder gets its key, and parts of long texts', async () => {
  const asked: unknown[] = [];
  const { url } = await localHttp((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const { inputs } = JSON.parse(body) as { inputs: string[] };
      asked.push([request.url, request.headers.authorization, inputs.map(({ length }) => length)]);
      const results = inputs.map((_text, at) => ({
        top: [{ label: 'INJECTION', score: at === 1 ? 0.95 : 0.1 }],
      }));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ results }));
    });
  });
  const { classify } = open({ encoder: { kind: 'url', url } }, { MCP_MANAGER_SCAN_CLASSIFIER_KEY: 'secret' });
  expect(await classify({ text: 'a b '.repeat(550) })).toMatchObject([
    { rule: 'classifier', pointer: '/text' },
  ]);
  expect(asked).toEqual([['/predict', 'Bearer secret', [1000, 1000, 200]]]);
});

test('a classifier that is not reachable fails', async () => {
  const { classify, failures } = open({ encoder: { kind: 'url', url: 'http://127.0.0.1:1' } });
  expect(await classify(VALUE)).toEqual([]);
  expect(await failures()).toBe('1');
});

test('the setting is a file or a URL', () => {
  expect(parseScanClassifier('guard.encoder', '/etc')).toEqual({
    encoder: { kind: 'file', path: '/etc/guard.encoder' },
  });
  expect(parseScanClassifier('http://127.0.0.1:8080')).toEqual({
    encoder: { kind: 'url', url: 'http://127.0.0.1:8080' },
  });
  expect(parseScanClassifier('ftp://x')).toBeUndefined();
});

test('a missing file is rejected before the manager starts', () => {
  expect(() => open({ encoder: { kind: 'file', path: '/no/such.encoder' } })).toThrow(
    'The scan classifier /no/such.encoder does not exist.',
  );
});
