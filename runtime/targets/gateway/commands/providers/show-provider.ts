import { printJson, printLines } from '#serve/cli/print.ts';
import { providerView } from '../../api/views/models.ts';
import type { ProviderEntry } from '../../registry/registry.ts';
import { formatTime, orDash } from '../show/format-values.ts';
import { recordLines } from '../show/record-lines.ts';
import type { StoreContext } from '../store/store-command.ts';

export function showProvider(
  entry: ProviderEntry,
  { output, json }: Pick<StoreContext, 'output' | 'json'>,
): void {
  if (json) printJson(output, providerView(entry));
  else printLines(output, recordLines(recordOf(entry)));
}

function recordOf(entry: ProviderEntry): Record<string, string> {
  const view = providerView(entry);
  return {
    name: view.name,
    source: view.source,
    status: view.status,
    ...(view.problem !== null && { problem: view.problem }),
    type: orDash(view.type),
    address: addressText(entry),
    secrets: view.secrets.join(', ') || '-',
    'used by': view.used_by.join(', ') || '-',
    ...(view.settings && { settings: JSON.stringify(view.settings) }),
    updated: formatTime(entry.stored?.updatedAt ?? null),
  };
}

/** The base URL, or the program of an encoder. */
export const addressText = ({ value }: Pick<ProviderEntry, 'value'>): string =>
  !value ? '-' : 'path' in value ? value.path : value.baseUrl;

/** Warns about secrets that a gateway with a master key cannot decrypt. */
export function warnWithoutMasterKey(
  { stored }: ProviderEntry,
  { config, output }: Pick<StoreContext, 'config' | 'output'>,
): void {
  if (config.masterKey !== undefined || !stored || stored.secretNames.length === 0) return;
  output.err(
    'Warning: No master key is set here, so a gateway with a master key cannot decrypt the secrets of this provider. Set GATEWAY_MASTER_KEY and update them.\n',
  );
}
