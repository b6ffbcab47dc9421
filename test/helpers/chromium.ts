import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { TEST_CACHE } from './paths.ts';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Nothing but the page under test: no first-run pages, no updates, no talk with anyone. */
export const CHROMIUM_FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Test files run side by side: the second one waits for the lock and then finds what the first one installed. */
const INSTALL = `
exec 9>"$1"
flock 9
command -v chromium && exit
apt-get update
apt-get install -y --no-install-recommends chromium
`;

/**
 * A Chromium that runs: the one in CHROMIUM_PATH, an installed one, or, for root on Debian, one installed now. Where there is
 * none, says so loudly, because tests are left out then.
 */
export async function provideChromium(): Promise<string | undefined> {
  const found = (await findChromium()) ?? (await installChromium());
  if (found === undefined) {
    console.warn(
      'SKIPPED: no page was opened, because there is no Chromium. Install it, or name one in CHROMIUM_PATH.',
    );
  }
  return found;
}

async function findChromium(): Promise<string | undefined> {
  for (const path of [process.env.CHROMIUM_PATH, ...PLACES]) {
    // Some systems have a script there that only says where to get Chromium.
    if (path && (await works(path, ['--version']))) return path;
  }
  return undefined;
}

async function installChromium(): Promise<string | undefined> {
  if (process.getuid?.() !== 0 || !(await works('apt-get', ['--version']))) return undefined;
  await mkdir(TEST_CACHE, { recursive: true });
  const { exitCode, stderr } = await execa('sh', ['-ec', INSTALL, 'install', join(TEST_CACHE, 'apt.lock')], {
    reject: false,
    stdin: 'ignore',
    env: { DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (exitCode !== 0) console.warn(`Cannot install Chromium: ${stderr}`);
  return await findChromium();
}

async function works(command: string, args: readonly string[]): Promise<boolean> {
  const { exitCode } = await execa(command, args, { reject: false, stdin: 'ignore' });
  return exitCode === 0;
}
