import { basename } from 'node:path';
import { isSea } from 'node:sea';
import { runAppendedProgram } from '../../platform/appended-program.ts';
import { startProgram } from '../../serve/cli/start.ts';
import { encoderProgram } from './program.ts';

// In an executable, the model is in this file, or the build tool; from source, the first argument is the path of a model.
if (!isSea() || !runAppendedProgram(process.execPath)) {
  const argv = process.argv.slice(2);
  const [modelPath = '', args] = isSea() ? [process.execPath, argv] : [argv[0], argv.slice(1)];
  startProgram(encoderProgram(modelPath, basename(process.argv0)), args);
}
