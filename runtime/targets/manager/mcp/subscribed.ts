import { type OwnedUri, ownUri } from './resource-uri.ts';

/** The resources that one client wants to hear of. */
export interface Subscribed {
  /** `asked` is the URI the client used for it. */
  add(target: OwnedUri, asked: string): void;
  delete(target: OwnedUri): void;
  /** The URI by which the client knows a resource that was updated; nothing if it did not ask for it. */
  askedFor(server: string, uri: string): string | undefined;
}

export function createSubscribed(): Subscribed {
  const asked = new Map<string, string>();
  return {
    add: (target, uri) => void asked.set(ownUri(target), uri),
    delete: (target) => void asked.delete(ownUri(target)),
    askedFor(server, uri) {
      const own = ownUri({ server, uri });
      const exact = asked.get(own);
      if (exact !== undefined) return exact;
      // A server may tell of a part of what was subscribed to.
      const whole = [...asked].find(([target]) => own.startsWith(target));
      if (!whole) return undefined;
      const [target, known] = whole;
      return target === known ? own : uri;
    },
  };
}
