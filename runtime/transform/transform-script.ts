import type { TransformSettings } from '../contract/transform.ts';

/** A script with its settings. */
export interface TransformScript extends TransformSettings {
  readonly source: string;
}
