import type { Behaviors } from './behavior.ts';

/** Documented behavior of `bench`. */
export const BENCH = {
  'bench:tables': {
    source: 'docs/bench.md',
    behavior:
      "bench measures texts up to the model's maximum length at 1, 8 and 64 concurrent requests, compares serve flags, and recommends the best ones.",
  },
  'bench:given-flags': {
    source: 'docs/bench.md',
    behavior: 'bench measures with the engine flags from its command line, and rejects an invalid duration.',
  },
  'bench:images': {
    source: 'docs/bench.md',
    behavior:
      'For models that read images, bench measures drawn images of several sizes at 1, 8 and 64 concurrent requests; for models that also read texts, both.',
  },
  'bench:input': {
    source: 'docs/bench.md',
    behavior:
      'With --input, bench measures the texts or images of a file or folder, and fails with one sentence if one of them cannot be read.',
  },
  'bench:interrupt': {
    source: 'docs/bench.md',
    behavior: 'On SIGINT, bench exits immediately without output.',
  },
} satisfies Behaviors;
