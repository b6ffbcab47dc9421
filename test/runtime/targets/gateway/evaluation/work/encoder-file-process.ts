import { openWork } from '#gateway/evaluation/work/open-work.ts';
import { inferenceOf, toolsOf } from './working.ts';

// Opens a task with the given executable, prints that it did, and then idles until it is killed.
const [, , path = ''] = process.argv;
await openWork(inferenceOf({ kind: 'encoder-file', path }), toolsOf(), null);
process.stdout.write('open\n');
setInterval(() => undefined, 60_000);
