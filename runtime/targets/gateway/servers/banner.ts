import type { RunningGateway } from './start-gateway.ts';

/** The text that users see when the gateway is ready, with its URLs. */
export function banner({
  url,
  config,
  firstKey,
}: Pick<RunningGateway, 'url' | 'config' | 'firstKey'>): string {
  const { providers, aliases } = config.models;
  const names = providers.map(({ name, type }) => (type === 'encoder' ? `encoder:${name}` : name));
  const aliasText = aliases.length === 0 ? '' : `; aliases: ${aliases.map(({ name }) => name).join(', ')}`;
  const lines = [
    `The gateway is running. Providers: ${names.join(', ') || 'none; configure `providers`'}${aliasText}`,
    '',
    `  HTTP  ${url}`,
    `  API   ${url}/docs`,
    `  Spec  ${url}/openapi.json`,
    ...(config.masterKey === undefined ? ['', '  No master key is set: admin endpoints return 503.'] : []),
    ...(firstKey === undefined ? [] : ['', '  The first API key is on stdout. It is shown only once.']),
  ];
  return `${lines.join('\n')}\n\n`;
}
