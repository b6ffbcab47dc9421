import { installDebianPackage, works } from './debian-package.ts';

const PLACES = ['/usr/bin/firefox-esr', '/usr/bin/firefox'];

/** A working Firefox: the one in FIREFOX_PATH, an installed one, or, as root on Debian, one installed now. */
export async function provideFirefox(): Promise<string | undefined> {
  const found = await findFirefox();
  if (found !== undefined) return found;
  await installDebianPackage('firefox-esr', 'command -v firefox-esr');
  const installed = await findFirefox();
  if (installed === undefined) {
    console.warn(
      'SKIPPED: no page was opened in Firefox, because there is none. Install it, or name one in FIREFOX_PATH.',
    );
  }
  return installed;
}

async function findFirefox(): Promise<string | undefined> {
  for (const path of [process.env.FIREFOX_PATH, ...PLACES]) {
    if (path && (await works(path, ['--version']))) return path;
  }
  return undefined;
}
