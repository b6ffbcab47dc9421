import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa, execaSync } from 'execa';
import { messageOf } from '#contract/errors.ts';
import { printTable } from '../bench/measure/print.ts';
import { FIXTURES, ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { prepareRoot } from '../roots/roots.ts';
import { findPodman, runInPodman, serveInPodman } from './podman.ts';

// `npm run test:oci`: builds images and reads them with skopeo, umoci and Podman. Prints a table; exit code 1 if a check failed.

const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-oci-'));
const rows: string[][] = [];
try {
  const minimal = join(scratch, 'minimal.oci');
  const archive = join(scratch, 'minimal.tar');
  const extended = join(scratch, 'extended.tar');
  const base = join(scratch, 'base');
  await check('build a folder', [], () => build('-o', minimal));
  await check('build an archive', [], () => build('-o', archive));
  await check('skopeo inspect', ['skopeo'], async () => {
    expectText(await run('skopeo', 'inspect', `oci:${minimal}:1.0.0`), /"Architecture": "(amd64|arm64)"/);
    expectText(await run('skopeo', 'inspect', '--config', `oci-archive:${archive}`), /"serve"/);
  });
  await check('skopeo copy to docker-archive', ['skopeo'], () =>
    run('skopeo', 'copy', `oci:${minimal}`, `docker-archive:${join(scratch, 'docker.tar')}`),
  );
  await check('umoci unpack', ['umoci'], async () => {
    await run('umoci', 'unpack', '--rootless', '--image', `${minimal}:1.0.0`, join(scratch, 'bundle'));
    if (!existsSync(join(scratch, 'bundle/rootfs/app/model.encoder'))) throw new Error('no executable');
  });
  await check('base image of Debian, by umoci', ['umoci', 'debootstrap'], async () => {
    const root = await prepareRoot({ name: 'minbase-bookworm', release: 'bookworm', kind: 'minbase' });
    if ('missing' in root) throw new Error(root.missing);
    await run('umoci', 'init', '--layout', base);
    await run('umoci', 'new', '--image', `${base}:bookworm`);
    await run('umoci', 'insert', '--image', `${base}:bookworm`, root.path, '/');
    await run('umoci', 'config', '--image', `${base}:bookworm`, '--config.env', 'LANG=C.UTF-8');
  });
  if (existsSync(base)) {
    await check('build on the base image', [], () =>
      build('-o', extended, '--base-image', `${base}:bookworm`),
    );
    await check('skopeo inspect, base image', ['skopeo'], async () =>
      expectText(await run('skopeo', 'inspect', `oci-archive:${extended}`), /LANG=C\.UTF-8/),
    );
  }
  const podman = await findPodman(scratch, archive);
  if ('missing' in podman) console.warn(`SKIPPED: Podman. Missing: ${podman.missing}`);
  else {
    console.info(`Podman runs with: ${podman.options.join(' ')}`);
    await check('podman load, run --read-only', [], async () => {
      await podman.load(archive);
      expectText(await runInPodman(podman, 'localhost/sentiment:1.0.0', 'infer', 'I love this'), /POSITIVE/);
    });
    await check('podman, serve and SIGTERM', [], async () =>
      expectText(await serveInPodman(podman, 'localhost/sentiment:1.0.0'), /^0 200 .*POSITIVE/),
    );
    if (existsSync(extended)) {
      await check('podman, base image', [], async () =>
        expectText(await runInPodman(podman, `oci-archive:${extended}`, 'infer', 'I love this'), /POSITIVE/),
      );
    }
    await podman.removeAll();
  }
  printTable(['check', 'result'], rows);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Runs a check if its programs are installed. */
async function check(name: string, programs: readonly string[], body: () => Promise<unknown>): Promise<void> {
  const missing = programs.filter(
    (program) => execaSync('which', [program], { reject: false }).exitCode !== 0,
  );
  if (missing.length > 0) {
    console.warn(`SKIPPED: ${name}. Missing: ${missing.join(', ')}`);
    rows.push([name, '-']);
    return;
  }
  try {
    await body();
    rows.push([name, 'ok']);
  } catch (error) {
    console.error(`FAILED: ${name}: ${messageOf(error)}`);
    process.exitCode = 1;
    rows.push([name, 'FAILED']);
  }
}

async function build(...args: string[]): Promise<void> {
  const config = join(FIXTURES, 'models/sentiment/encoderfile.yml');
  const options = ['--format', 'oci', '--quiet', '--cache-dir', TEST_CACHE];
  await run(process.execPath, join(ROOT, 'cli/bin.ts'), 'build', '-f', config, ...options, ...args);
}

async function run(program: string, ...args: string[]): Promise<string> {
  return (await execa(program, args)).stdout;
}

function expectText(text: string, pattern: RegExp): void {
  if (!pattern.test(text)) throw new Error(`${pattern} is not in ${text}`);
}
