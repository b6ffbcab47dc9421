import { startProgram } from '#serve/cli/start.ts';
import { PROGRAM } from './run-client.ts';

startProgram(PROGRAM, process.argv.slice(2));
