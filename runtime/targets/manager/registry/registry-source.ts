import { resolve } from 'node:path';

/** Where a registry is: a file, a document on the web, or an API with pages. */
export type RegistrySource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'document'; readonly url: string }
  | { readonly kind: 'api'; readonly url: string };

/** Names of public registries. */
const KNOWN_REGISTRIES: Readonly<Record<string, string>> = {
  official: 'https://registry.modelcontextprotocol.io/v0/servers',
  docker: 'https://desktop.docker.com/mcp/catalog/v3/catalog.yaml',
  mcpm: 'https://mcpm.sh/api/servers.json',
};

/** Reads the value of `--registry`: a known name, a URL, or a file. A URL without a path is that of an API. */
export function registrySource(text: string): RegistrySource {
  const written = Object.hasOwn(KNOWN_REGISTRIES, text) ? (KNOWN_REGISTRIES[text] ?? text) : text;
  if (!/^https?:\/\//i.test(written)) return { kind: 'file', path: resolve(written) };
  const url = new URL(written);
  if (url.pathname === '/') url.pathname = '/v0/servers';
  url.pathname = url.pathname.replace(/\/(v\d+(?:\.\d+)?)\/?$/, '/$1/servers');
  const isApi = /\/v\d+(?:\.\d+)?\/servers$/.test(url.pathname);
  return { kind: isApi ? 'api' : 'document', url: url.href };
}
