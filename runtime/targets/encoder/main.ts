import { basename } from 'node:path';
import { isSea } from 'node:sea';
import { writeAll } from '../../platform/stdio.ts';
import type { Output } from '../../serve/cli/command.ts';
import { runProgram } from '../../serve/cli/run.ts';
import { encoderProgram } from './program.ts';

// Inside an executable the model is in this very file; from source the first argument names it.
const argv = process.argv.slice(2);
const [modelPath = '', args] = isSea() ? [process.execPath, argv] : [argv[0], argv.slice(1)];

const output: Output = { out: (text) => writeAll(1, text), err: (text) => writeAll(2, text) };

void runProgram(encoderProgram(modelPath, basename(process.argv0)), args, output).then((code) => {
  // Everything is written by now; waiting for native threads to end would only cost time.
  process.exit(code);
});
