import { isObject } from '#core/json/is-object.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { type Requester, RpcFailure } from './connection.ts';

/** The notification that a person has completed what a URL was opened for. */
export const ELICITATION_COMPLETE = 'notifications/elicitation/complete';

/** The error of a call that requires a person to open URLs first (revision 2025-11-25). */
export const URL_ELICITATION_REQUIRED = -32_042;

/** The URLs that a server has asked clients to open, so that each client only learns about its own. */
export interface UrlElicitations {
  /** Remembers the client of a request, if it is a request to open a URL. */
  request(requester: Requester, method: string, params: ShapeOfParams | undefined): void;
  /** Remembers the client of a failed call that requires URLs. Returns the error without unsafe URLs. */
  failure(requester: Requester | undefined, error: RpcFailure): RpcFailure;
  /** Notifies the client whose URL is completed. */
  complete(params: ShapeOfParams | undefined): void;
}

/** Maximum number of URLs per connection. When it is exceeded, the oldest one is forgotten. */
const MAX_OPEN = 1000;

/** @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation */
export function createUrlElicitations(): UrlElicitations {
  const open = new Map<string, Requester>();
  const remember = (requester: Requester | undefined, { elicitationId }: ShapeOfParams): void => {
    if (!requester?.notify || typeof elicitationId !== 'string') return;
    open.set(elicitationId, requester);
    const [oldest] = open.keys();
    if (oldest !== undefined && open.size > MAX_OPEN) open.delete(oldest);
  };
  return {
    request(requester, method, params = {}) {
      if (isUrlRequest(method, params) && isSafe(params['url'])) remember(requester, params);
    },
    failure(requester, error) {
      const { code, message, data } = error;
      if (code !== URL_ELICITATION_REQUIRED) return error;
      const { elicitations, ...others } = membersOf(data);
      if (!Array.isArray(elicitations)) return error;
      const safe = elicitations.filter((one: unknown) => isObject(one) && isSafe(one['url']));
      for (const one of safe) remember(requester, membersOf(one));
      return new RpcFailure(code, message, { ...others, elicitations: safe });
    },
    complete(params) {
      const id = String(params?.['elicitationId']);
      const requester = open.get(id);
      open.delete(id);
      requester?.notify?.(ELICITATION_COMPLETE, { elicitationId: id });
    },
  };
}

const isUrlRequest = (method: unknown, params: ShapeOfParams): boolean =>
  method === 'elicitation/create' && params['mode'] === 'url';

/** Whether a server's request is safe for clients: it does not ask to open a URL, or the URL is safe. */
export const hasSafeUrl = (method: unknown, params: ShapeOfParams = {}): boolean =>
  !isUrlRequest(method, params) || isSafe(params['url']);

/** Whether clients can open a URL in a browser without running code or reading files. */
function isSafe(url: unknown): boolean {
  const protocol = typeof url === 'string' ? URL.parse(url)?.protocol : undefined;
  return protocol === 'https:' || protocol === 'http:';
}
