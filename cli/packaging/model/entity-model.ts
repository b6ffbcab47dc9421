import type { EntitySettings } from '../../../runtime/contract/entity-settings.ts';
import type { WindowSettings } from '../../../runtime/contract/manifest.ts';

/** How a zero_shot_ner model reads texts and returns entities. */
export interface EntityModel {
  readonly settings: EntitySettings;
  readonly windows: WindowSettings;
}
