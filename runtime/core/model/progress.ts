/** Formats a progress line: a bar, the share, the count and the remaining time. Pure, for any terminal. */
export function progressLine(
  label: string,
  done: number,
  total: number | undefined,
  seconds: number,
): string {
  if (!total) return `${label} ${done} (${secondsText(seconds)})`;
  const share = Math.min(1, done / total);
  const left = share > 0 && share < 1 ? `, ${secondsText((seconds / share) * (1 - share))} left` : '';
  return `${label} ${progressBar(share)}${left}`;
}

/** Formats a share of at most 1 as a bar and a percentage. */
export function progressBar(share: number): string {
  const filled = Math.round(share * WIDTH);
  return `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${Math.floor(share * 100)}%`;
}

/** Formats bytes in decimal units: 1.5 MB. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

export function secondsText(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.floor(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const WIDTH = 24;
