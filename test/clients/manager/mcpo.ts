import { isDeepStrictEqual } from 'node:util';
import { membersOf } from '../../../runtime/core/json/members-of.ts';
import { until } from '../../sign-in/processes.ts';

/** Calls whose responses are compared: names and arguments of tools in `echo.mjs`. */
const CALLS: readonly (readonly [tool: string, args: object])[] = [
  ['echo', { message: 'hi' }],
  ['echo', { message: '{"a": [1, 2]}' }],
  ['echo', { message: '' }],
  ['echo', {}],
  ['add', { a: 2, b: 40 }],
  ['add', { a: 'two', b: 40 }],
  ['number', { value: 1.5 }],
  ['is-error', { message: 'out of order' }],
  ['rpc-error', {}],
  ['structured', {}],
  ['image', {}],
  ['blocks', {}],
  ['schema', { options: { deep: true } }],
];

export interface McpoComparison {
  readonly tools: number;
  readonly calls: number;
  /** Paths that exist in only one of the two. */
  readonly otherPaths: readonly string[];
  /** Calls with different responses. */
  readonly differences: readonly { readonly call: string; readonly mcpo: string; readonly ours: string }[];
}

/** Compares the tools of a server in mcpo and in the manager's OpenAPI route. */
export async function compareWithMcpo(mcpo: string, ours: string): Promise<McpoComparison> {
  await until('mcpo', async () => (await fetch(`${mcpo}/openapi.json`)).ok);
  const [theirs, own] = await Promise.all([pathsOf(mcpo), pathsOf(ours)]);
  const differences: McpoComparison['differences'][number][] = [];
  for (const [tool, args] of CALLS) {
    const [one, other] = await Promise.all([answerOf(mcpo, tool, args), answerOf(ours, tool, args)]);
    if (isDeepStrictEqual(one, other)) continue;
    const shown = ({ status, body }: Answer): string => `${status} ${JSON.stringify(body)}`;
    differences.push({ call: `${tool} ${JSON.stringify(args)}`, mcpo: shown(one), ours: shown(other) });
  }
  const otherPaths = [...theirs.symmetricDifference(own)];
  return { tools: own.size, calls: CALLS.length, otherPaths, differences };
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function pathsOf(base: string): Promise<Set<string>> {
  const document: unknown = await (await fetch(`${base}/openapi.json`)).json();
  return new Set(Object.keys(membersOf(membersOf(document)['paths'])));
}

async function answerOf(base: string, tool: string, args: object): Promise<Answer> {
  const response = await fetch(`${base}/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(args),
  });
  return { status: response.status, body: await response.json() };
}
