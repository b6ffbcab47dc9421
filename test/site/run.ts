import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { type Browser, chromium, type Page } from 'playwright-core';
import { messageOf } from '#contract/errors.ts';
import { print, printTable } from '../bench/measure/print.ts';
import { CHROMIUM_FLAGS, provideChromium } from '../helpers/chromium.ts';
import { ROOT } from '../helpers/paths.ts';
import { CHECKS, OLDER } from './checks.ts';
import { serveFolder } from './static-server.ts';

// `npm run test:site`: builds the documentation site and tests it in Chromium, at two paths of a static server. A request to another host,
// a missing file and a console error fail a check. Exit code 1 if a check fails.

const PREFIXES = ['', '/some/where/docs'];
const rows: string[][] = [];
const folder = mkdtempSync(join(tmpdir(), 'encoderfile-site-'));
try {
  mkdirSync(join(folder, OLDER));
  writeFileSync(
    join(folder, OLDER, 'index.html'),
    '<!doctype html><link rel="icon" href="data:,"><title>older</title>',
  );
  await execa(process.execPath, [join(ROOT, 'site/build.ts'), folder], { stdio: 'inherit' });
  const version = readdirSync(folder).find((name) => /^\d/.test(name) && name !== OLDER) ?? '';
  printSize(join(folder, version));
  const executablePath = await provideChromium();
  if (executablePath === undefined) throw new Error('there is no Chromium');
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
  try {
    for (const prefix of PREFIXES) await readSite(browser, prefix, version);
  } finally {
    await browser.close();
  }
  printTable(['path', 'check', 'result'], rows);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function readSite(browser: Browser, prefix: string, version: string): Promise<void> {
  const { url: root, close } = await serveFolder(folder, prefix);
  for (const [name, check] of Object.entries(CHECKS)) {
    const context = await browser.newContext({ permissions: [] });
    const page = await context.newPage();
    const problems = watch(page, root);
    try {
      await check(page, { root, version });
      if (problems.length > 0) throw new Error(problems.join(', '));
      rows.push([prefix || '/', name, 'ok']);
    } catch (error) {
      console.error(`FAILED: ${prefix} ${name}: ${messageOf(error)} ${problems.join(', ')}`);
      rows.push([prefix || '/', name, 'FAILED']);
      process.exitCode = 1;
    } finally {
      await context.close();
    }
  }
  await close();
}

/** Collects requests to other hosts, missing files and errors of a page. */
function watch(page: Page, root: string): string[] {
  const problems: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${root}/`) && !url.startsWith('data:')) problems.push(url);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('favicon')) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  return problems;
}

function printSize(path: string): void {
  const files = readdirSync(path, { recursive: true })
    .map((name) => statSync(join(path, String(name))))
    .filter((found) => found.isFile());
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  print(`The site has ${files.length} files, ${(bytes / 1e6).toFixed(1)} MB.`);
}
