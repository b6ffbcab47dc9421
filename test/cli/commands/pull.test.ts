import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:https';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { runCliHere } from '../../helpers/cli-here.ts';
import { startHttpProxy } from '../../helpers/http-proxy.ts';
import { fixtureContents, HubRepository } from '../../helpers/hub-repository.ts';
import { inNamespace, namespacesWork } from '../../helpers/namespace.ts';
import { runCli } from '../../helpers/run-cli.ts';
import type { Answer } from '../../helpers/run-process.ts';
import { selfSigned } from '../../helpers/self-signed.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';
import { hubVariables, useHub } from '../../helpers/use-hub.ts';
import { builtCli } from '../../helpers/built.ts';

const folder = useTempFolder();
const hub = useHub();
const canMount = namespacesWork();
const variables = (more: Record<string, string> = {}) => ({ ...hubVariables(hub(), folder()), ...more });
const pull = (args: readonly string[], env: Record<string, string> = {}): Promise<Answer> =>
  runCliHere(['pull', ...args], { cwd: folder(), env: variables(env) });
const publish = (contents: Readonly<Record<string, string | Buffer>>): HubRepository =>
  hub().add('acme/sentiment', new HubRepository(contents));
const repositoryFolder = (): string => join(folder(), 'huggingface/hub/models--acme--sentiment');
const CONTENTS = { 'config.json': '{}', 'tokenizer.json': '{"a": 1}', 'onnx/model.onnx': 'graph' };
const LARGE = { ...CONTENTS, 'onnx/model.onnx': Buffer.alloc(3_000_000, 'graph') };

test('prints the folder and the downloaded files', async () => {
  const commit = publish(fixtureContents('sentiment')).resolve('main');
  const { exitCode, stdout, stderr } = await pull(['hf:acme/sentiment']);
  const path = join(repositoryFolder(), 'snapshots', commit ?? '');
  expect({ exitCode, stdout: stdout.split('\n') }).toEqual({
    exitCode: 0,
    stdout: [
      `Folder  ${path}`,
      `Source  hf:acme/sentiment@${commit}`,
      'Graph   onnx/model.onnx',
      expect.stringMatching(/^Files {3}config\.json \(\d+ B, downloaded\)$/),
      expect.stringMatching(/^ {8}onnx\/model\.onnx \(1\.0 MB, downloaded\)$/),
      expect.stringMatching(/^ {8}tokenizer\.json \(/),
      expect.stringMatching(/^ {8}tokenizer_config\.json \(/),
      'Next    encoderfile build hf:acme/sentiment',
    ],
  });
  expect(stderr).toMatch(
    /Fetching hf:acme\/sentiment \(\d+\.\d s\): 4 of 4 files downloaded, 1\.1 MB, commit [0-9a-f]{12}$/,
  );
  expect(await pull(['hf:acme/sentiment', '--quiet'])).toEqual({ exitCode: 0, stdout: path, stderr: '' });
  const json = await pull(['hf:acme/sentiment', '--offline', '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({
    reference: 'hf:acme/sentiment',
    revision: 'main',
    folder: path,
    repository: 'acme/sentiment',
    commit,
    graph: { path: 'onnx/model.onnx', name: 'model' },
    files: expect.arrayContaining([{ path: 'config.json', bytes: expect.any(Number), downloaded: false }]),
  });
});

test.each([
  [
    ['acme/sentiment'],
    1,
    /^Error: Invalid model reference: "acme\/sentiment" does not name a model\. Write hf:org\/name/,
  ],
  [
    ['hf:acme/none'],
    1,
    /Error: hf:acme\/none does not exist on http:\/\/127\.0\.0\.1:\d+, or it is private\./,
  ],
  [
    ['hf:acme/sentiment', '--variant', 'int8'],
    1,
    /Error: hf:acme\/sentiment has no variant "int8"; choose one of model/,
  ],
  [['hf:acme/sentiment', '--offline'], 1, /Error: hf:acme\/sentiment is not in the cache /],
  [[], 2, /Missing argument REFERENCE\. See `encoderfile pull --help`/],
])('%j causes a one-sentence error', async (args, exitCode, message) => {
  publish(CONTENTS);
  const answer = await pull(args);
  expect(answer).toMatchObject({ exitCode, stdout: '' });
  expect(answer.stderr).toMatch(message);
});

test('a cache folder that cannot be created is an error that names the variable', async () => {
  publish(CONTENTS);
  writeFileSync(join(folder(), 'file'), '');
  expect(await pull(['hf:acme/sentiment'], { HF_HUB_CACHE: join(folder(), 'file') })).toMatchObject({
    exitCode: 1,
    stderr: `Error: Cannot write ${join(folder(), 'file')}/models--acme--sentiment: one of its parent folders is a file. Set HF_HUB_CACHE to another folder.`,
  });
});

test('downloads use the proxy, except for hosts in NO_PROXY', async () => {
  publish(CONTENTS);
  const proxy = await startHttpProxy(hub().port);
  try {
    const env = { HF_ENDPOINT: 'http://hub.invalid', HTTP_PROXY: proxy.url, NO_PROXY: 'localhost' };
    expect((await pull(['hf:acme/sentiment'], env)).exitCode).toBe(0);
    expect(proxy.requests).toContain('http://hub.invalid/api/models/acme/sentiment/revision/main');
    // NO_PROXY contains the host of large files.
    expect(proxy.requests.filter((url) => url.includes('localhost'))).toEqual([]);
    expect(hub().paths('cdn')).toHaveLength(1);
    expect(await pull(['hf:acme/sentiment'], { HTTP_PROXY: 'socks5://proxy' })).toMatchObject({
      exitCode: 1,
      stderr: 'Error: Invalid proxy in HTTP_PROXY: it must be an HTTP proxy, e.g. http://proxy:3128.',
    });
  } finally {
    await proxy.close();
  }
});

test('HTTPS requests go through the proxy, and an untrusted certificate is rejected', async () => {
  publish(CONTENTS);
  const { cert, key } = selfSigned();
  const server = createServer({ cert, key }, (request, response) => {
    response.writeHead(307, { location: `${hub().endpoint}${request.url}` }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const proxy = await startHttpProxy(port);
  try {
    const env = { HF_ENDPOINT: 'https://localhost', HTTPS_PROXY: proxy.url };
    expect(await pull(['hf:acme/sentiment'], env)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /Error: Cannot verify the certificate of localhost \(DEPTH_ZERO_SELF_SIGNED_CERT\)\. Set NODE_EXTRA_CA_CERTS/,
      ),
    });
    expect(proxy.requests).toEqual(['CONNECT localhost:443']);
    // With the certificate, the response is read: it redirects from https to http.
    const authority = join(folder(), 'authority.pem');
    writeFileSync(authority, cert);
    const trusted = { ...variables(env), NODE_EXTRA_CA_CERTS: authority };
    const answer = await runCli(['pull', 'hf:acme/sentiment'], { env: trusted });
    expect(answer.stderr).toMatch(
      /localhost redirects to "http:\/\/127\.0\.0\.1:\d+\/api.*", which is not an https URL\./,
    );
  } finally {
    await proxy.close();
    server.close();
    server.closeAllConnections();
  }
});

test('an interrupted download resumes in the next process', async () => {
  publish(LARGE);
  hub().plan(/cdn/, { stallAfter: 1_000_000 });
  const args = [builtCli(), 'pull', 'hf:acme/sentiment'];
  const running = execa(process.execPath, args, {
    env: { ...variables(), HF_HUB_DOWNLOAD_TIMEOUT: '600' },
    reject: false,
  });
  const blobs = join(repositoryFolder(), 'blobs');
  // When another part starts, a complete one is removed, possibly between the two checks.
  const partial = (): (number | undefined)[] =>
    (existsSync(blobs) ? readdirSync(blobs) : [])
      .filter((name) => name.endsWith('.incomplete'))
      .map((name) => statSync(join(blobs, name), { throwIfNoEntry: false })?.size);
  while (!partial().includes(1_000_000)) {
    if (running.exitCode !== null) throw new Error('the download ended before it could be killed');
    await setTimeout(5);
  }
  running.kill('SIGKILL');
  await running;
  hub().requests.length = 0;
  const { exitCode, stdout } = await runCli(['pull', 'hf:acme/sentiment', '--quiet'], { env: variables() });
  expect(exitCode).toBe(0);
  expect(
    hub()
      .requests.filter(({ host }) => host === 'cdn')
      .map(({ range }) => range),
  ).toEqual(['bytes=1000000-']);
  expect(readFileSync(join(stdout, 'onnx/model.onnx')).equals(LARGE['onnx/model.onnx'])).toBe(true);
  expect(partial()).toEqual([]);
});

test('a partial file with incorrect content is replaced', async () => {
  publish(LARGE);
  const [file] = hub().requests;
  expect(file).toBeUndefined();
  const args = ['pull', 'hf:acme/sentiment', '--quiet'];
  hub().plan(/cdn/, { isWrong: true, cutAfter: 500_000 });
  // All attempts fail, so the process gives up and leaves its partial file.
  hub().plan(/resolve.*onnx/, {});
  hub().plan(/resolve.*onnx/, { status: 503, headers: { 'retry-after': '9999' } });
  const failed = await runCli(args, { env: variables() });
  expect(failed.stderr).toMatch(/returned status 503\. Retry later\./);
  expect(
    readdirSync(join(repositoryFolder(), 'blobs')).filter((name) => name.endsWith('.incomplete')),
  ).toHaveLength(1);
  const { stdout } = await runCli(args, { env: variables() });
  expect(readFileSync(join(stdout, 'onnx/model.onnx')).equals(LARGE['onnx/model.onnx'])).toBe(true);
});

test('concurrent processes can fill an empty cache', async () => {
  publish(LARGE);
  const answers = await Promise.all(
    [1, 2, 3].map(() => runCli(['pull', 'hf:acme/sentiment', '--quiet'], { env: variables() })),
  );
  expect(answers.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual(
    answers.map(() => ({ exitCode: 0, stderr: '' })),
  );
  expect(
    readFileSync(join(answers[0]?.stdout ?? '', 'onnx/model.onnx')).equals(LARGE['onnx/model.onnx']),
  ).toBe(true);
  expect(readdirSync(join(repositoryFolder(), 'blobs'))).toHaveLength(3);
});

test.runIf(canMount)('a full disk causes a one-sentence error, before and during the download', async () => {
  publish(LARGE);
  const disk = join(folder(), 'disk');
  mkdirSync(disk);
  const command = `${process.execPath} ${builtCli()} pull hf:acme/sentiment`;
  const on = (mount: string) =>
    inNamespace(
      `mount -t tmpfs ${mount} none ${disk}; ${command} || code=$?; find ${disk} -name '*.incomplete'; exit $code`,
      {
        env: variables({ HF_HUB_CACHE: disk }),
      },
    );
  const small = await on('-o size=1m');
  expect(small).toMatchObject({ exitCode: 1, stdout: '' });
  expect(small.stderr).toMatch(
    /^Error: The download needs 3\.0 MB, but .*blobs has only \d[\d.]* [kM]B left\. Free some space, or set HF_HUB_CACHE to a folder on another disk\.$/m,
  );
  const withoutFiles = await on('-o size=9m,nr_inodes=6');
  expect(withoutFiles.exitCode).toBe(1);
  expect(withoutFiles.stderr).toMatch(
    /^Error: Cannot write .*models--acme--sentiment.*: the disk is full\. Free some space/m,
  );
});

test('folders in a snapshot must not be links to locations outside the cache', async () => {
  publish(CONTENTS);
  mkdirSync(repositoryFolder(), { recursive: true });
  // A cache on another disk is a common setup: only folders inside a snapshot must not be links.
  mkdirSync(join(folder(), 'other-disk'));
  symlinkSync(join(folder(), 'other-disk'), join(repositoryFolder(), 'blobs'));
  expect((await pull(['hf:acme/sentiment'])).exitCode).toBe(0);
  expect(readdirSync(join(folder(), 'other-disk'))).toHaveLength(3);
});
