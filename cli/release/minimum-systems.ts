import { type Platform, shortName } from '#contract/platforms.ts';
import { lookup } from '#core/values/lookup.ts';

/** The oldest system on which a platform's executables run. */
export interface MinimumSystem {
  /** For example `2.28`. */
  readonly glibc?: string;
  /** For example `14.0`. */
  readonly macos?: string;
}

/** The oldest glibc or macOS for which all native libraries in the build tool were compiled. A test compares them with the libraries. */
const MINIMUM_SYSTEMS = lookup<MinimumSystem>({
  'linux-x64': { glibc: '2.28' },
  'linux-arm64': { glibc: '2.30' },
  'macos-arm64': { macos: '14.0' },
  'windows-x64': {},
});

export function minimumSystem(platform: Platform): MinimumSystem {
  const found = MINIMUM_SYSTEMS[shortName(platform)];
  if (found === undefined) throw new Error(`${shortName(platform)} has no minimum system`);
  return found;
}
