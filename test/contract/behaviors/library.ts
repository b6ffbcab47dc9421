import type { Behaviors } from './behavior.ts';

/** Documented behavior of the npm package as a library. */
export const LIBRARY = {
  'library:results': {
    source: 'docs/node.md#vectors-and-results',
    behavior:
      'embed and predict return the values of POST /predict for each model type, vectors as Float32Array.',
  },
  'library:errors': {
    source: 'docs/node.md#errors',
    behavior:
      'Missing, truncated and foreign files, invalid options, inputs that the model rejects and a closed model are errors with a sentence and a code.',
  },
  'library:build': {
    source: 'docs/node.md#open-a-model',
    behavior: 'A model folder is built into the cache once, and again after a change.',
  },
  'library:hub': {
    source: 'docs/node.md#open-a-model',
    behavior:
      'A model of the Hugging Face Hub is downloaded and built once for each commit, and a commit in the cache needs no network.',
  },
  'library:concurrent': {
    source: 'docs/node.md#processes-and-threads',
    behavior:
      'Concurrent calls share batches, a file can be opened repeatedly, and an aborted call rejects with the reason of its signal.',
  },
  'library:threads': {
    source: 'docs/node.md#processes-and-threads',
    behavior: 'Models work in worker threads, also in several, and after other threads have closed theirs.',
  },
  'library:exit': {
    source: 'docs/node.md#processes-and-threads',
    behavior:
      'A process ends without close when no calls are in flight, and process.exit during a call keeps its exit code.',
  },
  'library:modules': {
    source: 'docs/node.md',
    behavior:
      'The package can be imported and required, also by a script from stdin, and has types for both.',
  },
} as const satisfies Behaviors;
