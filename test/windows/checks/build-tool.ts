import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProcess } from '../../helpers/run-process.ts';
import { FIXTURES } from '../../helpers/paths.ts';
import { assertSame } from '../assert-same.ts';
import { type Context, fail, succeed, type WindowsCheck } from '../check.ts';

const MODEL = 'models ☃';

export const BUILD_TOOL_CHECKS: readonly WindowsCheck[] = [
  { name: 'build, from a configuration with backslashes and CRLF', run: builds },
  { name: 'the built model has the results of Linux', run: runsBuilt },
  { name: 'build over a running executable', run: buildsOverRunning },
  { name: 'errors', run: namesMistakes },
];

const OUTPUT = String.raw`C:\work\out\built.exe`;

async function builds(context: Context): Promise<void> {
  const folder = join(context.work, MODEL, 'sentiment');
  mkdirSync(folder, { recursive: true });
  cpSync(join(FIXTURES, 'models/sentiment'), folder, { recursive: true });
  const lines = [
    'encoderfile:',
    '  name: sentiment',
    '  version: 1.0.0',
    String.raw`  path: ".\\${MODEL}\\sentiment"`,
    '  model_type: sequence_classification',
    String.raw`  output_path: out\built.exe`,
    '',
  ];
  writeFileSync(join(context.work, 'config.yml'), lines.join('\r\n'));
  const { encoderfile } = context.programs;
  const built = await succeed(context, encoderfile, [
    'build',
    '-f',
    String.raw`.\config.yml`,
    '--quiet',
    '--json',
  ]);
  assert.equal(JSON.parse(built).path ?? JSON.parse(built).output, OUTPUT);
  assert.match(await succeed(context, encoderfile, ['inspect', OUTPUT]), /Platform +x86_64-pc-windows-msvc/);
  assert.ok(!existsSync(join(context.work, 'out/built.exe.lock')));
}

async function runsBuilt(context: Context): Promise<void> {
  const args = ['infer', 'I love this', 'weiß 你好'];
  const { stdout } = await runProcess(context.linuxEncoder, args);
  assertSame(JSON.parse(await succeed(context, OUTPUT, args)), JSON.parse(stdout));
  // A build on another system has the same sections.
  const sections = async (program: string): Promise<string> => await succeed(context, program, ['verify']);
  const modelOf = (text: string): string[] =>
    text.split('\n').filter((line) => /^(?:weights|tokenizer) /.test(line));
  assert.deepEqual(modelOf(await sections(OUTPUT)), modelOf(await sections(context.programs.encoder)));
}

/** Windows does not replace a program that runs. */
async function buildsOverRunning(context: Context): Promise<void> {
  const before = readFileSync(join(context.work, 'out/built.exe'));
  const server = context.wine.start(OUTPUT, [
    'serve',
    '--http-hostname',
    '127.0.0.1',
    '--http-port',
    '0',
    '--disable-grpc',
  ]);
  try {
    await server.said(/"msg":"serving"/);
    const line = await fail(context, context.programs.encoderfile, ['build', '-f', 'config.yml', '--quiet']);
    assert.match(line, /^Error: .*built\.exe/);
  } finally {
    server.terminate();
    await server.ended;
  }
  assert.ok(readFileSync(join(context.work, 'out/built.exe')).equals(before));
}

async function namesMistakes(context: Context): Promise<void> {
  const { encoderfile } = context.programs;
  assert.match(
    await fail(context, encoderfile, ['build', '-f', String.raw`C:\none\config.yml`]),
    /^Error: No such config file: C:\\none\\config\.yml/,
  );
  writeFileSync(
    join(context.work, 'wrong.yml'),
    'encoderfile:\r\n  name: a\r\n  path: C:\\none\\model\r\n  model_type: embedding\r\n',
  );
  assert.match(await fail(context, encoderfile, ['build', '-f', 'wrong.yml', '--quiet']), /C:\\none\\model/);
  assert.match(
    await fail(context, encoderfile, ['inspect', String.raw`C:\work\config.yml`]),
    /^Error: .*config\.yml/,
  );
}
