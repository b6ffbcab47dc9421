import { expect, test } from 'vitest';
import { apiNotes } from '#manager/openapi/plan-problem.ts';
import { scopesOf, usedSchemes } from '#manager/openapi/security.ts';
import { apiSettings } from '../upstream/api/recording-server.ts';
import { planOf, toolOf } from './plan.ts';

const SCHEMES = {
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  user: { type: 'oauth2', flows: {} },
  id: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example' },
  token: { type: 'http', scheme: 'bearer' },
  cert: { type: 'mutualTLS' },
};
const schemes = planOf({ openapi: '3.1.0', info: {}, components: { securitySchemes: SCHEMES } }).schemes;
const scopes = (
  security: unknown,
  values: Readonly<Record<string, string>> = {},
  document = {},
): readonly string[] =>
  scopesOf(toolOf(security === undefined ? {} : { security }, document).operation, { schemes, values });

test.each<[string, unknown, Readonly<Record<string, string>>, readonly string[]]>([
  ['one scheme', [{ user: ['a', 'b'] }], {}, ['a', 'b']],
  ['schemes that are required together', [{ user: ['a'], id: ['b'], token: ['c'] }], {}, ['a', 'b']],
  ['the first alternative', [{ user: ['a'] }, { user: ['b'] }], {}, ['a']],
  ['an alternative without credentials before it', [{ key: [] }, { user: ['a'] }], {}, ['a']],
  ['an alternative with credentials before it', [{ key: [] }, { user: ['a'] }], { key: 'k' }, []],
  ['a scheme with a configured token', [{ user: ['a'] }], { user: 'token' }, []],
  ['a scheme that no credentials are possible for', [{ user: ['a'], cert: [] }], {}, []],
  ['an optional sign-in', [{}, { user: ['a'] }], {}, []],
  ['an unknown scheme', [{ nothing: ['a'] }, { constructor: ['b'] }, { toString: ['c'] }], {}, []],
  ['values that are no scopes', [{ user: ['a b', '"', '', 1, null, ['x'], { y: 1 }, 'ok'] }], {}, ['ok']],
  ['something else than lists', [{ user: 'a' }, 5, null, 'x'], {}, []],
  ['no requirement', [], {}, []],
])('the scopes of an operation are read with %s', (_what, security, values, expected) => {
  expect(scopes(security, values)).toEqual(expected);
});

test('an operation without requirements has those of the document', () => {
  expect(scopes(undefined, {}, { security: [{ user: ['all'] }] })).toEqual(['all']);
  expect(scopes([], {}, { security: [{ user: ['all'] }] })).toEqual([]);
});

test('without an access token, a scheme of OAuth requires a configured value', () => {
  const { operation } = toolOf({ security: [{ user: ['a'] }] });
  expect(usedSchemes(operation, { schemes, values: {}, hasToken: false })).toEqual([]);
  expect(usedSchemes(operation, { schemes, values: { user: 'x' }, hasToken: false })).toMatchObject([
    { value: 'x' },
  ]);
});

test('the notes about an added API contain the scopes', () => {
  const operation = (names: readonly string[]): object => ({ responses: {}, security: [{ user: names }] });
  const notesOf = (names: readonly string[]): string | undefined => {
    const paths = { '/x': { get: operation(names), post: operation(['read']) } };
    const document = { openapi: '3.1.0', info: {}, paths, components: { securitySchemes: SCHEMES } };
    return apiNotes('notes', planOf(document), apiSettings({ document: 'api.json' })).at(-1);
  };
  expect(notesOf(['read', 'write'])).toBe(
    'The API uses OAuth (user, scopes read write). Add [servers.oauth], or run `mcp-manager config credentials set notes user=<token>`.',
  );
  expect(notesOf(['a', 'b', 'c', 'd', 'e', 'f'])).toContain('(user, scopes a b c d e and 2 more)');
});
