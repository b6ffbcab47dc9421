import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { plugin, post, served, started, WARN } from './served.ts';

const folder = useTempFolder();

const RESPONSE = { flows: ['response'] };

/** Failures of a plugin that is called, and what is logged then. */
const FAILURES: readonly (readonly [string, object, RegExp])[] = [
  ['fail', {}, /hunter2/],
  ['crash', {}, /./],
  ['silent', { timeout: '100ms' }, /./],
  ['nonsense', {}, /invalid HTTP headers/],
];

test.each(FAILURES)('a failing required plugin rejects the request: %s', async (name, more, reason) => {
  const { url, thrown } = await served({ authentication: [plugin(name, { ...more, required: true })] });
  const answer = await post(`${url}/echo`);
  expect(answer.status).toBe(500);
  expect(answer.headers.get('Content-Type')).toBe('application/problem+json');
  expect(answer.headers.get('Mcpd-Error-Type')).toBe('request-pipeline-failure');
  expect(await answer.json()).toEqual({
    $schema: 'http://localhost/schemas/ErrorModel.json',
    title: 'Internal Server Error',
    status: 500,
    detail: 'Request processing failed',
  });
  expect(thrown).toMatchObject([{ cause: { message: expect.stringMatching(reason) as string } }]);
});

test.each(FAILURES)('a failing optional plugin is skipped: %s', async (name, more, reason) => {
  const { url, logged } = await served({ authentication: [plugin(name, more)] });
  const answer = await post(`${url}/echo`, { a: 1 });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ body: '{"a":1}' });
  expect(logged).toContainEqual(
    expect.objectContaining({
      level: WARN,
      msg: 'plugin failed',
      plugin: `${name}.mjs`,
      flow: 'request',
      reason: expect.stringMatching(reason) as string,
    }),
  );
});

test.each(['fail', 'crash'])('a required plugin that fails on a response blocks it: %s', async (name) => {
  const { url } = await served({ content: [plugin(name, { ...RESPONSE, required: true })] });
  const answer = await post(`${url}/echo`, { a: 1 });
  expect(answer.status).toBe(500);
  expect(answer.headers.get('Mcpd-Error-Type')).toBe('response-pipeline-failure');
  expect(answer.headers.get('Content-Type')).toBe('application/problem+json');
  expect(answer.headers.getSetCookie()).toEqual([]);
  expect(answer.headers.has('X-Handler')).toBe(false);
  expect(await answer.json()).toMatchObject({ detail: 'Response processing failed' });
});

test('an optional plugin that fails on a response leaves it unchanged', async () => {
  const { url } = await served({ content: [plugin('fail', RESPONSE)] });
  expect(await (await post(`${url}/echo`, { a: 1 })).json()).toMatchObject({ body: '{"a":1}' });
});

test('a plugin is not called for flows that it does not handle', async () => {
  const both = { flows: ['request', 'response'], required: true };
  const { url } = await served({ content: [plugin('change-request', { ...both, config: { label: 'x' } })] });
  const answer = await post(`${url}/echo`);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ body: '{"x":true}' });
});

test.each(['() => { throw new Error("stuck"); }', 'async () => { throw new Error("stuck"); }'])(
  'a plugin that fails while stopping does not block the shutdown: %s',
  async (stop) => {
    const path = join(folder(), 'stuck.cjs');
    writeFileSync(path, `exports.handleRequest = () => undefined; exports.stop = ${stop};`);
    const { plugins, logged } = await started({ audit: [plugin('stuck', { kind: 'js', path })] });
    await plugins.close();
    expect(logged).toContainEqual(
      expect.objectContaining({ level: WARN, reason: 'stuck', msg: 'closing the plugin failed' }),
    );
  },
);
