import { startProgram } from '#serve/cli/start.ts';
import { managerProgram } from './program.ts';

startProgram(managerProgram, process.argv.slice(2));
