import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readTls } from '#serve/tls.ts';
import { selfSigned } from '../../helpers/self-signed.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();
const [own, other] = [selfSigned(), selfSigned()];
const passphrase = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' } as const;
const FILES = {
  'cert.pem': own.cert,
  'key.pem': own.key,
  'other-key.pem': other.key,
  'rsa-key.pem': generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }),
  'locked-key.pem': createPrivateKey(own.key).export(passphrase),
  'empty.pem': '',
  'text.pem': 'not a certificate',
};
type Name = keyof typeof FILES | 'nosuch.pem';

const pathOf = (name: Name): string => join(folder(), name);
beforeEach(() => {
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(folder(), name), content);
});

test('a certificate and its key enable TLS; without both, TLS is disabled', () => {
  expect(readTls(pathOf('cert.pem'), pathOf('key.pem'))).toEqual(own);
  expect(readTls(undefined, undefined)).toBeUndefined();
});

test.each([
  ['cert', '--cert-file requires --key-file.'],
  ['key', '--key-file requires --cert-file.'],
])('%s alone is rejected', (given, message) => {
  const [cert, key] = given === 'cert' ? ['a.pem', undefined] : [undefined, 'a.pem'];
  expect(() => readTls(cert, key)).toThrow(expect.objectContaining({ code: 'ConfigError', message }));
});

test.each<[Name, string]>([
  ['nosuch.pem', 'ENOENT: no such file or directory, .*'],
  ['empty.pem', 'no start line'],
  ['text.pem', 'no start line'],
  ['key.pem', 'no start line'],
])('%s as a certificate causes a one-sentence error', (name, reason) => {
  const file = pathOf(name);
  const message = `^--cert-file: cannot use ${file}: ${reason}\\. It must be a PEM file with a certificate\\.$`;
  expect(() => readTls(file, pathOf('key.pem'))).toThrow(
    expect.objectContaining({ code: 'ConfigError', message: expect.stringMatching(message) as string }),
  );
});

test.each<[Name, string]>([
  ['nosuch.pem', 'ENOENT: no such file or directory, .*'],
  ['empty.pem', 'unsupported'],
  ['text.pem', 'unsupported'],
  ['cert.pem', 'unsupported'],
  ['other-key.pem', 'key values mismatch'],
  ['rsa-key.pem', 'it belongs to a different certificate'],
  ['locked-key.pem', '[^.]+'],
])('%s as a key causes a one-sentence error', (name, reason) => {
  const [cert, file] = [pathOf('cert.pem'), pathOf(name)];
  const must = `It must be a PEM file with the private key for ${cert}, without a passphrase`;
  expect(() => readTls(cert, file)).toThrow(
    expect.objectContaining({
      code: 'ConfigError',
      message: expect.stringMatching(`^--key-file: cannot use ${file}: ${reason}\\. ${must}\\.$`) as string,
    }),
  );
});
