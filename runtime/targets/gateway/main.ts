import { writeAll } from '../../platform/stdio.ts';
import { runProgram } from '../../serve/cli/run.ts';
import { gatewayProgram } from './program.ts';

void runProgram(gatewayProgram, process.argv.slice(2), {
  out: (text) => writeAll(1, text),
  err: (text) => writeAll(2, text),
}).then((code) => {
  process.exitCode = code;
});
