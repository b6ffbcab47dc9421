#!/usr/bin/env node
// Starts the executable for this platform. It is in a package of its own, which the package manager installs for the
// platforms that it fits. Any Node from version 14 on can run this file.
'use strict';
const { spawn } = require('node:child_process');
const { constants } = require('node:os');

const PROGRAM = '{{program}}';
const PACKAGES = {{packages}};

const found = PACKAGES[`${process.platform}-${process.arch}`];
if (found === undefined) {
  fail(`${PROGRAM} does not support ${process.platform}-${process.arch}. Supported: ${Object.keys(PACKAGES).join(', ')}.`);
}
let executable;
try {
  executable = require.resolve(found);
} catch {
  fail(
    `The package ${found.split('/').slice(0, 2).join('/')} is not installed. ` +
      'Install again without --omit=optional or --no-optional, on the platform that runs it.',
  );
}

const child = spawn(executable, process.argv.slice(2), { stdio: 'inherit' });
child.on('error', (error) => fail(`Cannot start ${executable}: ${error.message}.`));
child.on('exit', (status, signal) => process.exit(signal ? 128 + constants.signals[signal] : status));
// Service managers signal this process, because they do not know the id of its child.
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
// A terminal sends SIGINT to both processes.
process.on('SIGINT', () => {});

function fail(message) {
  console.error(`Error: ${message}`);
  process.exit(1);
}
