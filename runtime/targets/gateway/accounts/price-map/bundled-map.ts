import { parseJsonText } from '#core/json/json-text.ts';
import { readDataAsset } from '#platform/data-asset.ts';
import type { PriceMapFile } from './map-file.ts';

/** The map that ships with the gateway. It is checked by a test, not when it is read. */
export const readBundledMap = (): PriceMapFile =>
  parseJsonText(
    readDataAsset('model-prices.json.txt', new URL('model-prices.json.txt', import.meta.url)).toString(),
  ) as PriceMapFile;
