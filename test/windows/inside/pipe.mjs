// Runs on Windows: starts a program with pipes, sends it the text of a file, and prints its output as JSON.
// Arguments: the file, the program, and the program's arguments.
import { spawn } from 'node:child_process';
import { readFileSync, writeSync } from 'node:fs';

const [input, program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: 'pipe' });
const output = { stdout: '', stderr: '' };
for (const name of ['stdout', 'stderr'])
  child[name].setEncoding('utf8').on('data', (text) => (output[name] += text));
child.stdin.end(readFileSync(input));
child.on('close', (code) => writeSync(1, JSON.stringify({ code, ...output })));
