import type { Contestant } from './contestant.ts';

/** Requests without an intermediate process. */
export const direct: Contestant = {
  name: 'direct',
  start: (port) =>
    Promise.resolve({
      pid: undefined,
      target: { port, model: (name) => name, headers: { authorization: 'Bearer sk-bench' } },
      stop: () => Promise.resolve(),
    }),
};
