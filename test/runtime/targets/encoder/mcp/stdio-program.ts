// A process that serves the model at a path over its own stdin and stdout, like `<model>.encoder mcp`.
import { serveStdio } from '#encoder/mcp/stdio.ts';
import { openServing } from './serving-context.ts';

const [path = ''] = process.argv.slice(2);
const context = await openServing(path);
const ended = new AbortController();
process.once('SIGTERM', () => ended.abort());
await serveStdio(context, { stdin: process.stdin, stdout: process.stdout, signal: ended.signal });
await context.engine.close();
process.stderr.write('ended\n');
