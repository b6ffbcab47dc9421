import { parseJsonText } from '#core/json/json-text.ts';
import { readDataAsset } from '#platform/data-asset.ts';
import type { PriceMapFile } from './map-file.ts';

/** The map shipped with the gateway. A test validates it, so it is not validated when read. */
export const readBundledMap = (): PriceMapFile =>
  parseJsonText(
    readDataAsset('model-prices.json.txt', new URL('model-prices.json.txt', import.meta.url)).toString(),
  ) as PriceMapFile;
