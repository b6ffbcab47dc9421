import { createHostCheck, type HostRules } from '#serve/http/host-rules.ts';
import type { NodeRequest } from './node-http.ts';

/**
 * Checks Host and Origin of requests that a browser can send: over HTTP/1.1 (gRPC-Web and Connect), or with an Origin. Browsers
 * do not use HTTP/2 without TLS, and a certificate does not have a name that an attacker points here, so the names of services
 * that gRPC clients send over HTTP/2 are free.
 */
export function createBrowserCheck(rules: HostRules): (request: NodeRequest) => string | undefined {
  const refusal = createHostCheck(rules);
  return ({ httpVersionMajor, headers }) => {
    if (httpVersionMajor > 1 && headers.origin === undefined) return undefined;
    const host = headers.host ?? headers[':authority']?.toString();
    // The request is refused later, as an invalid one.
    if (host === undefined) return undefined;
    const given: Readonly<Record<string, string | undefined>> = { host, origin: headers.origin };
    return refusal({ url: '', headers: { get: (name) => given[name] ?? null } });
  };
}
