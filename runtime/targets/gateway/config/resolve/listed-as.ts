import { CLOUDS, isCloud } from '../../providers/adapters/cloud-settings.ts';
import { type Preset, PRESETS } from '../../providers/adapters/presets.ts';

interface PricedProvider {
  /** `priced_as` of the configuration. */
  readonly pricedAs: string | undefined;
  readonly type: string;
  readonly preset: Pick<Preset, 'local'>;
  readonly baseUrl: string;
}

/** No published prices. */
const NONE = 'none';

/**
 * The provider whose published prices apply. Without `priced_as`, that is the preset, if the address is its own or a subdomain of
 * it: what a proxy or a server of one's own charges is not known.
 */
export function listedAs({ pricedAs, type, preset, baseUrl }: PricedProvider): string | undefined {
  if (pricedAs !== undefined) return pricedAs === NONE ? undefined : pricedAs.toLowerCase();
  const host = new URL(baseUrl).hostname;
  if (isCloud(type)) return CLOUDS[type].pricedHosts.test(host) ? type : undefined;
  const own = Object.hasOwn(PRESETS, type) ? PRESETS[type] : undefined;
  if (!own || preset.local) return undefined;
  const itsHost = new URL(own.baseUrl).hostname;
  return host === itsHost || host.endsWith(`.${itsHost}`) ? type : undefined;
}
