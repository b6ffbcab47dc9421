import { durationText } from '#core/time/duration.ts';
import { DEFAULT_REQUEST_MEMORY, DEFAULT_WATCHDOG_MS } from '#serve/program/process-options.ts';
import { MIN_PUBLIC_CREDENTIAL_LENGTH } from '#serve/program/listen-policy.ts';

/**
 * Defaults of settings that also have a flag. The schemas declare them as the defaults of their keys. They
 * are kept here, because every command's help shows them and must not load the schemas.
 */
export const DEFAULTS = {
  host: '127.0.0.1',
  port: 8000,
  maxBodyBytes: 33_554_432,
  bodyTimeout: '30s',
  threads: 1,
  shutdown: '30s',
  watchdog: durationText(DEFAULT_WATCHDOG_MS),
  requestMemory: DEFAULT_REQUEST_MEMORY,
  publicUrl: '`sign_in.public_url`, or the address of the request',
  dataDir: '`gateway` in $XDG_DATA_HOME or ~/.local/share',
  autoMigrate: true,
  priceMap: true,
  assumedOutputTokens: 1024,
  metrics: 'open',
  logLevel: 'info',
  serviceName: 'gateway',
  sampled: 1,
} as const;

/** A shorter master key only causes a warning. */
export const RECOMMENDED_KEY_LENGTH = 32;

/** The length rule for the master key, for help and documentation. */
export const MASTER_KEY_RULE = `Listening on non-loopback addresses requires at least ${MIN_PUBLIC_CREDENTIAL_LENGTH} characters; fewer than ${RECOMMENDED_KEY_LENGTH} cause a warning`;
