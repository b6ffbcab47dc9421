import { basename } from 'node:path';
import { isSea } from 'node:sea';
import { runAppendedProgram } from '#platform/appended-program.ts';
import { startProgram } from '#serve/cli/start.ts';
import { encoderProgram } from './program.ts';

// In an executable, the executable file itself contains the model or the build tool. When running
// from source, the first argument is the path of a model.
const appended = isSea() ? runAppendedProgram(process.execPath) : 'none';
if (appended !== 'started') {
  const argv = process.argv.slice(2);
  const [modelPath = '', args] = isSea() ? [process.execPath, argv] : [argv[0], argv.slice(1)];
  const program = encoderProgram(modelPath, basename(process.argv0));
  // For a damaged file, the `verify` command reports the damage. All other commands may belong to
  // the build tool.
  startProgram(
    program,
    appended === 'none' ? args : ['verify', ...args.filter((argument) => argument === '--json')],
  );
}
