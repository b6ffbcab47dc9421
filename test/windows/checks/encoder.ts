import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseJsonText } from '#core/json/json-text.ts';
import { callOf, clientOf } from '../../contract/grpc-call.ts';
import { portIn, startExecutable } from '../../helpers/start-executable.ts';
import { runProcess } from '../../helpers/run-process.ts';
import { assertSame } from '../assert-same.ts';
import { type Context, fail, succeed, type WindowsCheck, withServer } from '../check.ts';
import { linuxPath } from '../wine.ts';

const SERVE = [
  'serve',
  '--http-hostname',
  '127.0.0.1',
  '--http-port',
  '0',
  '--grpc-hostname',
  '127.0.0.1',
  '--grpc-port',
  '0',
];
const TEXTS = ['I love this', 'Ich weiß: 你好 ☃', 'a longer text '.repeat(40)];
/** The folder of a Windows user with programs' data. */
const LOCAL = 'users/root/AppData/Local';

/** A file in a folder whose name has spaces and characters of several scripts. */
const ODD_FOLDER = 'Ünïcode ☃ and spaces';

export const ENCODER_CHECKS: readonly WindowsCheck[] = [
  { name: 'version, inspect', run: describes },
  { name: 'extracts into %LOCALAPPDATA%', run: extracts },
  { name: 'verify, and rejects a damaged file', run: verifies },
  { name: 'infer has the results of Linux', run: infers },
  { name: 'spaces and Unicode in paths', run: runsInOddFolder },
  { name: 'HTTP and gRPC have the results of Linux', run: serves },
  { name: 'MCP over stdio has the results of Linux', run: servesStdio },
  { name: 'port in use', run: namesPort },
  { name: 'termination', run: isTerminated },
  { name: '--device auto, gpu, and the libraries for it', run: usesDevices },
];

async function describes(context: Context): Promise<void> {
  const { encoder } = context.programs;
  const version = await succeed(context, encoder, ['version']);
  assert.match(version, /\d+\.\d+\.\d+/);
  const inspected = await succeed(context, encoder, ['inspect', '--json']);
  const { platform } = JSON.parse(inspected).runtime as { platform: string };
  assert.equal(platform, 'x86_64-pc-windows-msvc');
}

async function extracts(context: Context): Promise<void> {
  await succeed(context, context.programs.encoder, ['infer', 'a']);
  const native = join(context.wine.drive, LOCAL, 'encoderfile/cache/native');
  const [folder = ''] = readdirSync(native);
  assert.deepEqual(readdirSync(join(native, folder)).sort(), [
    'lua.wasm',
    'onnxruntime.dll',
    'onnxruntime_binding.node',
    'tokenizers.win32-x64-msvc.node',
  ]);
}

async function verifies(context: Context): Promise<void> {
  const { wine, programs } = context;
  assert.match(await succeed(context, programs.encoder, ['verify']), /is intact\./);
  const file = join(context.work, 'damaged.exe');
  cpSync(linuxPath(context, programs.encoder), file);
  const bytes = readFileSync(file);
  const size = bytes.length;
  const at = size - 500_000;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  assert.match(await fail(context, wine.windowsPath(file), ['verify']), /^Error: .*damaged/);
  truncateSync(file, size - 100);
  assert.match(await fail(context, wine.windowsPath(file), ['infer', 'a']), /^Error: /);
}

async function infers(context: Context): Promise<void> {
  const args = ['infer', ...TEXTS];
  const { stdout } = await runProcess(context.linuxEncoder, args, { stripFinalNewline: false });
  assertSame(JSON.parse(await succeed(context, context.programs.encoder, args)), JSON.parse(stdout));
}

async function runsInOddFolder(context: Context): Promise<void> {
  const { wine, work, programs } = context;
  const folder = join(work, ODD_FOLDER);
  mkdirSync(folder);
  cpSync(linuxPath(context, programs.encoder), join(folder, 'mödel 1.exe'));
  writeFileSync(join(folder, 'texts.txt'), TEXTS.slice(0, 2).join('\r\n'));
  const cwd = wine.windowsPath(folder);
  const cache = String.raw`${cwd}\cache ☃`;
  const program = String.raw`${cwd}\mödel 1.exe`;
  const output = String.raw`${cwd}\results ☃.jsonl`;
  const args = ['infer', '--input', 'texts.txt', '--output', output, '--cache-dir', cache];
  await succeed(context, program, args, { cwd });
  const lines = readFileSync(join(folder, 'results ☃.jsonl'), 'utf8').trim().split('\n');
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /POSITIVE/);
  assert.ok(readdirSync(join(folder, 'cache ☃')).length > 0);
}

async function serves(context: Context): Promise<void> {
  const linux = startExecutable(context.linuxEncoder, SERVE);
  try {
    const expected = await responses(await linux.said(/"msg":"serving"/));
    await withServer(context, context.programs.encoder, SERVE, async (banner) => {
      const found = await responses(banner);
      for (const [name, response] of Object.entries(expected)) assertSame(found[name], response);
    });
  } finally {
    linux.child.kill('SIGTERM');
    await linux.ended;
  }
}

/** Responses of a server over HTTP and gRPC, and an error of each. */
async function responses(banner: string): Promise<Record<string, unknown>> {
  const url = `http://127.0.0.1:${portIn(banner, 'HTTP')}`;
  const post = async (path: string, body: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    return [response.status, response.ok ? parseJsonText(text) : text];
  };
  const client = clientOf('encoder.SequenceClassification', portIn(banner, 'gRPC'));
  try {
    return {
      predict: await post('/predict', { inputs: TEXTS }),
      error: await post('/predict', { inputs: [] }),
      grpc: await callOf(client, 'Predict', { inputs: TEXTS }),
      page: (await fetch(url)).status,
    };
  } finally {
    client.close();
  }
}

/** An MCP session of one call. */
const SESSION = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 2, method: 'tools/list' },
];

async function servesStdio(context: Context): Promise<void> {
  const call = {
    jsonrpc: '2.0',
    id: 3,
    method: 'tools/call',
    params: { name: 'run_encoder', arguments: { inputs: TEXTS } },
  };
  const input = [...SESSION, call].map((message) => `${JSON.stringify(message)}\n`).join('');
  const args = ['mcp'];
  const expected = await runProcess(context.linuxEncoder, args, { input });
  const found = await throughPipes(context, input, context.programs.encoder, args);
  assert.equal(found.code, 0, found.stderr);
  const messages = messagesIn(found.stdout);
  assertSame(
    messages,
    messagesIn(expected.stdout.replaceAll('x86_64-unknown-linux-gnu', 'x86_64-pc-windows-msvc')),
  );
  assert.equal(messages.length, 3);
}

const messagesIn = (text: string): unknown[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

async function namesPort(context: Context): Promise<void> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const args = ['serve', '--http-hostname', '127.0.0.1', '--http-port', String(port), '--disable-grpc'];
    assert.match(
      await fail(context, context.programs.encoder, args),
      new RegExp(`^Error: .*${port}.*in use`),
    );
  } finally {
    server.close();
  }
}

/** A terminated server leaves nothing that prevents the next start. */
async function isTerminated(context: Context): Promise<void> {
  const { wine, programs } = context;
  for (let round = 0; round < 2; round += 1) {
    const server = wine.start(programs.encoder, SERVE);
    await server.said(/"msg":"serving"/);
    server.terminate();
    await server.ended;
  }
}

/** Wine has no GPU. */
async function usesDevices(context: Context): Promise<void> {
  const { wine, work, programs, node } = context;
  writeFileSync(join(work, 'texts.txt'), 'a\r\nb\r\n');
  const infer = [
    'infer',
    '--input',
    'texts.txt',
    '--output',
    'results.jsonl',
    '--cache-dir',
    String.raw`C:\work\gpu`,
  ];
  await succeed(context, programs.encoder, infer);
  const native = join(work, 'gpu/native');
  const [folder = ''] = readdirSync(native);
  const libraries = (): string[] => readdirSync(join(native, folder)).filter((name) => name.startsWith('dx'));
  assert.deepEqual(libraries(), []);
  const refused = await fail(context, programs.encoder, [...infer, '--device', 'gpu']);
  assert.match(
    refused,
    /^Error: --device gpu: no GPU with a driver for Direct3D 12 was found; .* Use --device auto or cpu/,
  );
  assert.deepEqual(libraries().sort(), ['dxcompiler.dll', 'dxil.dll']);
  const functions = { 'dxcompiler.dll': 'DxcCreateInstance', 'dxil.dll': 'DxcCreateInstance' };
  const loads = Object.entries(functions).map(
    ([name, symbol]) => `${wine.windowsPath(join(native, folder, name))}=${symbol}`,
  );
  await succeed(context, node, [String.raw`C:\inside\load.mjs`, ...loads]);
  const { stderr } = await wine.run(programs.encoder, [...infer, '--device', 'auto']);
  assert.match(stderr, /^Device: CPU: no GPU with a driver for Direct3D 12 was found/m);
  await withServer(context, programs.encoder, [...SERVE, '--device', 'auto'], async (banner, server) => {
    await server.said(/"device":"cpu"/);
    const url = `http://127.0.0.1:${portIn(banner, 'HTTP')}`;
    const { device } = (await (await fetch(`${url}/model`)).json()) as { device: { type: string } };
    assert.equal(device.type, 'cpu');
  });
}

interface Piped {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program with pipes of Windows as its standard streams. */
async function throughPipes(
  context: Context,
  input: string,
  program: string,
  args: readonly string[],
): Promise<Piped> {
  const { wine, work, node } = context;
  const file = join(work, 'input.txt');
  writeFileSync(file, input);
  const script = String.raw`C:\inside\pipe.mjs`;
  return JSON.parse(
    await succeed(context, node, [script, wine.windowsPath(file), program, ...args]),
  ) as Piped;
}
