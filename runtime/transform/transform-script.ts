import type { TransformSettings } from '#contract/transform.ts';

/** A script with its settings. */
export interface TransformScript extends TransformSettings {
  readonly source: string;
  /** The setting with the limits, for messages; undefined if users cannot change them. */
  readonly limitsKey?: string | undefined;
}
