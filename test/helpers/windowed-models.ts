import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseManifest } from '#core/model/manifest-json.ts';
import { builtAssets } from './built.ts';
import { readGoldenWindows } from './golden-windows.ts';
import { useTempFolder } from './temp-folder.ts';

/**
 * Returns a function that writes the assets of a fixture model with the maximum length of the golden windows, and with windows if there is
 * a stride. The assets are removed after each test.
 */
export function useWindowedModels(): (model: string, stride?: number) => string {
  const folder = useTempFolder();
  const { maxLength } = readGoldenWindows();
  return (model, stride) => {
    const path = join(folder(), `${model}-${stride}`);
    cpSync(builtAssets(model), path, { recursive: true });
    const manifest = parseManifest(readFileSync(join(path, 'manifest.json')));
    const tokenizer = { ...manifest.tokenizer, maxLength };
    const windows = stride === undefined ? {} : { windows: { stride } };
    writeFileSync(join(path, 'manifest.json'), JSON.stringify({ ...manifest, ...windows, tokenizer }));
    return path;
  };
}
