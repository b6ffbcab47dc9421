import { BUILD } from './behaviours/build.ts';
import { EXECUTABLE } from './behaviours/executable.ts';
import { INFER } from './behaviours/infer.ts';
import { SERVE } from './behaviours/serve.ts';

/** What users can rely on: an id, where it is promised, and the promise. `coverage.test.ts` counts tests both ways. */
export const BEHAVIOURS = { ...BUILD, ...INFER, ...EXECUTABLE, ...SERVE } as const;

export type BehaviourId = keyof typeof BEHAVIOURS;
