import type { Behaviors } from './behavior.ts';

/** What `bench` promises. */
export const BENCH = {
  'bench:tables': {
    source: 'docs/bench.md',
    behavior:
      'bench measures lengths up to the maximum of the model with 1, 8 and 64 requests at a time, and flags of serve; it names the best.',
  },
  'bench:given-flags': {
    source: 'docs/bench.md',
    behavior: 'Flags of the engine are kept as they are given, and an invalid time is refused.',
  },
  'bench:interrupt': {
    source: 'docs/bench.md',
    behavior: 'SIGINT ends bench immediately, without output.',
  },
} satisfies Behaviors;
