import { expect, test } from 'vitest';
import { proxyVariables } from '#cli/adapters/proxy-variables.ts';

test('proxy variables follow the conventions of other tools', () => {
  expect(proxyVariables({})).toEqual({ NO_PROXY: '' });
  expect(proxyVariables({ HTTP_PROXY: 'http://a:1', http_proxy: 'b:2', https_proxy: '' })).toEqual({
    HTTP_PROXY: 'http://b:2',
    NO_PROXY: '',
  });
  expect(proxyVariables({ ALL_PROXY: 'https://u:p@a', HTTPS_PROXY: 'b:2' })).toEqual({
    HTTP_PROXY: 'https://u:p@a',
    HTTPS_PROXY: 'http://b:2',
    NO_PROXY: '',
  });
});

test('a host name in NO_PROXY also covers its subdomains', () => {
  const { NO_PROXY } = proxyVariables({ NO_PROXY: 'example.com, .x.org localhost,10.0.0.1,a:80,*' });
  expect(NO_PROXY).toBe('example.com,.example.com,.x.org,localhost,.localhost,10.0.0.1,a:80,*');
});

test.each(['socks5://proxy:1080', 'http://['])('%s is rejected', (value) => {
  expect(() => proxyVariables({ https_proxy: value })).toThrow(
    'Invalid proxy in https_proxy: it must be an HTTP proxy, e.g. http://proxy:3128.',
  );
});
