import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { printTable } from '../bench/measure/print.ts';
import { chosen } from '../helpers/chosen.ts';
import { readGolden } from '../helpers/golden.ts';
import { FIXTURES, ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { prepareArm64 } from '../helpers/qemu-arm64.ts';
import { portIn, startExecutable } from '../helpers/start-executable.ts';
import { type ProgramName, ROOT_CHECKS } from '../roots/checks.ts';
import { ARM64_ROOT, prepareRoot } from '../roots/roots.ts';
import { openSession, type Session } from '../roots/session.ts';

// `npm run test:arm64`: builds the four programs for linux-arm64 on Linux on x64 and runs them in a minimal arm64 system, whose programs the
// kernel starts with QEMU. Requires Linux 6.7 or newer and Debian packages. Takes about ten minutes, because emulation is slow.
// Arguments select the checks whose name contains one of them.

interface Row {
  readonly name: string;
  readonly seconds: number;
  readonly problem?: string;
}

const CONFIG = join(FIXTURES, 'models/sentiment/encoderfile.yml');
const SERVE = ['serve', '--http-hostname', '127.0.0.1', '--http-port', '0', '--disable-grpc'];

const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-arm64-'));
try {
  process.exitCode = (await testArm64()) ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function testArm64(): Promise<boolean> {
  const machine = await prepareArm64();
  if ('missing' in machine) throw new Error(`Cannot emulate arm64. Missing: ${machine.missing}`);
  const root = await prepareRoot(ARM64_ROOT);
  if ('missing' in root) throw new Error(`Cannot set up ${ARM64_ROOT.name}. Missing: ${root.missing}`);
  const programs = await buildPrograms('linux-arm64');
  const reference = join(scratch, 'x64.encoder');
  await build(reference, 'build', '-f', CONFIG, '--platform', 'linux-x64');
  const temporary = mkdtempSync(join(scratch, 'tmp-'));
  // The oldest supported CPU.
  const variables = { QEMU_CPU: 'cortex-a72' };
  const open = (name: ProgramName): Session =>
    openSession(root.path, programs[name], temporary, variables, machine.emulator);
  const checks: readonly (readonly [string, () => Promise<void>])[] = [
    ...(['encoderfile', 'encoder', 'manager', 'gateway'] as const).map(
      (name) => [`${name} version`, () => expectOutput(open(name), ['version'], /\d+\.\d+\.\d+/)] as const,
    ),
    ['encoder inspect', () => expectOutput(open('encoder'), ['inspect'], /aarch64-unknown-linux-gnu/)],
    ...ROOT_CHECKS.map(({ program, name, run, expected }) => {
      const runCheck = async (): Promise<void> => {
        const { exitCode, output } = await run(open(program));
        if (exitCode !== 0 || !expected.test(output)) throw new Error(`exit code ${exitCode}, ${output}`);
      };
      return [`${program} ${name}`, runCheck] as const;
    }),
    ['the executable that encoderfile built runs', () => compareBuilt(open('encoder'))],
    ['scores over HTTP equal those on x64 within 1e-5', () => compareScores(open('encoder'), reference)],
  ];
  const rows: Row[] = [];
  for (const [name, run] of chosen(checks, ([name]) => name)) {
    console.error(`${name} ...`);
    const started = performance.now();
    const problem = await run().then(() => undefined, messageOf);
    if (problem !== undefined) console.error(`FAILED: ${name}: ${problem}`);
    rows.push({
      name,
      seconds: (performance.now() - started) / 1000,
      ...(problem !== undefined && { problem }),
    });
  }
  printTable(
    ['check', 'result', 'seconds'],
    rows.map(({ name, seconds, problem }) => [
      name,
      problem === undefined ? 'ok' : 'FAILED',
      seconds.toFixed(1),
    ]),
  );
  return rows.every(({ problem }) => problem === undefined);
}

async function build(output: string, ...args: string[]): Promise<void> {
  const options = ['--quiet', '-o', output, '--cache-dir', TEST_CACHE];
  await execa(process.execPath, [join(ROOT, 'cli/bin.ts'), ...args, ...options], { stdio: 'inherit' });
}

async function buildPrograms(platform: string): Promise<Readonly<Record<ProgramName, string>>> {
  const path = (name: ProgramName): string => join(scratch, name);
  await build(path('encoder'), 'build', '-f', CONFIG, '--platform', platform);
  for (const [name, target] of [
    ['encoderfile', 'encoderfile'],
    ['manager', 'manager'],
    ['gateway', 'gateway'],
  ] as const)
    await build(path(name), 'target', 'build', target, '--platform', platform);
  return {
    encoderfile: path('encoderfile'),
    encoder: path('encoder'),
    manager: path('manager'),
    gateway: path('gateway'),
  };
}

async function expectOutput(session: Session, args: readonly string[], expected: RegExp): Promise<void> {
  const { exitCode, stdout, stderr } = await session.run(...args);
  if (exitCode !== 0 || !expected.test(stdout)) throw new Error(`exit code ${exitCode}, ${stdout}${stderr}`);
}

/** The executable that `ROOT_CHECKS` built on arm64 returns the same as the one that was built on x64. */
async function compareBuilt(encoder: Session): Promise<void> {
  const built = encoder.with(join(encoder.temporary, 'built.encoder'), {});
  const [actual, expected] = [
    await built.run('infer', 'I love this'),
    await encoder.run('infer', 'I love this'),
  ];
  if (actual.exitCode !== 0 || actual.stdout !== expected.stdout)
    throw new Error(`${actual.stderr}${actual.stdout}`);
}

interface Scores {
  readonly scores: readonly number[];
}

/** The model on both processors, with the same texts. */
async function compareScores(session: Session, reference: string): Promise<void> {
  const inputs = readGolden('sentiment')
    .map(({ text }) => text)
    .filter((text) => text !== '');
  const actual: Scores[] = [];
  const expected: Scores[] = [];
  const ended = await session.serve(SERVE, async (url) => void actual.push(...(await predict(url, inputs))));
  if (ended !== 0) throw new Error(`the server ended with ${ended}`);
  const server = startExecutable(reference, SERVE);
  try {
    const port = portIn(await server.said(/"msg":"serving"/), 'HTTP');
    expected.push(...(await predict(`http://127.0.0.1:${port}`, inputs)));
  } finally {
    server.child.kill('SIGTERM');
    await server.ended;
  }
  const differences = actual.flatMap(({ scores }, at) =>
    scores.map((score, label) => Math.abs(score - (expected[at]?.scores[label] ?? Number.NaN))),
  );
  const largest = Math.max(...differences);
  console.error(`${inputs.length} texts, largest difference ${largest}`);
  if (actual.length !== inputs.length || !(largest < 1e-5))
    throw new Error(`the largest difference is ${largest}`);
}

async function predict(url: string, inputs: readonly string[]): Promise<readonly Scores[]> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/predict`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ inputs }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return (parseJsonText(text) as { results: Scores[] }).results;
}
