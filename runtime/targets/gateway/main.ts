import { startProgram } from '#serve/cli/start.ts';
import { gatewayProgram } from './program.ts';

startProgram(gatewayProgram, process.argv.slice(2));
