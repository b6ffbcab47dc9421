import { Hono } from 'hono';
import type { BodyReader } from '#serve/http/body.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import type { RouteGroup } from '#serve/http/route-group.ts';
import type { StructAnswer } from './struct-answer.ts';

/** The dependencies of all routes. */
export interface HttpParts {
  readonly answer: StructAnswer;
  readonly readBody: BodyReader;
}

export type ManagerRoutes = RouteGroup<ShellEnv>;

export const newRoutes = (): Hono<ShellEnv> => new Hono<ShellEnv>();
