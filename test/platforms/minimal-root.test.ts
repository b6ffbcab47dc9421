import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtBuildTool, builtExecutable, builtProgram } from '../helpers/built.ts';
import { type ProgramName, ROOT_CHECKS } from '../roots/checks.ts';
import { canEnterRoots } from '../roots/enter.ts';
import { prepareRoot, SMALLEST_ROOT } from '../roots/roots.ts';
import { openSession } from '../roots/session.ts';

/** Packages are downloaded on the first run. */
const PREPARE_MS = 600_000;

describe('a root file system with only libc6, libstdc++6 and libgcc-s1', () => {
  const temporary = mkdtempSync(join(tmpdir(), 'encoderfile-root-'));
  afterAll(() => rmSync(temporary, { recursive: true, force: true }));

  let path: string | undefined;
  beforeAll(async () => {
    const root = canEnterRoots()
      ? await prepareRoot(SMALLEST_ROOT)
      : { missing: 'namespaces (`unshare -rm` fails)' };
    if ('path' in root) path = root.path;
    else console.warn(`SKIPPED: no program was run in a minimal root. Missing: ${root.missing}`);
  }, PREPARE_MS);

  it.for(ROOT_CHECKS)('runs $program $name', async ({ program, run, expected }, context) => {
    context.skip(path === undefined, 'no root');
    const outcome = await run(openSession(path ?? '', EXECUTABLES[program](), temporary));
    expect(outcome).toEqual({ exitCode: 0, output: expect.stringMatching(expected) });
  });

  it('reports a library that the native libraries require and the root file system lacks', async (context) => {
    context.skip(path === undefined, 'no root');
    const root = join(temporary, 'root');
    cpSync(path ?? '', root, { recursive: true, verbatimSymlinks: true });
    const libraries = globSync('{usr/,}lib*/**/librt.so.1', { cwd: root });
    for (const library of libraries) rmSync(join(root, library));
    const state = join(temporary, 'without-librt');
    mkdirSync(state);
    const { exitCode, stderr } = await openSession(root, EXECUTABLES.encoder(), state).run(
      'infer',
      'some text',
    );
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringMatching(/^Error: [^\n]*: this system has no librt\.so\.1\. Install [^\n]*$/),
    });
  });
});

const EXECUTABLES: Record<ProgramName, () => string> = {
  encoderfile: builtBuildTool,
  encoder: () => builtExecutable('sentiment'),
  manager: () => builtProgram('manager'),
  gateway: () => builtProgram('gateway'),
};
