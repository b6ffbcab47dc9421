import type { TransformSettings } from '../contract/transform.ts';

/** A script and how it is to be run. */
export interface TransformScript extends TransformSettings {
  readonly source: string;
}
