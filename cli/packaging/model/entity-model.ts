import type { EntitySettings } from '#contract/entity-settings.ts';
import type { WindowSettings } from '#contract/manifest.ts';

/** How a zero_shot_ner model reads texts and returns entities. */
export interface EntityModel {
  readonly settings: EntitySettings;
  readonly windows: WindowSettings;
}
