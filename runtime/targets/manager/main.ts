import { writeAll } from '../../platform/stdio.ts';
import { runProgram } from '../../serve/cli/run.ts';
import { managerProgram } from './program.ts';

void runProgram(managerProgram, process.argv.slice(2), {
  out: (text) => writeAll(1, text),
  err: (text) => writeAll(2, text),
}).then((code) => {
  process.exitCode = code;
});
