import type { DeclareRoute } from '#serve/http/route.ts';
import type { ManagerGuards } from './guards.ts';
import type { StructAnswer } from './struct-answer.ts';

/** Functions that resources use to declare their routes. */
export interface ManagerHttpParts {
  readonly guards: ManagerGuards;
  readonly route: DeclareRoute;
  /** For routes whose response can have several object types. */
  readonly answer: StructAnswer;
}
