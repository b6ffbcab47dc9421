import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parse } from 'smol-toml';
import { expect } from 'vitest';
import { startRecording } from '../../runtime/targets/manager/upstream/api/recording-server.ts';
import { verifiesOnce } from '../verifies.ts';
import { useCommandFolder } from './command-folder.ts';
import { useDaemons } from './daemon-process.ts';
import { verifiesCommand } from './verifies.ts';

const folderOf = useCommandFolder();
const { start } = useDaemons();

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Notes', version: '2' },
  servers: [{ url: '/v1' }],
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
  security: [{ key: [] }],
  paths: {
    '/notes': {
      get: { operationId: 'notes/list', summary: 'List notes', responses: {} },
      post: { operationId: 'notes/create', responses: {} },
    },
    '/broken': { get: { operationId: 'broken', parameters: [{ in: 'query' }], responses: {} } },
  },
};

const startApi = () =>
  startRecording(({ url }, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(url === '/openapi.json' ? DOCUMENT : [{ id: 1 }]));
  });

verifiesCommand('mcli:add:openapi', async (arm) => {
  const { run, read, path } = folderOf(arm);
  const { origin } = await startApi();
  await run('init');
  const url = `${origin}/openapi.json`;
  const added = await run('add', 'notes', '--openapi', url, '--tool', '*', '--exclude', 'POST *');
  expect(added).toMatchObject({ exitCode: 0, stdout: '' });
  expect(added.stderr).toContain(`1 operation is a tool. Calls go to ${origin}/v1.\n`);
  expect(added.stderr).toContain('Not a tool: GET /broken: a parameter has no name.\n');
  expect(added.stderr).toContain('Run `mcp-manager config credentials set notes key=<value>`.\n');
  expect(await run('config', 'credentials', 'set', 'notes', 'key=secret')).toMatchObject({ exitCode: 0 });
  expect(parse(read('.mcpd.toml'))['servers']).toEqual([
    { name: 'notes', openapi: url, tools: ['*'], api: { exclude: ['POST *'] } },
  ]);
  mkdirSync(dirname(path('docs/api.json')), { recursive: true });
  writeFileSync(path('docs/api.json'), JSON.stringify(DOCUMENT));
  const refused = await run('add', 'file', '--openapi', path('docs/api.json'), '--tool', '*');
  expect(refused).toMatchObject({ exitCode: 2 });
  expect(refused.stderr).toContain('is not an absolute URL');
});

verifiesOnce('daemon:openapi', async () => {
  const { origin, requests } = await startApi();
  const config = `[[servers]]
name = "notes"
openapi = "${origin}/openapi.json"
tools = ["*"]
read_only = true
[servers.api]
credentials = { key = "secret-key-1" }
`;
  const api = await start({ config });
  const tools = JSON.parse((await api.get('/api/v1/servers/notes/tools?detail=summary')).text) as {
    readonly tools: readonly { readonly name: string }[];
  };
  expect(tools.tools.map(({ name }) => name)).toEqual(['notes_list']);
  expect((await api.post('/api/v1/servers/notes/tools/notes_list', {})).body).toBe('[{"id":1}]');
  expect((await api.post('/api/v1/servers/notes/tools/notes_create', {})).status).toBe(403);
  expect(requests.map(({ url, headers }) => [url, headers['x-key']])).toEqual([
    ['/openapi.json', undefined],
    ['/v1/notes', 'secret-key-1'],
  ]);
  const health = (await api.get('/api/v1/health/servers/notes')).text;
  expect(health).toContain('GET /broken is not a tool: a parameter has no name');
});
