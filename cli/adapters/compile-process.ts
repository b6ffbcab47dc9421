import { text } from 'node:stream/consumers';
import { compileProgram } from '#platform/appended-program.ts';

// Entry file of the process that `v8-code-cache.ts` starts: reads a program and writes V8's
// compiled code for it.

process.stdout.write(compileProgram(await text(process.stdin)));
