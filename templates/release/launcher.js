#!/usr/bin/env node
// Starts the executable for this platform. It is in a package of its own, which the package manager installs for the
// platforms that it fits. Any Node from version 14 on can run this file, so modules of Node have no prefix.
'use strict';
const { spawn } = require('child_process');
const { constants } = require('os');

const PROGRAM = '{{program}}';
const PACKAGES = {{packages}};

const found = PACKAGES[`${process.platform}-${process.arch}`];
if (found === undefined) {
  fail(`${PROGRAM} does not support ${process.platform}-${process.arch}. Supported: ${Object.keys(PACKAGES).join(', ')}.`);
}
if (process.platform === 'linux' && process.report && !process.report.getReport().header.glibcVersionRuntime) {
  fail(`${PROGRAM} needs glibc 2.28 or newer. This system has another C library; use a Debian slim image instead of Alpine.`);
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

// Service managers signal this process, because they do not know the id of its child. A terminal sends SIGINT to both.
// A signal right after the start would end only this process, so they are handled before it.
let child;
const { stdin, stdout, stderr } = process;
const forwarded = ['SIGTERM', 'SIGHUP', ...(stdin.isTTY || stdout.isTTY || stderr.isTTY ? [] : ['SIGINT'])];
for (const signal of forwarded) process.on(signal, () => child?.kill(signal));
if (!forwarded.includes('SIGINT')) process.on('SIGINT', () => {});
child = spawn(executable, process.argv.slice(2), { stdio: 'inherit' });
child.on('error', (error) => fail(`Cannot start ${executable}: ${error.message}.`));
child.on('exit', (status, signal) => process.exit(signal ? 128 + constants.signals[signal] : status));

function fail(message) {
  console.error(`Error: ${message}`);
  process.exit(1);
}
