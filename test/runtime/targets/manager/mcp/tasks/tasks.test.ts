import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  CallToolResultSchema,
  CreateTaskResultSchema,
  ElicitRequestSchema,
  TaskStatusNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bearer, keyOf } from '../../access/key-of.ts';
import { recordedAudit } from '../../recorded-audit.ts';
import { serverSpec } from '../../server-spec.ts';
import { type Managed, openManager } from '../managed.ts';
import { sendStateless } from '../stateless-request.ts';

const { audit, entries } = recordedAudit();
const RELATED = 'io.modelcontextprotocol/related-task';

let managed: Managed;
beforeAll(async () => {
  managed = await openManager({
    audit,
    keys: [
      keyOf('ada'),
      keyOf('bob'),
      keyOf('narrow', { tools: ['old/plain'] }),
      keyOf('many'),
      keyOf('lister'),
    ],
    groups: [{ name: 'team', servers: ['old'], tools: [], prompts: [], resources: [] }],
    servers: [
      serverSpec('old', 'tasks', { env: { NOTIFY: '1' } }),
      serverSpec('new', 'tasks', { env: { MODERN: '1' } }),
      serverSpec('without', 'tasks', { extensions: [] }),
      serverSpec('echo', 'echo'),
    ],
  });
  await Promise.all(['old', 'new', 'without', 'echo'].map((name) => managed.running(name)));
});
afterAll(() => managed.close());

const as = (key: string): Record<string, string> => ({ authorization: bearer(key) });
const connect = (key: string, path = '/mcp', capabilities = {}): Promise<Client> =>
  managed.connect(path, as(key), capabilities);

const call = (
  client: Client,
  name: string,
  args: object = {},
): Promise<{ task: { taskId: string; status: string } }> =>
  client.request(
    { method: 'tools/call', params: { name, arguments: { ...args }, task: { ttl: 60_000 } } },
    CreateTaskResultSchema,
  );

/** Lines of the server's log, which contains the IDs that it is asked for. */
const logOf = (server: string): string =>
  managed
    .server(server)
    .logs.last(1000)
    .map(({ text }) => text)
    .join('\n');

describe('tasks that clients request', () => {
  test('are created, polled and read with the client of the SDK', async () => {
    const client = await connect('ada');
    await client.listTools();
    const seen: string[] = [];
    let result: unknown;
    let taskId: string | undefined;
    const stream = client.experimental.tasks.callToolStream(
      { name: 'old__work', arguments: { key: 'sdk' } },
      CallToolResultSchema,
      { task: { ttl: 60_000 } },
    );
    for await (const message of stream) {
      seen.push(message.type);
      if (message.type === 'taskCreated') {
        taskId = message.task.taskId;
        await client.callTool({ name: 'old__finish', arguments: { key: 'sdk' } });
      }
      if (message.type === 'result') ({ result } = message);
    }
    expect(seen).toEqual(expect.arrayContaining(['taskCreated', 'result']));
    expect(taskId).toMatch(/^[\w-]{24}$/);
    expect(result).toMatchObject({
      content: [{ type: 'text', text: 'done sdk' }],
      structuredContent: { key: 'sdk' },
      _meta: { [RELATED]: { taskId } },
    });
  });

  test('are only visible to the user who created them, on the same path', async () => {
    const ada = await connect('ada');
    const { task } = await call(ada, 'old__work', { key: 'private' });
    expect(task).toMatchObject({ status: 'working', ttl: 60_000 });
    const before = logOf('old');
    const others = [
      await connect('bob'),
      await connect('ada', '/mcp/old'),
      await connect('ada', '/groups/team/mcp'),
      await connect('narrow'),
    ];
    for (const other of others) {
      const { tasks } = other.experimental;
      for (const use of [
        () => tasks.getTask(task.taskId),
        () => tasks.getTaskResult(task.taskId, CallToolResultSchema),
        () => tasks.cancelTask(task.taskId),
      ]) {
        await expect(use()).rejects.toMatchObject({
          code: -32_602,
          message: expect.stringContaining('Task not found') as string,
        });
      }
      expect((await tasks.listTasks()).tasks).toEqual([]);
    }
    // Clients cannot use the IDs of the server.
    await expect(others[0]?.experimental.tasks.getTask('task-1')).rejects.toMatchObject({ code: -32_602 });
    expect(logOf('old')).toBe(before);
    // Another session of the same user can continue.
    const again = await connect('ada');
    expect(await again.experimental.tasks.getTask(task.taskId)).toMatchObject({ status: 'working' });
    const listed = (await again.experimental.tasks.listTasks()).tasks.map(({ taskId }) => taskId);
    expect(listed).toContain(task.taskId);
  });

  test('are canceled, and their state is sent to the session that created them', async () => {
    const [ada, other] = await Promise.all([connect('ada'), connect('ada')]);
    const { task } = await call(ada, 'old__work', { key: 'canceled' });
    const told = Promise.withResolvers<unknown>();
    ada.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => told.resolve(params));
    other.setNotificationHandler(TaskStatusNotificationSchema, () =>
      told.reject(new Error('sent to another session')),
    );
    expect(await ada.experimental.tasks.cancelTask(task.taskId)).toMatchObject({
      taskId: task.taskId,
      status: 'cancelled',
    });
    expect(await told.promise).toMatchObject({ taskId: task.taskId, status: 'cancelled' });
    await expect(ada.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema)).rejects.toThrow(
      'The task was cancelled',
    );
  });

  test('that require input ask their own client, which knows them by its ID', async () => {
    const client = await connect('ada', '/mcp', { elicitation: {} });
    const asked: unknown[] = [];
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params._meta?.[RELATED]);
      return { action: 'accept', content: { key: 'chosen' } };
    });
    const { task } = await call(client, 'old__ask');
    expect(task.status).toBe('input_required');
    const result = await client.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema);
    expect(result).toMatchObject({ structuredContent: { key: 'chosen' } });
    expect(asked).toEqual([{ taskId: task.taskId }]);
  });

  test('are only requested from servers that support them', async () => {
    const client = await connect('ada');
    const plain = await client.request(
      { method: 'tools/call', params: { name: 'echo__echo', arguments: { message: 'hello' }, task: {} } },
      CallToolResultSchema,
    );
    expect(plain.content).toEqual([{ type: 'text', text: 'hello' }]);
    const refused = await client.request(
      { method: 'tools/call', params: { name: 'without__work', arguments: {}, task: {} } },
      CallToolResultSchema,
    );
    expect(refused.content).toEqual([{ type: 'text', text: 'work without a task' }]);
    const alone = await Promise.all(['old', 'without', 'new'].map((name) => connect('ada', `/mcp/${name}`)));
    expect(alone.map((one) => one.getServerCapabilities()?.tasks !== undefined)).toEqual([
      true,
      false,
      false,
    ]);
    expect(client.getServerCapabilities()?.tasks).toEqual({
      list: {},
      cancel: {},
      requests: { tools: { call: {} } },
    });
  });

  test('count toward a limit, and their requests are in the audit log', async () => {
    const client = await connect('many');
    const { task } = await call(client, 'old__work', { key: 'limit' });
    await Promise.all(Array.from({ length: 99 }, () => call(client, 'old__work', { key: 'limit' })));
    await expect(call(client, 'old__work')).rejects.toThrow(
      'too many tasks: the limit is 100 unfinished tasks',
    );
    await client.experimental.tasks.cancelTask(task.taskId);
    await call(client, 'old__work', { key: 'limit' });
    const own = entries.filter(({ call: { caller } }) => caller.name === 'many');
    expect(own.filter(({ kind }) => kind === 'tool')).toHaveLength(101);
    expect(own.filter(({ kind }) => kind === 'task')).toMatchObject([
      { name: 'tasks/cancel', tool: 'work', server: 'old', outcome: 'ok' },
    ]);
  });

  test('are lost with their server, which then reports that it does not know them', async () => {
    const client = await connect('lister');
    const { task } = await call(client, 'old__work', { key: 'lost' });
    await managed.server('old').restart();
    await managed.running('old');
    await expect(client.experimental.tasks.getTask(task.taskId)).rejects.toThrow('not found');
    expect((await client.experimental.tasks.listTasks()).tasks).toEqual([]);
  });
});

const EXTENSION = 'io.modelcontextprotocol/tasks';
const DECLARED = {
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, extensions: { [EXTENSION]: {} } },
};

interface Answer {
  readonly result: Record<string, unknown> & { readonly taskId: string };
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}

async function send(key: string, method: string, params: object, meta: object = DECLARED): Promise<Answer> {
  const answer = await sendStateless(managed.origin, method, {
    params: { ...params },
    meta: { ...meta },
    headers: as(key),
  });
  return (await answer.json()) as Answer;
}

describe('tasks that servers decide on', () => {
  test('are created, polled and answered', async () => {
    const { result: created } = await send('ada', 'tools/call', {
      name: 'new__work',
      arguments: { key: 'one' },
    });
    expect(created).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 60_000 });
    const { taskId } = created;
    expect(taskId).toMatch(/^[\w-]{24}$/);
    expect((await send('ada', 'tasks/get', { taskId })).result).toMatchObject({
      resultType: 'complete',
      taskId,
      status: 'working',
    });
    await send('ada', 'tools/call', { name: 'new__finish', arguments: { key: 'one' } });
    expect((await send('ada', 'tasks/get', { taskId })).result).toMatchObject({
      status: 'completed',
      result: { structuredContent: { key: 'one' } },
    });

    const { result: asked } = await send('ada', 'tools/call', { name: 'new__ask', arguments: {} });
    expect((await send('ada', 'tasks/get', { taskId: asked.taskId })).result).toMatchObject({
      status: 'input_required',
      inputRequests: { one: { method: 'elicitation/create' } },
    });
    const inputResponses = { one: { action: 'accept', content: { key: 'two' } } };
    expect(
      (await send('ada', 'tasks/update', { taskId: asked.taskId, inputResponses })).result,
    ).toMatchObject({
      resultType: 'complete',
    });
    expect((await send('ada', 'tasks/get', { taskId: asked.taskId })).result).toMatchObject({
      result: { structuredContent: { key: 'two' } },
    });

    const { result: canceled } = await send('ada', 'tools/call', { name: 'new__work', arguments: {} });
    expect((await send('ada', 'tasks/cancel', { taskId: canceled.taskId })).error).toBeUndefined();
    expect((await send('ada', 'tasks/get', { taskId: canceled.taskId })).result).toMatchObject({
      status: 'cancelled',
    });
  });

  test('are only visible to the user who created them', async () => {
    const { result } = await send('ada', 'tools/call', { name: 'new__work', arguments: {} });
    const before = logOf('new');
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      const { error } = await send('bob', method, { taskId: result.taskId, inputResponses: {} });
      expect(error).toMatchObject({
        code: -32_602,
        message: expect.stringContaining('Task not found') as string,
      });
    }
    expect(logOf('new')).toBe(before);
  });

  test('are only offered for clients that declare them', async () => {
    const none = { 'io.modelcontextprotocol/clientCapabilities': {} };
    const { result } = await send('ada', 'tools/call', { name: 'new__work', arguments: {} }, none);
    expect(result).toMatchObject({ content: [{ text: 'work without a task' }] });
    const { error } = await send('ada', 'tasks/get', { taskId: 'x' }, none);
    expect(error).toMatchObject({
      code: -32_021,
      data: { requiredCapabilities: { extensions: { [EXTENSION]: {} } } },
    });
    const session = await connect('ada');
    const plain = await session.callTool({ name: 'new__work', arguments: {} });
    expect(plain.content).toEqual([{ type: 'text', text: 'work without a task' }]);
    // The HTTP API has no tasks.
    const response = await fetch(`${managed.origin}/api/v1/servers/new/tools/work`, {
      method: 'POST',
      headers: { ...as('ada'), 'content-type': 'application/json' },
      body: '{}',
    });
    expect(await response.json()).toBe('work without a task');
  });

  test('have other methods and another capability than tasks of sessions', async () => {
    for (const method of ['tasks/list', 'tasks/result']) {
      expect((await send('ada', method, { taskId: 'x' })).error).toMatchObject({ code: -32_601 });
    }
    const { result } = await send('ada', 'server/discover', {});
    expect(result).toMatchObject({ capabilities: { extensions: { [EXTENSION]: {} } } });
    expect(result['capabilities']).not.toHaveProperty('tasks');
  });
});
