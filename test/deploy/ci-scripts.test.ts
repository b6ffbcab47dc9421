import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeEach, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { builtCli } from '../helpers/built.ts';
import { emptyExecutableCache } from '../helpers/executable-cache.ts';
import { fixtureContents, HubRepository } from '../helpers/hub-repository.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { hubVariables, useHub } from '../helpers/use-hub.ts';
import { readTemplate } from './templates.ts';

const folder = useTempFolder();
const hub = useHub();

interface Step {
  readonly id?: string;
  readonly run?: string;
}

/** The scripts that build, as the runners of GitHub and GitLab start them. */
const SCRIPTS = {
  'github-action/action.yml': (text: string) => {
    const { runs } = parse(text) as { runs: { steps: Step[] } };
    return [
      'bash',
      '--noprofile',
      '--norc',
      '-eo',
      'pipefail',
      '-c',
      runs.steps.find(({ id }) => id === 'build')?.run ?? '',
    ];
  },
  'gitlab-component/template.yml': (text: string) => {
    const [, jobs] = parseAllDocuments(text).map(
      (document) => document.toJS() as Record<string, { script: string[] }>,
    );
    return ['sh', '-ec', jobs?.['build-encoder']?.script.join('\n') ?? ''];
  },
};

beforeEach(() => {
  writeFileSync(
    join(folder(), 'encoderfile'),
    `#!/bin/sh\nexec "${process.execPath}" "${builtCli()}" "$@"\n`,
  );
  chmodSync(join(folder(), 'encoderfile'), 0o755);
  hub().add('acme/sentiment', new HubRepository(fixtureContents('sentiment')));
});

test.each(Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[])(
  'the script of %s builds a model from the hub',
  async (path) => {
    const [shell = '', ...args] = SCRIPTS[path](readTemplate(path));
    const env = {
      ...hubVariables(hub(), folder()),
      PATH: `${folder()}:${process.env['PATH']}`,
      ENCODERFILE_BUILD_CACHE_DIR: emptyExecutableCache(folder()),
      MODEL: 'hf:acme/sentiment',
      CONFIG: 'encoderfile.yml',
      PLATFORM: '',
      OUTPUT: "it's $(touch broken).encoder",
      GITHUB_OUTPUT: join(folder(), 'output'),
      GITHUB_STEP_SUMMARY: join(folder(), 'summary'),
    };
    const run = (variables: Record<string, string> = {}) =>
      execa(shell, args, { cwd: folder(), env: { ...env, ...variables }, reject: false });
    const built = await run();
    expect(built).toMatchObject({ exitCode: 0 });
    const { stdout } = await execa(join(folder(), env.OUTPUT), ['infer', 'I love this']);
    expect(stdout).toContain('POSITIVE');
    // GitLab has no file for outputs.
    const outputs = path.startsWith('github') ? readFileSync(env.GITHUB_OUTPUT, 'utf8') : built.stdout;
    expect(outputs).toMatch(
      path.startsWith('github')
        ? /^path=\/.*\.encoder\nsha256=[0-9a-f]{64}\n$/
        : /^[0-9a-f]{64} {2}it's .*\.encoder$/m,
    );
    // A failure of any command fails the job.
    expect((await run({ MODEL: 'hf:acme/none' })).exitCode).not.toBe(0);
    expect((await run({ MODEL: '', CONFIG: 'missing.yml' })).stderr).toContain(
      'No such config file: missing.yml',
    );
  },
);
