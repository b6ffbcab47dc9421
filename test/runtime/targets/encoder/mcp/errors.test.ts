import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { CallToolResultSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError, type ErrorCode } from '#contract/errors.ts';
import { MCP_CODE } from '#serve/errors/mcp-code.ts';
import type { EncoderContext } from '#encoder/context.ts';
import { contextOf, openServing } from './serving-context.ts';
import { RESULT, stubEngine } from './stub-engine.ts';
import { connect, type Served, WIRES } from './wires.ts';
import { builtAssets } from '#test/helpers/built.ts';

const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

describe.each(['stdio', 'http'] as const)('over %s', (wire) => {
  let context: EncoderContext;
  let served: Served;
  let client: Client;
  beforeAll(async () => {
    context = await openServing(builtAssets('embedder'), { maxClientBatch: 10, maxInputChars: 100 });
    served = await WIRES[wire](context);
    client = await connect(served);
  });
  afterAll(async () => {
    await client.close();
    await served.close();
    await context.engine.close();
  });

  const run = (args: unknown, name = 'run_encoder'): Promise<unknown> =>
    client.callTool({ name, arguments: args as Record<string, unknown> });

  test.each([
    ['no text', { inputs: [] }],
    ['an empty text', { inputs: [''] }],
    ['an empty text among others', { inputs: ['fine', '', 'fine'] }],
    ['an empty text in a pair', { inputs: [['fine', '']] }],
  ])('%s returns an invalid input error', async (_name, args) => {
    expect(await failure(run({ ...args, normalize: true }))).toEqual({
      code: INVALID_REQUEST,
      message: 'Cannot tokenize empty string',
    });
  });

  test('exceeded limits return an invalid input error', async () => {
    const tooMany = await failure(run({ inputs: Array(11).fill('x'), normalize: true }));
    expect(tooMany.code).toBe(INVALID_REQUEST);
    expect(tooMany.message).toMatch(/^Too many inputs: the request has 11, but the maximum is 10/);
    const tooLong = await failure(run({ inputs: ['x'.repeat(101)], normalize: true }));
    expect(tooLong.code).toBe(INVALID_REQUEST);
    expect(tooLong.message).toMatch(/^Input 0 is too long: it has 101 characters, but the maximum is 100/);
  });

  test.each([
    ['no arguments', undefined, /inputs is missing/],
    ['no inputs', { normalize: true }, /^inputs is missing$/],
    ['no normalize', { inputs: ['x'] }, /^normalize is missing$/],
    [
      'a text instead of a list',
      { inputs: 'x', normalize: true },
      /^inputs must be a list of texts, not "x"$/,
    ],
    [
      'a number instead of a text',
      { inputs: ['x', 1], normalize: true },
      /^inputs\/1 must be text or a pair of texts, not 1$/,
    ],
    [
      'a string as normalize',
      { inputs: ['x'], normalize: 'yes' },
      /^normalize must be true or false, not "yes"$/,
    ],
    [
      'a misspelled key',
      { inputs: ['x'], normalise: true, normalize: true },
      /"normalise".*did you mean normalize\?/,
    ],
    [
      'a number in metadata',
      { inputs: ['x'], normalize: true, metadata: { a: 1 } },
      /metadata\/a must be text/,
    ],
    ['a list as arguments', ['x'], /^arguments must be an object\.$/],
    ['a text as arguments', 'x', /^arguments must be an object\.$/],
  ])('a call with %s returns an invalid input error', async (_name, args, message) => {
    const { code, message: told } = await failure(run(args));
    expect(told).toMatch(message);
    expect(code).toBe(INVALID_REQUEST);
  });

  test('an unknown tool and an unknown method are rejected', async () => {
    expect(await failure(run({}, 'walk_encoder'))).toEqual({
      code: INVALID_PARAMS,
      message: 'Unknown tool: "walk_encoder". The only tool is run_encoder.',
    });
    const raw = (method: string, params: object): Promise<unknown> =>
      client.request({ method, params } as never, { parse: (value: unknown) => value } as never);
    expect(await failure(raw('tools/call', {}))).toMatchObject({ code: INVALID_PARAMS });
    expect(await failure(raw('resources/list', {}))).toEqual({
      code: METHOD_NOT_FOUND,
      message: 'Method not found: resources/list',
    });
    expect((await client.ping()) as unknown).toEqual({});
  });

  test('a call that requests a task gets an immediate response', async () => {
    const params = { name: 'run_encoder', arguments: { inputs: ['x'], normalize: true }, task: { ttl: 1 } };
    const answer = await client.request({ method: 'tools/call', params }, CallToolResultSchema);
    expect(answer.structuredContent).toMatchObject({ model_id: 'embedder' });
  });
});

describe('engine errors', () => {
  const asTold = async (reason: unknown): Promise<{ code: number; message: string }> => {
    const context = contextOf(stubEngine(() => Promise.reject(reason)));
    const served = await WIRES.stdio(context);
    const client = await connect(served);
    const error = await failure(client.callTool({ name: 'run_encoder', arguments: { inputs: ['x'] } }));
    await client.close();
    await served.close();
    return error;
  };

  test.each(Object.entries(MCP_CODE))('%s has the code %s and its bare message', async (code, expected) => {
    const message = `what ${code} says`;
    expect(await asTold(new AppError(code as ErrorCode, message))).toEqual({ code: expected, message });
  });

  test('an unexpected error is returned as an internal error', async () => {
    expect(await asTold(new TypeError('x is not a function'))).toEqual({
      code: INTERNAL_ERROR,
      message: 'x is not a function',
    });
  });

  test('a server that is shutting down accepts no calls, but still lists its tools', async () => {
    const context = contextOf(stubEngine(() => Promise.resolve([RESULT])));
    const served = await WIRES.stdio(context);
    const client = await connect(served);
    const call = (): Promise<unknown> =>
      client.callTool({ name: 'run_encoder', arguments: { inputs: ['x'] } });
    expect(await call()).toMatchObject({ structuredContent: { model_id: 'stub' } });
    await context.kernel.lifecycle.drain();
    expect(await failure(call())).toEqual({ code: INTERNAL_ERROR, message: 'The server is shutting down.' });
    expect((await client.listTools()).tools).toHaveLength(1);
    await client.close();
    await served.close();
  });
});

/** The error as sent on the wire: the SDK's client adds the code to the message. */
async function failure(call: Promise<unknown>): Promise<{ code: number; message: string }> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof McpError)) throw new Error('did not fail as expected', { cause: error });
  return { code: error.code, message: error.message.replace(`MCP error ${error.code}: `, '') };
}
