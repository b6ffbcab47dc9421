import type { Params } from '../shapes/shape.ts';
import type { Endpoint } from './endpoint.ts';

/** A log message of a server as clients get it: where there are several servers, with the name of that one. */
export const createMessageView =
  ({ server }: Endpoint) =>
  (from: string, params: Params): Params =>
    server === undefined ? { ...params, logger: loggerName(from, params) } : params;

const loggerName = (server: string, { logger }: Params): string =>
  typeof logger === 'string' ? `${server}/${logger}` : server;
