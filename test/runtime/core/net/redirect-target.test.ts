import { expect, test } from 'vitest';
import { redirectTarget } from '#core/net/redirect-target.ts';

test('a redirect has a status and a valid URL, and never gives up TLS', () => {
  const url = new URL('https://images.example/a/b');
  const target = (status: number, location?: string | string[]) =>
    String(redirectTarget(url, status, location));
  for (const status of [301, 302, 303, 307, 308]) {
    expect(target(status, '../c')).toBe('https://images.example/c');
    expect(target(status, 'https://other.example/')).toBe('https://other.example/');
    expect(target(status)).toBe('none');
    expect(target(status, ['/c', '/d'])).toBe('none');
    expect(target(status, 'https://[')).toBe('invalid');
    for (const location of ['http://images.example/', 'file:///etc/passwd', 'data:,x'])
      expect(target(status, location)).toBe('without TLS');
  }
  for (const status of [200, 300, 304, 404]) expect(target(status, '/c')).toBe('none');
  expect(String(redirectTarget(new URL('http://a.example'), 302, 'http://b.example'))).toBe(
    'http://b.example/',
  );
});
