import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import { AppError } from '#contract/errors.ts';
import { HTTP_STATUS } from '../errors/http-status.ts';
import type { Refuse } from './invalid-requests.ts';
import { REQUEST_ID_HEADER, requestIdFrom } from './request-head.ts';
import type { FailureBinding } from './request-state.ts';

/** An app that handles requests with the classes of the Fetch API. */
export interface FetchApp {
  fetch(request: Request, env: object): Response | Promise<Response>;
}

/** Passes a request to the app. */
export type AppListener = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  binding?: FailureBinding,
) => void;

/**
 * Connects an app to Node's own request and response objects. Importing this file loads Node's classes of the
 * Fetch API, which takes a tenth of a start.
 */
export function createAppListener(app: FetchApp, refuse: Refuse): AppListener {
  const errorHandler = (error: unknown): Response => refused(error, refuse);
  const listenerWith = (binding: FailureBinding) =>
    getRequestListener((request, env) => app.fetch(request, Object.assign(env, binding)), {
      hostname: 'localhost',
      errorHandler,
    });
  const listener = listenerWith({});
  return (incoming, outgoing, binding) => {
    void (binding ? listenerWith(binding) : listener)(incoming, outgoing);
  };
}

/**
 * Rejects a request that is not passed to the app, because its target and Host header do not form a
 * valid URL.
 */
function refused(error: unknown, refuse: Refuse): Response {
  const known =
    error instanceof RequestError
      ? new AppError('MalformedError', `Bad request: ${error.message}`)
      : new AppError('InternalError', 'Internal error', { cause: error });
  const answer = refuse(known, HTTP_STATUS[known.code]);
  answer.headers.set(REQUEST_ID_HEADER, requestIdFrom(undefined));
  return answer;
}
