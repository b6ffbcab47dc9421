import type { DeclareRoute } from '#serve/http/route.ts';
import type { ManagerGuards } from './guards.ts';
import type { StructAnswer } from './struct-answer.ts';

/** The functions with which resources declare their routes. */
export interface ManagerHttpParts {
  readonly guards: ManagerGuards;
  readonly route: DeclareRoute;
  /** For routes that respond with several types of objects. */
  readonly answer: StructAnswer;
}
