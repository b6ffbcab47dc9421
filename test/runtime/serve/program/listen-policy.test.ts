import { describe, expect, test } from 'vitest';
import { assertSafeToListen, type Exposure } from '#serve/program/listen-policy.ts';

const NONE: Exposure['credential'] = { name: 'an API key', isSet: false, remedy: 'Set --api-key' };
const SET = { ...NONE, isSet: true };

describe.each(['127.0.0.1', 'localhost', '::1', '[::1]', '127.9.9.9'])('on %s', (hostname) => {
  test('no credential is required', () => {
    expect(() => assertSafeToListen({ hostname, credential: NONE, insecure: false })).not.toThrow();
  });
});

describe.each(['0.0.0.0', '::', '192.168.0.2', 'tools.example', ''])('on %j', (hostname) => {
  test('a missing credential is rejected', () => {
    expect(() => assertSafeToListen({ hostname, credential: NONE, insecure: false })).toThrow(
      `Listening on ${hostname || 'all addresses'} without an API key lets anyone on the network use this server. Set --api-key, listen on 127.0.0.1, or accept the risk with --insecure.`,
    );
  });

  test('a credential or --insecure is sufficient', () => {
    for (const more of [
      { credential: SET, insecure: false },
      { credential: NONE, insecure: true },
    ])
      expect(() => assertSafeToListen({ hostname, ...more })).not.toThrow();
  });
});

test('a guessable credential is rejected', () => {
  const listen = (length: number, hostname = '0.0.0.0', insecure = false) =>
    assertSafeToListen({ hostname, credential: { ...SET, length }, insecure });
  expect(() => listen(5)).toThrow(
    'Listening on 0.0.0.0 requires an API key of at least 16 characters; it has 5 characters. Set --api-key, listen on',
  );
  listen(16);
  listen(5, '127.0.0.1');
  listen(5, '0.0.0.0', true);
});
