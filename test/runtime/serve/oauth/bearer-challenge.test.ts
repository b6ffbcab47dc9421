import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatBearerChallenge, parseBearerChallenge } from '#serve/oauth/bearer-challenge.ts';

test.each([
  ['Bearer', {}],
  ['bearer error=invalid_token', { error: 'invalid_token' }],
  [
    'Bearer realm="a, b", error="insufficient_scope", scope="read write", resource_metadata="https://mcp.example/.well-known/x"',
    {
      error: 'insufficient_scope',
      scope: 'read write',
      resourceMetadata: 'https://mcp.example/.well-known/x',
    },
  ],
  ['Basic realm="Bearer scope=no", Bearer scope="yes"', { scope: 'yes' }],
  ['Bearer scope="yes", Basic scope="no"', { scope: 'yes' }],
  ['Negotiate abc==, Bearer error_description="say \\"hi\\"" ', { errorDescription: 'say "hi"' }],
  ['Bearer scope="one", Bearer scope="two"', { scope: 'one' }],
])('the header %s is parsed', (header, challenge) => {
  expect(parseBearerChallenge(header)).toEqual(challenge);
});

test('a Bearer challenge is found among other challenges, and headers without one result in undefined', () => {
  for (const header of [undefined, '', 'Basic realm="x"', [], ['Basic a', 'Digest b="c"']]) {
    expect(parseBearerChallenge(header)).toBeUndefined();
  }
  expect(parseBearerChallenge(['Basic a', 'Bearer error="x"'])).toEqual({ error: 'x' });
});

test('a formatted challenge parses to the same value, and any text is parsed without an error', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ',', ' ', '=', ':', '/', '?') });
  fc.assert(
    fc.property(fc.record({ error: text, errorDescription: text, scope: text }), (challenge) => {
      expect(parseBearerChallenge(formatBearerChallenge(challenge))).toEqual(challenge);
    }),
  );
  fc.assert(fc.property(fc.string(), (header) => void parseBearerChallenge(header)));
  expect(formatBearerChallenge({ error: 'a"\nb\\' })).toBe(`Bearer error="a''b'"`);
});
