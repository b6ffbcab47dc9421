import SwaggerParser from '@apidevtools/swagger-parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { pageFilesOf } from '#test/helpers/page-files-of.ts';
import { openSignIns } from '#manager/sign-in/sign-in-store.ts';
import { keyOf } from '../access/key-of.ts';
import { useApi } from './use-api.ts';

/** File operations are in the document only if there are files; none of them is called here. */
const files = {
  paths: { config: '', runtime: '' },
  keys: '',
  auditLog: undefined,
  signIns: openSignIns('', { env: {} }),
  packages: { install: () => Promise.resolve(), distrust: () => undefined },
  readServers: () => Promise.resolve([]),
};
const api = useApi(() => ({ servers: [], files }));
const locked = useApi(() => ({ servers: [], keys: [keyOf('mcpm_x')] }));

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly requestBody?: {
    content: Record<string, { schema: object; examples: Record<string, { value: unknown }> }>;
  };
  readonly responses: Record<
    string,
    { content: Record<string, { schema: object; examples: Record<string, { value: unknown }> }> }
  >;
  readonly security?: unknown;
}

const operationsOf = (document: {
  paths: Record<string, Record<string, Operation>>;
}): [string, Operation][] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );

test('the document has every operation of the contract under its published name', async () => {
  const { headers, body } = await api().get('/openapi.json');
  expect(headers.get('Content-Type')).toBe('application/openapi+json');
  expect(body).toMatchObject({ openapi: '3.1.0', info: { title: 'mcp-manager', version: 'v1' } });
  const named = operationsOf(body).map(([name, { operationId, tags }]) => [name, operationId, tags[0]]);
  const ofGroups = named.filter(([, , tag]) => tag === 'Groups');
  expect(ofGroups).toHaveLength(15);
  for (const [name = '', id] of ofGroups) {
    const [method, path = ''] = name.split(' /groups/{group}');
    expect(named).toContainEqual([`${method} ${path}`, id?.replace('OfGroup', ''), expect.any(String)]);
  }
  expect(named.filter((one) => !ofGroups.includes(one))).toEqual([
    ['GET /api/v1/health/servers', 'listServersHealth', 'Health'],
    ['GET /api/v1/health/servers/{name}', 'getServerHealth', 'Health'],
    ['GET /api/v1/servers', 'listServers', 'Servers'],
    ['GET /api/v1/servers/{name}/tools', 'listTools', 'Tools'],
    ['POST /api/v1/servers/{server}/tools/{tool}', 'callTool', 'Tools'],
    ['GET /openapi/{server}.json', 'toolsDocument', 'Tools'],
    ['POST /openapi/{server}/{tool}', 'callDocumentedTool', 'Tools'],
    ['GET /api/v1/servers/{name}/prompts', 'listPrompts', 'Prompts'],
    ['POST /api/v1/servers/{name}/prompts/{promptName}', 'generatePrompt', 'Prompts'],
    ['GET /api/v1/servers/{name}/resources', 'listResources', 'Resources'],
    ['GET /api/v1/servers/{name}/resources/templates', 'listResourceTemplates', 'Resources'],
    ['GET /api/v1/servers/{name}/resources/content', 'getResourceContent', 'Resources'],
    ['GET /api/v1/tools', 'searchTools', 'Tools'],
    ['GET /api/v1/prompts', 'searchPrompts', 'Prompts'],
    ['GET /api/v1/resources', 'searchResources', 'Resources'],
    ['GET /api/v1/caller', 'getCaller', 'Servers'],
    ['GET /api/v1/groups', 'listGroups', 'Servers'],
    ['GET /api/v1/clients', 'listClientSnippets', 'Clients'],
    ['GET /api/v1/servers/{name}/sign-in', 'getSignIn', 'Sign-in'],
    ['POST /api/v1/servers/{name}/sign-in', 'startSignIn', 'Sign-in'],
    ['DELETE /api/v1/servers/{name}/sign-in', 'endSignIn', 'Sign-in'],
    ['POST /api/v1/servers/{name}/sign-in/complete', 'completeSignIn', 'Sign-in'],
    ['GET /api/v1/secrets', 'listSecrets', 'Secrets'],
    ['PUT /api/v1/secrets/{name}', 'setSecret', 'Secrets'],
    ['DELETE /api/v1/secrets/{name}', 'removeSecret', 'Secrets'],
    ['GET /api/v1/secret-links/{link}', 'getSecretLink', 'Secrets'],
    ['POST /api/v1/secret-links/{link}', 'useSecretLink', 'Secrets'],
    ['GET /api/v1/admin/status', 'getStatus', 'Admin'],
    ['POST /api/v1/admin/reload', 'reload', 'Admin'],
    ['POST /api/v1/admin/servers/{name}/restart', 'restartServer', 'Admin'],
    ['GET /api/v1/admin/servers', 'listServerOverviews', 'Admin'],
    ['GET /api/v1/admin/servers/{name}', 'getServerOverview', 'Admin'],
    ['GET /api/v1/admin/servers/{name}/logs', 'getServerLogs', 'Admin'],
    ['GET /api/v1/admin/findings', 'listFindings', 'Findings'],
    ['POST /api/v1/admin/servers/{name}/release', 'releaseItem', 'Findings'],
    ['GET /api/v1/admin/configuration', 'getConfiguration', 'Configuration'],
    ['POST /api/v1/admin/configuration/servers', 'addServer', 'Configuration'],
    ['GET /api/v1/admin/configuration/servers/{name}', 'getServerConfiguration', 'Configuration'],
    ['PUT /api/v1/admin/configuration/servers/{name}', 'replaceServer', 'Configuration'],
    ['DELETE /api/v1/admin/configuration/servers/{name}', 'removeServer', 'Configuration'],
    ['POST /api/v1/admin/configuration/groups', 'addGroup', 'Configuration'],
    ['GET /api/v1/admin/configuration/groups/{name}', 'getGroupConfiguration', 'Configuration'],
    ['PUT /api/v1/admin/configuration/groups/{name}', 'replaceGroup', 'Configuration'],
    ['DELETE /api/v1/admin/configuration/groups/{name}', 'removeGroup', 'Configuration'],
    ['GET /api/v1/admin/keys', 'listKeys', 'Keys'],
    ['POST /api/v1/admin/keys', 'createKey', 'Keys'],
    ['DELETE /api/v1/admin/keys/{id}', 'revokeKey', 'Keys'],
    ['GET /api/v1/admin/pins', 'listToolPolicies', 'Pins'],
    ['POST /api/v1/admin/servers/{name}/pin', 'pinTools', 'Pins'],
    ['DELETE /api/v1/admin/servers/{name}/pin', 'unpinTools', 'Pins'],
    ['GET /api/v1/admin/audit', 'listAuditEntries', 'Admin'],
    ['GET /healthz', 'healthz', 'Operations'],
    ['GET /readyz', 'readyz', 'Operations'],
    ['GET /metrics', 'metrics', 'Operations'],
    ['GET /openapi.json', 'openapi', 'Operations'],
    ['GET /schemas/{type}.json', 'getSchema', 'Operations'],
  ]);
});

test('the document is valid OpenAPI 3.1 with valid examples', async () => {
  const { body } = await api().get('/openapi.json');
  await SwaggerParser.validate(structuredClone(body), { dereference: { circular: false } });
  expect(JSON.stringify(body)).not.toMatch(/"nullable"|"\$id"|"x-[a-z-]+":/);
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(body, 'api');
  let tried = 0;
  for (const [name, { requestBody, responses }] of operationsOf(body)) {
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', 'default']));
    for (const { content } of [requestBody, ...Object.values(responses)].filter(
      (part) => part !== undefined,
    )) {
      for (const { schema, examples } of Object.values(content)) {
        const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')));
        for (const { value } of Object.values(examples)) {
          expect([name, value, validate(value) || validate.errors]).toEqual([name, value, true]);
          tried += 1;
        }
      }
    }
  }
  expect(tried).toBeGreaterThan(100);
});

test('the document is also available as valid OpenAPI 3.0, in JSON and YAML', async () => {
  const { headers, body } = await api().get('/openapi-3.0.json');
  expect([headers.get('Content-Type'), body.openapi]).toEqual(['application/openapi+json', '3.0.3']);
  await SwaggerParser.validate(structuredClone(body), { dereference: { circular: false } });
  const ids = (document: typeof body): string[] =>
    operationsOf(document).map(([, { operationId }]) => operationId);
  expect(ids(body)).toEqual(ids((await api().get('/openapi.json')).body));
  expect(parse((await api().get('/openapi-3.0.yaml')).text)).toEqual(body);
  expect((await locked().get('/openapi-3.0.yaml')).status).toBe(200);
});

test('schemas reject additional members and match the contract', async () => {
  const { schemas } = (await api().get('/openapi.json')).body.components;
  const shape = (name: string): unknown => [
    Object.keys(schemas[name].properties),
    schemas[name].required ?? [],
    schemas[name].additionalProperties,
  ];
  const expected: Record<string, [string[], string[]]> = {
    ErrorModel: [['$schema', 'type', 'title', 'status', 'detail', 'instance', 'errors'], []],
    ErrorDetail: [['message', 'location', 'value'], []],
    ServerHealth: [
      [
        '$schema',
        'name',
        'status',
        'lastChecked',
        'lastSuccessful',
        'latency',
        'signIn',
        'listsReadAt',
        'warnings',
        'changedTools',
        'changedItems',
        'findings',
      ],
      ['name', 'status'],
    ],
    ServersHealthResponseBody: [['$schema', 'servers', 'warnings'], ['servers']],
    Tool: [
      ['name', 'description', 'title', 'inputSchema', 'outputSchema', 'annotations', '_meta'],
      ['name', 'description'],
    ],
    ToolAnnotations: [['title', 'destructiveHint', 'idempotentHint', 'openWorldHint', 'readOnlyHint'], []],
    JSONSchema: [['type', 'properties', 'required'], ['type']],
    ToolsResponseBodyTool: [['$schema', 'tools'], ['tools']],
    Prompt: [['name', 'description', 'arguments', '_meta'], ['name']],
    PromptArgument: [['name', 'description', 'required'], ['name']],
    Prompts: [['$schema', 'prompts', 'nextCursor'], ['prompts']],
    PromptGenerateArguments: [['$schema', 'arguments'], []],
    GeneratePromptResponseBody: [['$schema', 'description', 'messages'], ['messages']],
    PromptMessage: [
      ['role', 'content'],
      ['role', 'content'],
    ],
    Resource: [
      ['uri', 'name', 'description', 'mimeType', '_meta'],
      ['uri', 'name'],
    ],
    Resources: [['$schema', 'resources', 'nextCursor'], ['resources']],
    ResourceContent: [['uri', 'mimeType', 'text', 'blob', '_meta'], ['uri']],
    ResourceTemplate: [
      ['uriTemplate', 'name', 'description', 'mimeType', '_meta'],
      ['uriTemplate', 'name'],
    ],
    ResourceTemplates: [['$schema', 'templates', 'nextCursor'], ['templates']],
  };
  for (const [name, [properties, required]] of Object.entries(expected)) {
    expect([name, shape(name)]).toEqual([name, [properties, required, false]]);
  }
});

test('every schema is available separately, without external references', async () => {
  const { schemas } = (await api().get('/openapi.json')).body.components;
  expect(Object.keys(schemas).length).toBeGreaterThan(25);
  for (const name of Object.keys(schemas)) {
    const { status, headers, body, text } = await api().get(`/schemas/${name}.json`);
    expect([name, status, headers.get('Content-Type')]).toEqual([name, 200, 'application/schema+json']);
    expect(text).not.toContain('#/components');
    expect(() => new Ajv2020({ strict: false, validateFormats: false }).compile(body)).not.toThrow();
  }
  for (const path of ['Nothing.json', 'Tool', 'Tool.yaml', 'toString.json', '__proto__.json']) {
    const { status, body } = await api().get(`/schemas/${path}`);
    expect([status, body.detail]).toEqual([404, expect.stringMatching(/^Unknown schema: .*\bTool\b/)]);
  }
});

test('the documentation page is self-contained and works offline', async () => {
  const { status, headers, text } = await api().get('/docs');
  expect([status, headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(text).not.toContain('Try the model');
  const linked = [...text.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, path = '']) => path);
  expect(linked.length).toBeGreaterThan(4);
  for (const path of [
    ...linked,
    ...['targets/manager/http/pages', 'serve/http/docs-page']
      .flatMap((room) => pageFilesOf(room).names())
      .filter((file) => file !== 'docs.html' && file !== 'index.html')
      .map((file) => `assets/${file}`),
  ]) {
    expect(path).not.toMatch(/^\/|:/);
    expect([path, (await api().get(`/${path}`, { Accept: 'text/html' })).status]).toEqual([path, 200]);
  }
  expect((await api().get('/docs/')).headers.get('Location')).toBe('../docs');
});

test('if there are keys, the document marks the routes that require one', async () => {
  const { body } = await locked().get('/openapi.json');
  expect(body.components.securitySchemes).toEqual({ apiKey: { type: 'http', scheme: 'bearer' } });
  const open = operationsOf(body).flatMap(([name, { security }]) => (security ? [name] : []));
  expect(open).toEqual(['GET /healthz', 'GET /readyz', 'GET /openapi.json', 'GET /schemas/{type}.json']);
});
