import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { builtBuildTool, builtExecutable } from '../helpers/built.ts';
import { ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { runProcess } from '../helpers/run-process.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';

// The tests of the Python package that need no build of their own. `npm run test:python` runs all of them, on each installed Python version.

const QUICK = [
  'test_inference.SentenceTest',
  'test_processes.ServerTest',
  'test_processes.EndOfPythonTest',
  'test_build.CommandTest',
  'test_build.BuilderTest.test_names',
];
const MODELS = ['sentence', 'ner'];

const folder = useTempFolder();
const missing = missingPython();
if (missing !== undefined) console.log(`Skipped: the tests of the Python package require ${missing}.`);

let models = '';
beforeAll(() => {
  if (missing === undefined) for (const model of MODELS) models = dirname(builtExecutable(model));
});

test.skipIf(missing !== undefined).each(QUICK)('%s', async (name) => {
  const site = join(folder(), 'site');
  // The layout of `pip install --target`.
  mkdirSync(join(site, 'bin'), { recursive: true });
  symlinkSync(join(ROOT, 'python/encoderfile'), join(site, 'encoderfile'));
  linkSync(builtBuildTool(), join(site, 'bin/encoderfile'));
  const env = {
    PYTHONPATH: site,
    PYTHONDONTWRITEBYTECODE: '1',
    ENCODERFILE_TEST_MODELS: models,
    ENCODERFILE_CACHE_DIR: TEST_CACHE,
  };
  const answer = await runProcess('python3', ['-W', 'error::ResourceWarning', '-m', 'unittest', name], {
    cwd: import.meta.dirname,
    env,
  });
  expect(answer.stderr).toMatch(/\nOK(?: \(skipped=\d+\))?$/);
});

/** What is missing for the tests of the Python package; undefined if nothing is. */
function missingPython(): string | undefined {
  if (process.platform !== 'linux') return 'Linux';
  try {
    const check = 'import sys; sys.exit(sys.version_info < (3, 9))';
    execFileSync('python3', ['-c', check], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'Python 3.9 or newer';
  }
}
