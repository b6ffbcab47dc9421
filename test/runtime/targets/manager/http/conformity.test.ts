import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { beforeAll, expect, test } from 'vitest';
import { serverSpec } from '../server-spec.ts';
import type { Answer } from './open-api.ts';
import { useApi } from './use-api.ts';

const api = useApi(() => ({
  servers: [
    serverSpec('echo', 'echo'),
    serverSpec('camel', 'camel-case-tools'),
    serverSpec('empty', 'empty-text-resource'),
    serverSpec('lazy', 'echo', { lazy: true }),
    serverSpec('tools', 'echo', { env: { ONLY_TOOLS: '1' } }),
  ],
}));

interface Described {
  readonly content: Record<string, { readonly schema: object }>;
}
type Paths = Record<string, Record<string, { readonly responses: Record<string, Described> }>>;

let paths: Paths = {};
let validatorOf: (schema: object) => ValidateFunction;
beforeAll(async () => {
  const { body } = await api().get('/openapi.json');
  paths = body.paths;
  const ajv = new Ajv2020({ strict: false });
  ajv.addFormat('uri', (text: string) => URL.canParse(text));
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/);
  ajv.addFormat('int64', true);
  ajv.addSchema(body, 'api');
  validatorOf = (schema) => ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')));
});

/** The one operation that the path is of; that with the fewest parameters, if there are several. */
function operationOf(method: string, path: string) {
  const fits = Object.keys(paths)
    .filter((template) => paths[template]?.[method.toLowerCase()])
    .filter((template) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path));
  const [best = ''] = fits.sort((one, other) => one.split('{').length - other.split('{').length);
  const operation = paths[best]?.[method.toLowerCase()];
  if (!operation) throw new Error(`the document has no ${method} ${path}`);
  return operation;
}

function expectDescribed(method: string, url: string, { status, headers, text, body }: Answer): void {
  const [path = ''] = url.split('?');
  const { responses } = operationOf(method, path);
  const described = responses[status] ?? responses['default'];
  const type = headers.get('Content-Type')?.split(';')[0] ?? '';
  const { schema } = described?.content[type] ?? {};
  if (!schema)
    throw new Error(`${method} ${url} answers ${status} as ${type}, which the document does not say`);
  const validate = validatorOf(schema);
  const value: unknown = type.endsWith('json') ? body : text;
  expect([url, value, validate(value) || validate.errors]).toEqual([url, value, true]);
}

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
  '/api/v1/tools',
  '/api/v1/admin/status',
  '/api/v1/admin/servers/echo/logs',
  '/api/v1/admin/servers/echo/logs?lines=x',
  '/api/v1/admin/servers/nobody/logs',
  '/healthz',
  '/readyz',
  '/metrics',
  '/openapi.json',
  '/schemas/Tool.json',
  '/schemas/Nothing.json',
];

const POSTS: [path: string, body: unknown, headers?: Record<string, string>][] = [
  ['/api/v1/servers/echo/tools/echo', { message: 'x' }],
  ['/api/v1/servers/echo/tools/structured', {}],
  ['/api/v1/servers/echo/tools/blocks', {}, { Accept: 'application/vnd.mcp.tool-result+json' }],
  ['/api/v1/servers/echo/tools/is-error', {}],
  ['/api/v1/servers/echo/tools/is-error-without-text', {}],
  ['/api/v1/servers/echo/tools/rpc-error', {}],
  ['/api/v1/servers/echo/tools/nothing', {}],
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
  ['/api/v1/admin/reload', undefined],
  ['/api/v1/admin/servers/camel/restart', undefined],
  ['/api/v1/admin/servers/nobody/restart', undefined],
];

test('every answer is what the document says', async () => {
  const seen = new Set<number>();
  for (const path of GETS) {
    const answer = await api().get(path);
    seen.add(answer.status);
    expectDescribed('GET', path, answer);
  }
  for (const [path, body, headers] of POSTS) {
    const answer = await api().post(path, body, headers);
    seen.add(answer.status);
    expectDescribed('POST', path, answer);
  }
  expect([...seen].sort((one, other) => one - other)).toEqual([200, 400, 403, 404, 413, 415, 422, 501, 502]);
});

test('every operation of the document was tried', () => {
  const tried = new Set([
    ...GETS.map((path) => operationOf('GET', path.split('?')[0] ?? '')),
    ...POSTS.map(([path]) => operationOf('POST', path)),
  ]);
  const all = Object.values(paths).flatMap((item) => Object.values(item));
  expect(all.length).toBeGreaterThan(15);
  expect(all.filter((operation) => !tried.has(operation))).toEqual([]);
});

test('a server that is starting is not ready, and says so as a problem', async () => {
  const { lifecycle } = api().managed.context.kernel;
  await lifecycle.drain();
  for (const [method, path] of [
    ['GET', '/readyz'],
    ['GET', '/api/v1/servers/echo/tools'],
  ] as const) {
    const answer = await api().request(path, { method });
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '1']);
    expectDescribed(method, path, answer);
  }
});
