import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { describedAnswers, type DescribedAnswers } from '#test/helpers/described-answers.ts';
import { answersOf, GOOD, text } from '../malformed-responses.ts';
import { serverSpec } from '../server-spec.ts';
import type { Answer } from './open-api.ts';
import { useApi } from './use-api.ts';

const api = useApi(() => ({ servers: [serverSpec('malformed', 'malformed')] }));

let described: DescribedAnswers;
let client: Client;
let one: Client;
beforeAll(async () => {
  described = describedAnswers((await api().get('/openapi.json')).body);
  client = await api().managed.connect();
  one = await api().managed.connect('/mcp/malformed');
});

const SERVER = '/api/v1/servers/malformed';
type Ask = (answer: unknown) => Promise<unknown>;

/** Problems of a response over HTTP: it must be a success or the server's fault, as documented. */
function disorderOf(method: string, path: string, answer: Answer): string | undefined {
  if (answer.status !== 200 && answer.status !== 502) return `status ${answer.status}: ${answer.text}`;
  if (answer.status === 502 && !(answer.body.errors?.[0]?.message?.length > 20))
    return `no reason: ${answer.text}`;
  try {
    described.expectDescribed(method, path, answer);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** The outcome over MCP, with a client that validates responses. */
async function overMcp(ask: Ask, answer: unknown): Promise<{ failure?: McpError; disorder?: string }> {
  try {
    await ask(answer);
    return {};
  } catch (error) {
    if (!(error instanceof McpError)) return { disorder: `the client rejects the answer: ${String(error)}` };
    return Number.isSafeInteger(error.code) && error.message.length > 20
      ? { failure: error }
      : { disorder: `no reason: ${String(error)}` };
  }
}

interface HttpRoute {
  readonly method: string;
  readonly path: string;
  readonly ask: (answer: unknown) => Promise<Answer>;
}

interface Route {
  readonly good: object;
  readonly http?: HttpRoute;
  readonly mcp: readonly Ask[];
}

const asUri = (answer: unknown): string => `answer:${JSON.stringify(answer)}`;
const post = (
  path: string,
  body: (answer: unknown) => unknown,
  headers: Record<string, string> = {},
): HttpRoute => ({
  method: 'POST',
  path,
  ask: (answer) => api().post(path, body(answer), headers),
});

const ROUTES: Record<string, Route> = {
  'tools/call': {
    good: GOOD.tool,
    http: post(`${SERVER}/tools/answer`, (answer) => ({ answer })),
    mcp: [
      (answer) => client.callTool({ name: 'malformed__answer', arguments: { answer } }),
      (answer) => one.callTool({ name: 'answer', arguments: { answer } }),
    ],
  },
  'tools/call with the whole result': {
    good: GOOD.tool,
    http: post(`${SERVER}/tools/answer`, (answer) => ({ answer }), {
      Accept: 'application/vnd.mcp.tool-result+json',
    }),
    mcp: [],
  },
  'prompts/get': {
    good: GOOD.prompt,
    http: post(`${SERVER}/prompts/answer`, (answer) => ({ arguments: { answer: JSON.stringify(answer) } })),
    mcp: [
      (answer) =>
        client.getPrompt({ name: 'malformed__answer', arguments: { answer: JSON.stringify(answer) } }),
    ],
  },
  'resources/read': {
    good: GOOD.resource,
    http: {
      method: 'GET',
      path: `${SERVER}/resources/content`,
      ask: (answer) => api().get(`${SERVER}/resources/content?uri=${encodeURIComponent(asUri(answer))}`),
    },
    mcp: [(answer) => client.readResource({ uri: asUri(answer) })],
  },
  'completion/complete': {
    good: GOOD.completion,
    mcp: [
      (answer) =>
        client.complete({
          ref: { type: 'ref/prompt', name: 'malformed__answer' },
          argument: { name: 'answer', value: JSON.stringify(answer) },
        }),
    ],
  },
};

describe.each(Object.keys(ROUTES))('%s', (name) => {
  const { good, http, mcp } = ROUTES[name] as Route;

  test('a valid response is passed on', async () => {
    const answer = { result: good };
    expect((await http?.ask(answer))?.status ?? 200).toBe(200);
    for (const ask of mcp) expect(await overMcp(ask, answer)).toEqual({});
  });

  test("a malformed response is repaired or reported as the server's fault, in the same way on every protocol", async () => {
    const disorders: unknown[] = [];
    for (const answer of answersOf(good)) {
      const heard = http && (await http.ask(answer));
      const disorder = http && heard && disorderOf(http.method, http.path, heard);
      if (disorder !== undefined) disorders.push({ answer: JSON.stringify(answer), disorder });
      for (const ask of mcp) {
        const { failure, disorder: over } = await overMcp(ask, answer);
        if (over !== undefined) disorders.push({ answer: JSON.stringify(answer), disorder: over });
        // A failure inside a tool is a result over MCP.
        else if (
          heard &&
          !heard.text.includes('tool call failed') &&
          (heard.status === 502) !== (failure !== undefined)
        ) {
          disorders.push({ answer: JSON.stringify(answer), http: heard.text, mcp: failure?.message });
        }
      }
    }
    expect({ count: disorders.length, first: disorders.slice(0, 3) }).toEqual({ count: 0, first: [] });
  });
});

test('a deeply nested response is rejected, and the manager continues', async () => {
  const reason = 'malformed result: it is nested deeper than 500 levels';
  for (const deep of [1000, 100_000]) {
    const { status, body } = await api().post(`${SERVER}/tools/answer`, { answer: { deep } });
    expect([status, body.errors]).toEqual([
      502,
      [expect.objectContaining({ message: `tool call failed: malformed/answer: ${reason}` })],
    ]);
    await expect(
      client.callTool({ name: 'malformed__answer', arguments: { answer: { deep } } }),
    ).rejects.toThrow(reason);
  }
});

test('the error contains the position, the value and the rule, over both HTTP and MCP', async () => {
  const answer = { result: { content: [text, { type: 'text', text: null }] } };
  const reason = 'malformed result: `content[1].text` is null; it must be a string';
  const { status, body } = await api().post(`${SERVER}/tools/answer`, { answer });
  expect([status, body.errors[0].message]).toEqual([502, `tool call failed: malformed/answer: ${reason}`]);
  await expect(client.callTool({ name: 'malformed__answer', arguments: { answer } })).rejects.toThrow(reason);
});

test('structured content alone is a valid response', async () => {
  const answer = { result: { structuredContent: { city: 'Oslo' } } };
  const { status, body } = await api().post(`${SERVER}/tools/answer`, { answer });
  expect([status, body]).toEqual([200, '{"city":"Oslo"}']);
  expect(await client.callTool({ name: 'malformed__answer', arguments: { answer } })).toEqual({
    content: [],
    structuredContent: { city: 'Oslo' },
  });
});

test('structured content that is not an object is passed on as text', async () => {
  const answer = { result: { structuredContent: [1, 2] } };
  expect((await api().post(`${SERVER}/tools/answer`, { answer })).body).toBe('[1,2]');
  expect(await client.callTool({ name: 'malformed__answer', arguments: { answer } })).toEqual({
    content: [{ type: 'text', text: '[1,2]' }],
  });
});
