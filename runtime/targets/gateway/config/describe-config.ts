import { locationText } from '../store/database-url.ts';
import type { LoadedGatewayConfig } from './read-config.ts';

/** Shown for a gateway without a configuration file. */
const NO_FILE = 'none; providers from the environment';

/** Summarizes a valid configuration, without secrets. */
export function describeConfig({ server, database, models, masterKey, file }: LoadedGatewayConfig): string {
  const names = models.providers.map(({ name, type }) => (type === 'encoder' ? `encoder:${name}` : name));
  const rows = [
    ['file', file ?? NO_FILE],
    ['address', `${server.tls ? 'https' : 'http'}://${server.host}:${server.port}`],
    ['database', locationText(database)],
    ['master key', masterKey === undefined ? 'none' : 'set'],
    ['providers', names.join(', ') || 'none'],
    ['aliases', models.aliases.map(({ name }) => name).join(', ') || 'none'],
    ['guardrails', models.guardrails.profiles.map(({ name }) => name).join(', ') || 'none'],
    ['prices', String(models.pricing.length)],
  ];
  return `The configuration is valid.\n${rows.map(([key = '', value = '']) => `  ${key.padEnd(10)}  ${value}\n`).join('')}`;
}
