import type { RunningGateway } from './start-gateway.ts';

/** What a person sees when the gateway listens, and where it answers. */
export function banner({
  url,
  config,
  firstKey,
}: Pick<RunningGateway, 'url' | 'config' | 'firstKey'>): string {
  const { providers, aliases } = config.models;
  const names = providers.map(({ name, type }) => (type === 'encoder' ? `encoder:${name}` : name));
  const asks = names.length === 0 ? 'asks nobody yet: configure `providers`' : `asks ${names.join(', ')}`;
  const lines = [
    `The gateway ${asks}${aliases.length === 0 ? '' : `; aliases: ${aliases.map(({ name }) => name).join(', ')}`}`,
    '',
    `  HTTP  ${url}`,
    `  API   ${url}/docs`,
    `  Spec  ${url}/openapi.json`,
    ...(config.masterKey === undefined
      ? ['', '  There is no master key: routes that manage users and keys are closed.']
      : []),
    ...(firstKey === undefined ? [] : ['', '  The first API key is on stdout, shown only now.']),
  ];
  return `${lines.join('\n')}\n\n`;
}
