import type { RequestId } from '#serve/mcp/rpc-message.ts';

/** Open requests by numbers that are unique in all sessions. */
export interface RequestIds<Request> {
  /** Returns the number for a request. */
  add(request: Request): number;
  /** Returns the request of a number and forgets it; undefined if it is unknown. */
  take(number: unknown): Request | undefined;
  /** Returns the number of the open request with an ID. */
  numberOf(id: unknown): number | undefined;
}

export function createRequestIds<Request extends { readonly id: RequestId }>(): RequestIds<Request> {
  const open = new Map<unknown, Request>();
  const numbers = new Map<unknown, number>();
  let last = 0;
  return {
    add(request) {
      last += 1;
      open.set(last, request);
      numbers.set(request.id, last);
      return last;
    },
    take(number) {
      const request = open.get(number);
      open.delete(number);
      if (request && numbers.get(request.id) === number) numbers.delete(request.id);
      return request;
    },
    numberOf: (id) => numbers.get(id),
  };
}
