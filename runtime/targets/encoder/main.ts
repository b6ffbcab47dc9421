import { basename } from 'node:path';
import { isSea } from 'node:sea';
import { startProgram } from '../../serve/cli/start.ts';
import { encoderProgram } from './program.ts';

// Inside an executable the model is in this very file; from source the first argument names it.
const argv = process.argv.slice(2);
const [modelPath = '', args] = isSea() ? [process.execPath, argv] : [argv[0], argv.slice(1)];

startProgram(encoderProgram(modelPath, basename(process.argv0)), args);
