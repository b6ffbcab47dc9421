import { type OwnedUri, ownUri } from './resource-uri.ts';

/** The resources that one client is subscribed to. */
export interface ClientSubscriptions {
  /** Adds a resource; `uri` is the client's URI for it. */
  add(target: OwnedUri, uri: string): void;
  delete(target: OwnedUri): void;
  /** Returns the client's URI for an updated resource; undefined if the client is not subscribed to it. */
  clientUri(server: string, uri: string): string | undefined;
}

export function createClientSubscriptions(): ClientSubscriptions {
  const uris = new Map<string, string>();
  return {
    add: (target, uri) => void uris.set(ownUri(target), uri),
    delete: (target) => void uris.delete(ownUri(target)),
    clientUri(server, uri) {
      const own = ownUri({ server, uri });
      const exact = uris.get(own);
      if (exact !== undefined) return exact;
      // A server can send updates for sub-resources.
      const whole = [...uris].find(([target]) => own.startsWith(target));
      if (!whole) return undefined;
      const [target, known] = whole;
      return target === known ? own : uri;
    },
  };
}
