import type { DeclareRoute } from '#serve/http/route.ts';
import type { Guards } from './guards.ts';
import type { StructAnswer } from './struct-answer.ts';

/** The functions with which resources declare their routes. */
export interface HttpParts {
  readonly guards: Guards;
  readonly route: DeclareRoute;
  /** For routes that respond with several types of objects. */
  readonly answer: StructAnswer;
}
