import type { Behaviors } from './behavior.ts';

/** What `bench` promises. */
export const BENCH = {
  'bench:tables': {
    source: 'docs/bench.md',
    behavior:
      "bench measures texts up to the model's maximum length at 1, 8 and 64 concurrent requests, compares flags of serve, and names the best ones.",
  },
  'bench:given-flags': {
    source: 'docs/bench.md',
    behavior: 'Engine flags on the command line are kept, and an invalid time is rejected.',
  },
  'bench:interrupt': {
    source: 'docs/bench.md',
    behavior: 'SIGINT ends bench immediately, without output.',
  },
} satisfies Behaviors;
