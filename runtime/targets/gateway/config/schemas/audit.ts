import { keys, retention } from './shapes.ts';

export const audit = keys(
  { retention: retention('How long events are kept, e.g. 90d, or forever.', '365d') },
  'Log of administrative changes.',
);
