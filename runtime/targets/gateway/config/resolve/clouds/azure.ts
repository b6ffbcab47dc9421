import {
  type EntraClient,
  ENTRA_AUTHORITY,
  ENTRA_SCOPE,
} from '../../../providers/adapters/access/entra-token.ts';
import { isLocalUrl, readBaseUrl } from '../base-url.ts';
import { withCommonPath } from '../common-path.ts';
import { sendableKey } from '../sendable.ts';
import type { CloudEntry, ResolveCloud } from './cloud.ts';

export const resolveAzure: ResolveCloud = (parts) => {
  const { context, path, entry, written, apiKey: ownKey } = parts;
  const { report, flagsAndEnv } = context;
  const endpoint = flagsAndEnv.variable('AZURE_OPENAI_ENDPOINT');
  const url = written ?? (endpoint === undefined ? undefined : withCommonPath(endpoint, 'azure'));
  if (url === undefined || !URL.canParse(url)) {
    const rule = 'set `api_base` to the resource URL, e.g. https://my-resource.openai.azure.com';
    report(
      path,
      url === undefined
        ? `type azure has no default address; ${rule}`
        : `AZURE_OPENAI_ENDPOINT is not a URL; ${rule}`,
      'key',
    );
    return undefined;
  }
  const [baseUrl = '', query] = url.split('?', 2);
  const inUrl = new URLSearchParams(query).get('api-version') ?? undefined;
  const apiVersion = entry.api_version ?? inUrl ?? flagsAndEnv.variable('OPENAI_API_VERSION');
  if (apiVersion !== undefined && !/^(\d{4}-\d\d-\d\d(-preview)?|v1|latest|preview)$/.test(apiVersion)) {
    report(
      [...path, 'api_version'],
      `unknown version \`${apiVersion}\`; expected a date such as 2024-10-21, or preview`,
    );
    return undefined;
  }
  const entra = ownKey === undefined ? entraOf(parts) : undefined;
  if (entra === 'invalid') return undefined;
  if (ownKey !== undefined && entry.entra) {
    report([...path, 'entra'], 'conflicts with `api_key`; keep one of them', 'key');
    return undefined;
  }
  // The key in the environment belongs to the resource in the environment.
  const isOwn = path.at(-1)?.toLowerCase() === 'azure' || written === undefined;
  const variable =
    entra || ownKey !== undefined || !isOwn ? undefined : flagsAndEnv.variable('AZURE_OPENAI_API_KEY');
  const apiKey = ownKey ?? sendableKey(context, path, variable, 'AZURE_OPENAI_API_KEY');
  const deployments = entry.deployments ?? {};
  return {
    baseUrl,
    apiKey,
    cloud: { kind: 'azure', apiVersion, deployments, entra },
    secrets: entra ? [entra.clientSecret] : [],
  };
};

/** The application in the entry or, if there is no key, in the environment. */
function entraOf({ context, path, entry }: CloudEntry): EntraClient | 'invalid' | undefined {
  const { report, flagsAndEnv, secrets } = context;
  const { entra } = entry;
  const hasKey = flagsAndEnv.variable('AZURE_OPENAI_API_KEY') !== undefined;
  const value = (name: 'tenant_id' | 'client_id' | 'client_secret'): string | undefined =>
    entra?.[name] ?? flagsAndEnv.variable(`AZURE_${name.toUpperCase()}`);
  const [tenantId, clientId, clientSecret] = [value('tenant_id'), value('client_id'), value('client_secret')];
  if (clientSecret !== undefined) secrets.add(clientSecret, ['secret']);
  if (tenantId !== undefined && clientId !== undefined && clientSecret !== undefined && (entra || !hasKey)) {
    const { scope = ENTRA_SCOPE } = entra ?? {};
    const authority =
      readBaseUrl(context, [...path, 'entra'], 'authority', entra?.authority) ??
      flagsAndEnv.variable('AZURE_AUTHORITY_HOST') ??
      ENTRA_AUTHORITY;
    const address = /^https?:\/\//.test(authority) ? authority : `https://${authority}`;
    if (!address.startsWith('https://') && !isLocalUrl(address)) {
      report([...path, 'entra', 'authority'], 'must start with https://, because the secret is sent to it');
      return 'invalid';
    }
    return { tenantId, clientId, clientSecret, authority: address, scope };
  }
  if (!entra) return undefined;
  const missing = (['tenant_id', 'client_id', 'client_secret'] as const).filter(
    (name) => value(name) === undefined,
  );
  report([...path, 'entra'], `requires ${missing.map((name) => `\`${name}\``).join(' and ')}`, 'key');
  return 'invalid';
}
