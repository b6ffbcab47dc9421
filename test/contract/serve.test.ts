import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { selfSigned } from '../helpers/self-signed.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { untilBusy, WORK } from './busy.ts';
import { grpcCodeOf } from './clients.ts';
import { ANY_PORTS } from './serving.ts';
import { startExecutable } from '../helpers/start-executable.ts';
import { NO_GPU } from '../helpers/no-gpu.ts';
import { useServers } from './started-servers.ts';
import { verifiesOnce } from './verifies.ts';
import { builtExecutable } from '../helpers/built.ts';

const folder = useTempFolder();
const { serve, endAfterTest } = useServers();

const refused = async (...args: string[]): Promise<string> => {
  const { exitCode, stdout, stderr } = await runExecutable(builtExecutable('sentiment'), ['serve', ...args]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  return stderr;
};

const predict = (
  url: string,
  inputs: readonly string[],
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${url}/predict`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ inputs }),
  });

verifiesOnce('serve:both-disabled', async () => {
  expect(await refused('--disable-grpc', '--disable-http')).toBe(
    'Error: Cannot disable both gRPC and HTTP\n',
  );
  const damaged = join(folder(), 'not-a-model');
  writeFileSync(damaged, 'nothing');
  // Reported before the model is loaded.
  const env = { ENCODERFILE_DISABLE_HTTP: 'true', ENCODERFILE_DISABLE_GRPC: '1' };
  const answer = await runExecutable(builtExecutable('sentiment'), ['serve'], { env });
  expect(answer).toMatchObject({ exitCode: 1, stderr: 'Error: Cannot disable both gRPC and HTTP\n' });
});

verifiesOnce('serve:banner', async () => {
  const { stdout, stderr, url } = await serve();
  expect(stderr()).toMatch(/^sentiment 1\.0\.0 \(sequence_classification\), encoderfile /);
  expect(stderr()).toMatch(/^ {2}HTTP {2}http:\/\/127\.0\.0\.1:\d+$/m);
  expect(stderr()).toMatch(/^ {2}MCP {3}http:\/\/127\.0\.0\.1:\d+\/mcp$/m);
  expect(stderr()).toMatch(/^ {2}gRPC {2}127\.0\.0\.1:\d+$/m);
  expect(await (await fetch(`${url}/health`)).json()).toBe('OK!');
  expect(stdout()).toBe('');
});

verifiesOnce('serve:device', async () => {
  const path = builtExecutable('sentiment');
  const args = ['serve', ...ANY_PORTS, '--device', 'gpu'];
  const { exitCode, stderr } = await runExecutable(path, args, { env: NO_GPU });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /^Error: --device gpu: no Vulkan driver for a GPU was found; install the Vulkan loader .* Use --device auto or cpu to run the model on the CPU\.$/m,
  );
  const env = { ...NO_GPU, ENCODERFILE_SOFTWARE_GPU: '1' };
  const server = await serve({ args: ['--device', 'auto'], env });
  await server.said(/"device":"cpu","msg":"CPU: no Vulkan driver/);
  expect(server.stderr()).toMatch(/^Device: CPU/m);
  expect((await predict(server.url, ['a'])).status).toBe(200);
  expect(await (await fetch(`${server.url}/model`)).json()).toMatchObject({
    device: { type: 'cpu', reason: expect.stringMatching(/^no Vulkan driver/) },
  });
  expect(await (await fetch(`${server.url}/metrics`)).text()).toMatch(/^encoder_gpu_active 0$/m);
  const usual = await serve();
  expect(await (await fetch(`${usual.url}/model`)).json()).not.toHaveProperty('device');
  expect(await (await fetch(`${usual.url}/metrics`)).text()).not.toContain('gpu');
});

verifiesOnce('serve:one-protocol', async () => {
  const http = await startOnly('--disable-grpc');
  expect(http).toMatch(/HTTP/);
  expect(http).not.toMatch(/gRPC/);
  const grpc = await startOnly('--disable-http=true');
  expect(grpc).toMatch(/gRPC/);
  expect(grpc).not.toMatch(/HTTP|MCP/);
});

async function startOnly(flag: string): Promise<string> {
  const started = startExecutable(builtExecutable('sentiment'), ['serve', ...ANY_PORTS, flag]);
  endAfterTest(started);
  return await started.said(/"msg":"serving"/);
}

verifiesOnce('serve:port-in-use', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  try {
    const http = ['--http-hostname', '127.0.0.1', '--http-port', String(port), '--grpc-port', '0'];
    expect(await refused(...http)).toBe(
      `Error: Cannot listen on 127.0.0.1:${port}: the port is in use. Choose another port with --http-port.\n`,
    );
    const grpc = ['--grpc-hostname', '127.0.0.1', '--grpc-port', String(port), '--http-port', '0'];
    expect(await refused(...grpc)).toBe(
      `Error: Cannot listen on 127.0.0.1:${port}: the port is in use. Choose another port with --grpc-port.\n`,
    );
  } finally {
    other.close();
  }
});

verifiesOnce('serve:wrong-values', async () => {
  for (const [args, message] of [
    [['--http-port', '70000'], /--http-port: "70000" is not a whole number from 0 to 65535/],
    [['--grpc-port', 'x'], /--grpc-port: "x" is not a whole number/],
    [['--workers', '0'], /--workers: "0" is not a whole number from 1/],
    [['--on-overflow', 'cut'], /--on-overflow: "cut" is not one of truncate, error/],
    [['--nosuch'], /Unknown option '--nosuch'/],
    [['stray'], /Unexpected argument "stray"/],
  ] as const) {
    const answer = await runExecutable(builtExecutable('sentiment'), ['serve', ...args]);
    expect(answer).toMatchObject({ exitCode: 2, stdout: '' });
    expect(answer.stderr).toMatch(message);
  }
  expect(await refused('--http-hostname', 'nosuch.invalid', '--http-port', '0')).toMatch(
    /^Error: Cannot listen on nosuch\.invalid:0: unknown host name "nosuch\.invalid"\./,
  );
});

verifiesOnce('serve:bad-certificate', async () => {
  const file = join(folder(), 'file.pem');
  writeFileSync(file, 'not a certificate');
  expect(await refused('--cert-file', file)).toBe('Error: --cert-file requires --key-file.\n');
  expect(await refused('--key-file', file)).toMatch(/^Error: --key-file requires --cert-file/);
  expect(await refused('--cert-file', 'nosuch.pem', '--key-file', file)).toMatch(
    /^Error: --cert-file: cannot use nosuch\.pem: .*\. It must be a PEM file with a certificate\.\n$/,
  );
  expect(await refused('--cert-file', file, '--key-file', file)).toMatch(
    /^Error: --cert-file: cannot use .*file\.pem: .*\. It must be a PEM file with a certificate\.\n$/,
  );
  const { cert } = selfSigned();
  const certFile = join(folder(), 'cert.pem');
  writeFileSync(certFile, cert);
  expect(await refused('--cert-file', certFile, '--key-file', file)).toMatch(
    /^Error: --key-file: cannot use .*file\.pem: .*\. It must be a PEM file with the private key for .*cert\.pem, /,
  );
});

verifiesOnce('serve:tls', async () => {
  const { cert, key } = selfSigned();
  const [certFile, keyFile] = [join(folder(), 'cert.pem'), join(folder(), 'key.pem')];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  const { stderr, url } = await serve({ args: ['--cert-file', certFile, '--key-file', keyFile] });
  expect(stderr()).toMatch(/^ {2}HTTP {2}https:.*\n {2}MCP {3}https:.*\n {2}gRPC .*\(TLS\)$/m);
  const answer = await new Promise<number | undefined>((resolve, reject) => {
    const options = { ca: cert, servername: 'localhost' };
    get(`${url.replace('http:', 'https:')}/health`, options, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
  expect(answer).toBe(200);
});

verifiesOnce('serve:drain', async () => {
  const { url, child, said, ended, stderr } = await serve();
  const accepted = predict(url, WORK);
  await untilBusy(url);
  child.kill('SIGTERM');
  await said(/"msg":"stopping/);
  const late = await predict(url, ['too late']);
  expect([late.status, late.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await late.text()).toBe('The server is shutting down.');
  expect((await fetch(`${url}/readyz`)).status).toBe(503);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const answer = await accepted;
  expect(answer.status).toBe(200);
  expect(((await answer.json()) as { results: unknown[] }).results).toHaveLength(WORK.length);
  expect(await ended).toBe(0);
  expect(stderr()).toMatch(/"msg":"stopped"/);
});

verifiesOnce('serve:second-signal', async () => {
  const { url, child, said, ended } = await serve();
  const lost = predict(url, WORK).catch((error: unknown) => error);
  await untilBusy(url);
  child.kill('SIGTERM');
  await said(/"msg":"stopping/);
  // A second identical signal immediately afterwards counts as an echo of the first.
  child.kill('SIGTERM');
  child.kill('SIGINT');
  expect(await ended).toBe('SIGINT');
  expect(await lost).toBeInstanceOf(Error);
});

verifiesOnce('serve:stop-with-stdin', async () => {
  const { url, child, said, ended } = await serve({ args: ['--stop-with-stdin'] });
  const accepted = predict(url, WORK);
  await untilBusy(url);
  child.stdin?.end('ignored');
  await said(/"stdin":"closed","msg":"stopping/);
  expect((await accepted).status).toBe(200);
  expect(await ended).toBe(0);

  const signaled = await serve({ args: ['--stop-with-stdin'] });
  signaled.child.kill('SIGTERM');
  expect(await signaled.ended).toBe(0);

  const other = await serve();
  other.child.stdin?.end();
  expect((await predict(other.url, ['a'])).status).toBe(200);
});

verifiesOnce('serve:overload', async () => {
  const { url, grpcPort } = await serve({ args: ['--max-queue', '10'] });
  const accepted = predict(url, WORK);
  await untilBusy(url);
  const refusal = await predict(url, ['no room']);
  expect([refusal.status, refusal.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await refusal.text()).toMatch(
    /^The model is overloaded: \d+ inputs are queued, and the maximum is 10/,
  );
  expect(await grpcCodeOf(grpcPort, ['no room'])).toBe(8);
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect((await accepted).status).toBe(200);
  expect((await predict(url, ['room again'])).status).toBe(200);
});

verifiesOnce('serve:environment', async () => {
  const { stdout } = await runExecutable(builtExecutable('sentiment'), ['serve', '--help']);
  const [own = ''] = stdout.split('Global options:');
  const flags = [...own.matchAll(/^ {2}(?:-\w, | {4})--([\w-]+)/gm)].map(([, name]) => name ?? '');
  expect(flags).toEqual(
    expect.arrayContaining([
      'grpc-hostname',
      'grpc-port',
      'http-hostname',
      'http-port',
      'disable-grpc',
      'disable-http',
    ]),
  );
  for (const flag of flags)
    expect(stdout).toContain(`env: ENCODERFILE_${flag.toUpperCase().replaceAll('-', '_')}`);
  const { url } = await serve({ env: { ENCODERFILE_ON_OVERFLOW: 'error' } });
  expect((await predict(url, ['word '.repeat(5000)])).status).toBe(422);
});
