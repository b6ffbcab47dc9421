import { beforeAll, expect, test } from 'vitest';
import { type DescribedAnswers, describedAnswers } from '#test/helpers/described-answers.ts';
import { serverSpec } from '../server-spec.ts';
import { useApi } from './use-api.ts';

const api = useApi(() => ({
  servers: [
    serverSpec('echo', 'echo'),
    serverSpec('camel', 'camel-case-tools'),
    serverSpec('empty', 'empty-text-resource'),
    serverSpec('lazy', 'echo', { lazy: true }),
    serverSpec('reader', 'echo', { readOnly: true }),
    serverSpec('tools', 'echo', { env: { ONLY_TOOLS: '1' } }),
  ],
}));

let described: DescribedAnswers;
beforeAll(async () => {
  described = describedAnswers((await api().get('/openapi.json')).body);
});

const GETS = [
  '/api/v1/health/servers',
  '/api/v1/health/servers/echo',
  '/api/v1/health/servers/lazy',
  '/api/v1/health/servers/nobody',
  '/api/v1/servers',
  '/api/v1/servers/echo/tools',
  '/api/v1/servers/echo/tools?detail=minimal',
  '/api/v1/servers/echo/tools?detail=summary',
  '/api/v1/servers/echo/tools?detail=wrong',
  '/api/v1/servers/camel/tools',
  '/api/v1/servers/nobody/tools',
  '/openapi/echo.json',
  '/openapi/nobody.json',
  '/api/v1/servers/echo/prompts',
  '/api/v1/servers/tools/prompts',
  '/api/v1/servers/echo/prompts?cursor=wrong',
  '/api/v1/servers/echo/resources',
  '/api/v1/servers/tools/resources',
  '/api/v1/servers/echo/resources/templates',
  '/api/v1/servers/tools/resources/templates',
  '/api/v1/servers/echo/resources/content?uri=memo%3A%2F%2Fone',
  '/api/v1/servers/echo/resources/content?uri=memo%3A%2F%2Fblob',
  '/api/v1/servers/empty/resources/content?uri=memo%3A%2F%2Fempty',
  '/api/v1/servers/echo/resources/content?uri=memo%3A%2F%2Fnothing',
  '/api/v1/servers/echo/resources/content',
  '/api/v1/tools?q=weather',
  '/api/v1/prompts?q=greets',
  '/api/v1/resources?q=memo',
  '/api/v1/tools',
  '/api/v1/caller',
  '/api/v1/groups',
  '/api/v1/clients',
  '/api/v1/clients?group=nothing',
  '/api/v1/admin/status',
  '/api/v1/admin/servers',
  '/api/v1/admin/servers?sort=wrong',
  '/api/v1/admin/servers/echo',
  '/api/v1/admin/servers/nobody',
  '/api/v1/admin/servers/echo/logs',
  '/api/v1/admin/servers/echo/logs?lines=x',
  '/api/v1/admin/servers/nobody/logs',
  '/api/v1/admin/findings',
  '/api/v1/admin/findings?rule=wrong',
  '/api/v1/servers/echo/sign-in',
  '/api/v1/secrets',
  '/api/v1/secret-links/unknown',
  '/healthz',
  '/readyz',
  '/metrics',
  '/openapi.json',
  '/schemas/Tool.json',
  '/schemas/Nothing.json',
];

const POSTS: [path: string, body: unknown, headers?: Record<string, string>][] = [
  ['/api/v1/servers/echo/tools/echo', { message: 'x' }],
  ['/openapi/echo/blocks', {}],
  ['/openapi/echo/is-error', { message: 'x' }],
  ['/openapi/echo/echo', []],
  ['/api/v1/servers/echo/tools/structured', {}],
  ['/api/v1/servers/echo/tools/blocks', {}, { Accept: 'application/vnd.mcp.tool-result+json' }],
  ['/api/v1/servers/echo/tools/is-error', {}],
  ['/api/v1/servers/echo/tools/is-error-without-text', {}],
  ['/api/v1/servers/echo/tools/rpc-error', {}],
  ['/api/v1/servers/echo/tools/nothing', {}],
  ['/api/v1/servers/reader/tools/log', {}],
  ['/api/v1/servers/nobody/tools/nothing', {}],
  ['/api/v1/servers/echo/tools/echo', 'no json'],
  ['/api/v1/servers/echo/tools/echo', []],
  ['/api/v1/servers/echo/tools/echo', undefined],
  ['/api/v1/servers/echo/tools/echo', '{}', { 'Content-Type': 'text/plain' }],
  ['/api/v1/servers/echo/tools/echo', JSON.stringify('x'.repeat(1_100_000))],
  ['/api/v1/servers/echo/prompts/greet', { arguments: { name: 'Ada' } }],
  ['/api/v1/servers/echo/prompts/greet', { arguments: [1] }],
  ['/api/v1/servers/echo/prompts/nothing', {}],
  ['/api/v1/servers/tools/prompts/nothing', {}],
  ['/api/v1/servers/echo/sign-in', { redirectUri: 'http://127.0.0.1:1/callback' }],
  ['/api/v1/servers/echo/sign-in/complete', { query: 'state=x' }],
  ['/api/v1/admin/servers/echo/release', { name: 'x' }],
  ['/api/v1/secret-links/unknown', { secrets: { TOKEN: 'x' } }],
  ['/api/v1/admin/reload', undefined],
  ['/api/v1/admin/servers/camel/restart', undefined],
  ['/api/v1/admin/servers/nobody/restart', undefined],
];

const SECRET = '/api/v1/secrets/TOKEN';
const DELETES = ['/api/v1/servers/echo/sign-in', SECRET];

test('every response matches the OpenAPI document', async () => {
  const seen = new Set<number>();
  for (const path of GETS) {
    const answer = await api().get(path);
    seen.add(answer.status);
    described.expectDescribed('GET', path, answer);
  }
  for (const [path, body, headers] of POSTS) {
    const answer = await api().post(path, body, headers);
    seen.add(answer.status);
    described.expectDescribed('POST', path, answer);
  }
  for (const path of DELETES) {
    described.expectDescribed('DELETE', path, await api().request(path, { method: 'DELETE' }));
  }
  const put = { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: '{"value":"x"}' };
  described.expectDescribed('PUT', SECRET, await api().request(SECRET, put));
  expect([...seen].sort((one, other) => one - other)).toEqual([200, 400, 403, 404, 413, 415, 422, 501, 502]);
});

test('this test calls every operation of the document', () => {
  const tried = new Set([
    ...GETS.map((path) => described.operationOf('GET', path)),
    ...POSTS.map(([path]) => described.operationOf('POST', path)),
    ...DELETES.map((path) => described.operationOf('DELETE', path)),
    described.operationOf('PUT', SECRET),
  ]);
  // Group operations are the same routes; groups.test.ts calls them.
  const operations = described.operations.filter(({ tags }) => !tags.includes('Groups'));
  expect(operations.length).toBeGreaterThan(15);
  expect(operations.filter((operation) => !tried.has(operation))).toEqual([]);
});

test('a manager that is not ready returns a problem document', async () => {
  const { lifecycle } = api().managed.context.kernel;
  await lifecycle.drain();
  for (const [method, path] of [
    ['GET', '/readyz'],
    ['GET', '/api/v1/servers/echo/tools'],
  ] as const) {
    const answer = await api().request(path, { method });
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '1']);
    described.expectDescribed(method, path, answer);
  }
});
