import { posix, win32 } from 'node:path';

/** The machine and user whose files are edited. */
export interface Place {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Returns a path in the format of the target platform. */
export const placePath = ({ platform }: Place, ...parts: readonly string[]): string =>
  (platform === 'win32' ? win32 : posix).join(...parts);

/** The folder where applications keep their settings. */
export function settingsFolder(place: Place): string {
  const { platform, home, env } = place;
  if (platform === 'win32') return env['APPDATA'] || placePath(place, home, 'AppData', 'Roaming');
  if (platform === 'darwin') return placePath(place, home, 'Library', 'Application Support');
  return env['XDG_CONFIG_HOME'] || placePath(place, home, '.config');
}
