import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { ANYONE } from '#manager/access/caller.ts';
import { createToolSearch } from '#manager/calls/search.ts';
import type { McpToolCall } from '#manager/calls/call.ts';
import type { ServerSpec } from '#manager/config/spec.ts';
import { SCRIPT_DEFAULTS } from '#manager/scripts/limits.ts';
import { createScripts } from '#manager/scripts/scripts.ts';
import { recordedAudit } from '../recorded-audit.ts';
import { apiSpec, type RecordingServer, startRecording } from '../upstream/api/recording-server.ts';
import { writeDocument } from '../upstream/api/write-document.ts';
import { callOf, type TestManager, type TestManagerOptions, useManager } from '../use-manager.ts';

const start = useManager();

const NOTES = {
  paths: {
    '/notes': {
      get: { operationId: 'notes/list', summary: 'List all notes', responses: {} },
      post: {
        operationId: 'notes/create',
        summary: 'Create a note',
        requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
        responses: {},
      },
    },
    '/notes/{id}': { delete: { operationId: 'notes/delete', summary: 'Delete a note', responses: {} } },
  },
};

/** A manager with an API as its server. */
async function managing(
  changes: Partial<ServerSpec> = {},
  options: TestManagerOptions = {},
): Promise<{ readonly manager: TestManager; readonly api: RecordingServer }> {
  const api = await startRecording();
  const spec = apiSpec(
    { document: writeDocument(NOTES), baseUrl: api.origin },
    { passHeaders: ['x-tenant'], headers: { 'X-Configured': 'yes' } },
  );
  return { manager: start([{ ...spec, name: 'notes', ...changes }], options), api };
}

const call = ({ calls }: TestManager, tool: string, more: Partial<McpToolCall> = {}) =>
  calls.callTool({ ...callOf('notes'), tool, args: {}, ...more });
const listed = async ({ calls }: TestManager): Promise<string[]> =>
  (await calls.listTools(callOf('notes'))).map(({ name }) => name);

test('filters, overrides and `read_only` apply to the operations of an API', async () => {
  const { manager } = await managing({ tools: { allow: ['notes_*'], deny: ['notes_delete'] } });
  expect(await listed(manager)).toEqual(['notes_list', 'notes_create']);
  await expect(call(manager, 'notes_delete', { args: { id: '1' } })).rejects.toThrow('tool not allowed');
  const { manager: readOnly, api } = await managing({ readOnly: true });
  expect(await listed(readOnly)).toEqual(['notes_list']);
  await expect(call(readOnly, 'notes_create')).rejects.toThrow('tool not allowed');
  expect(api.requests).toEqual([]);
  const renamed = await managing({
    toolOverrides: { notes_list: { rename: 'all', annotations: {}, hidden: false } },
  });
  expect(await listed(renamed.manager)).toContain('all');
  await call(renamed.manager, 'all');
  expect(renamed.api.requests[0]?.url).toBe('/notes');
});

test('approvals and permissions of keys apply to the operations of an API', async () => {
  const { manager, api } = await managing({
    approvals: [{ tools: ['*'], when: 'destructive', action: 'deny' }],
  });
  await expect(call(manager, 'notes_delete', { args: { id: '1' } })).rejects.toThrow('denied');
  await call(manager, 'notes_list');
  const caller = {
    ...ANYONE,
    canUse: (_: string, tool?: string) => tool === undefined || tool === 'notes_create',
  };
  await expect(call(manager, 'notes_list', { caller })).rejects.toThrow('tool not allowed');
  expect(api.requests).toHaveLength(1);
});

test('calls of an API are audited, and get the headers that the configuration passes on', async () => {
  const { audit, entries } = recordedAudit();
  const { manager, api } = await managing({}, { audit });
  await call(manager, 'notes_create', {
    args: { body: { text: 'x' } },
    headers: new Headers({ 'x-tenant': 'acme', 'x-other': 'no' }),
  });
  expect(entries).toMatchObject([
    { server: 'notes', tool: 'notes_create', args: { body: { text: 'x' } }, outcome: 'ok' },
  ]);
  expect(api.requests[0]).toMatchObject({
    method: 'POST',
    headers: { 'x-tenant': 'acme', 'x-configured': 'yes' },
  });
  expect(api.requests[0]?.headers).not.toHaveProperty('x-other');
});

test('searches find the operations of an API', async () => {
  const { manager } = await managing();
  const search = createToolSearch(manager.calls);
  const found = await search.search(ANYONE, 'delete a note', 1, {
    requestId: 'test',
    onFailure: () => undefined,
  });
  expect(JSON.stringify(found)).toContain('notes_delete');
});

test('scripts of code mode call the operations of an API', async () => {
  const { manager, api } = await managing();
  await manager.phase('notes', 'running');
  const { calls, kernel } = manager;
  const scripts = createScripts({
    calls,
    clock: systemClock,
    metrics: kernel.metrics,
    settings: SCRIPT_DEFAULTS,
    audit: undefined,
  });
  onTestFinished(() => scripts.close());
  const { signal } = new AbortController();
  const source = 'tools.notes.notes_create{ body = { text = "x" } } return "created"';
  const { result } = await scripts.run({ caller: ANYONE, requestId: 'test', signal }, source);
  expect(result.content).toEqual([{ type: 'text', text: 'created' }]);
  expect(api.requests[0]?.body.toString()).toBe('{"text":"x"}');
});

test('a lazy API starts with the first call', async () => {
  const { manager, api } = await managing({ lazy: true, idleMs: 60_000 });
  expect(manager.server('notes').status().phase).toBe('idle');
  await call(manager, 'notes_list');
  expect(manager.server('notes').status()).toMatchObject({ phase: 'running', server: 'Test 1' });
  expect(api.requests).toHaveLength(1);
});

test('an API whose document is missing reports why', async () => {
  const spec = apiSpec({ document: '/nonexistent/openapi.json' });
  const manager = start([{ ...spec, name: 'notes' }]);
  expect(await manager.logged('notes', /does not exist/)).toContain(
    'The OpenAPI document /nonexistent/openapi.json does not exist',
  );
});
