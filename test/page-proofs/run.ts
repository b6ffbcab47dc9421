import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machineLine, print } from '../bench/measure/print.ts';
import { checkHostile } from './check-hostile.ts';
import { checkLarge } from './check-large.ts';
import { checkPages } from './check-pages.ts';
import { buildPrograms } from './programs/build-programs.ts';
import { chosen } from '../helpers/chosen.ts';

// `npm run test:pages [pages] [hostile] [large]`: builds the executables and tests their pages in Chromium and Firefox: every page with its
// user flows, hostile texts, and interaction times with large data. PAGE_PROGRAMS is a folder with executables, SCREENSHOTS a folder for
// screenshots of every page. Exit code 1 if a check fails.

const CHECKS = { pages: checkPages, hostile: checkHostile, large: checkLarge };

const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-pages-'));
try {
  print(machineLine());
  const programs = await buildPrograms(scratch);
  for (const [name, check] of chosen(Object.entries(CHECKS), ([key]) => key)) {
    print(`\n${name}`);
    const folder = join(scratch, name);
    mkdirSync(folder);
    const problems = await check(programs, folder);
    for (const problem of problems) console.error(`FAILED: ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
  }
} finally {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 10 });
}
