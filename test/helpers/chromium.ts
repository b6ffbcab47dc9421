import { installDebianPackage, works } from './debian-package.ts';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Only the page under test: no first-run pages, no updates, no background connections. */
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

/**
 * A working Chromium: the one in CHROMIUM_PATH, an installed one, or, as root on Debian, one installed now. If there is none, prints a
 * warning, because tests are then skipped.
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

export async function findChromium(): Promise<string | undefined> {
  for (const path of [process.env.CHROMIUM_PATH, ...PLACES]) {
    // On some systems, this is a script that only prints where to get Chromium.
    if (path && (await works(path, ['--version']))) return path;
  }
  return undefined;
}

async function installChromium(): Promise<string | undefined> {
  await installDebianPackage('chromium', 'command -v chromium');
  return await findChromium();
}
