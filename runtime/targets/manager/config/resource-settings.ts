import { SIGNATURE_ALGORITHMS } from '#serve/oauth/jwt-form.ts';
import { isLoopbackHost } from '#serve/http/host-rules.ts';
import type { IntrospectionSettings, ResourceSettings } from './spec.ts';
import type { TableReader } from './table-reader.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

/** The keys of `[daemon.api.oauth]`. */
export const RESOURCE_KEYS = [
  'issuer',
  'resource',
  'audiences',
  'jwks_uri',
  'algorithms',
  'user_claim',
  'admin_scope',
  'scopes',
  'introspection_client_id',
  'introspection_url',
] as const;

/** Reads `[daemon.api.oauth]`: the access tokens that the manager accepts as a protected resource. */
export function readResource(table: TableReader | undefined): ResourceSettings | undefined {
  if (!table) return undefined;
  const [issuer, resource] = [readUrl(table, 'issuer'), readUrl(table, 'resource')];
  const jwksUri = table.text('jwks_uri') === undefined ? undefined : readUrl(table, 'jwks_uri');
  const algorithms = table.texts('algorithms') ?? SIGNATURE_ALGORITHMS;
  const unknown = algorithms.filter((name) => !SIGNATURE_ALGORITHMS.some((known) => known === name));
  if (unknown.length > 0 || algorithms.length === 0) {
    table.report(`algorithms must be some of ${SIGNATURE_ALGORITHMS.join(', ')}.`, 'algorithms');
  }
  const introspection = readIntrospection(table);
  const scopes = table.table('scopes');
  return {
    issuer: issuer ?? '',
    resource: trimEndOf(resource ?? '', '/'),
    audiences: table.texts('audiences') ?? [],
    jwksUri,
    algorithms,
    userClaim: table.text('user_claim') ?? 'sub',
    adminScope: table.text('admin_scope'),
    ...(introspection && { introspection }),
    scopes: scopes && new Map(scopes.keys().map((name) => [name, scopes.texts(name) ?? []])),
  };
}

function readIntrospection(table: TableReader): IntrospectionSettings | undefined {
  const url = table.text('introspection_url') === undefined ? undefined : readUrl(table, 'introspection_url');
  const clientId = table.text('introspection_client_id');
  if (clientId !== undefined) return { clientId, url };
  if (url !== undefined) {
    table.report('introspection_url requires introspection_client_id.', 'introspection_url');
  }
  return undefined;
}

/** Reads a URL. Keys over unprotected HTTP could be replaced on the way, so only this machine can use it. */
function readUrl(
  table: TableReader,
  key: 'issuer' | 'resource' | 'jwks_uri' | 'introspection_url',
): string | undefined {
  const text = table.text(key);
  if (text === undefined) {
    if (!table.mentions(key)) table.report(`${key} is missing. Set its https:// URL.`);
    return undefined;
  }
  const url = URL.parse(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (isSafe && url?.hash === '' && url.search === '') return text;
  const rule = 'must be an https:// URL without query, or an http:// URL of this machine';
  table.report(`${key} ${rule}, not ${JSON.stringify(text)}.`, key);
  return undefined;
}
