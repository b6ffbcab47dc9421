import { findSection, readContainer } from '#contract/container/read.ts';
import type { SectionName } from '#contract/container/sections.ts';
import type { Manifest, RuntimeInfo } from '#contract/manifest.ts';
import { parseManifest, parseRuntimeInfo } from '#core/model/manifest-json.ts';
import { withFileSource } from '#platform/file-source.ts';

/** The product of an earlier build: a model, or a program without one. */
export interface Built {
  readonly manifest: Manifest | undefined;
  readonly program: RuntimeInfo['program'];
}

/** Reads an earlier build; undefined if encoderfile did not create the file. */
export async function readBuilt(path: string): Promise<Built | undefined> {
  try {
    return await withFileSource(path, (source) => {
      const container = readContainer(source);
      const read = (name: SectionName): Uint8Array | undefined => {
        const section = findSection(container, name);
        return section && source.readAt(section.offset, section.length);
      };
      const [manifest, runtime] = [read('manifest'), read('runtime')];
      return {
        manifest: manifest && parseManifest(manifest),
        program: runtime && parseRuntimeInfo(runtime).program,
      };
    });
  } catch {
    return undefined;
  }
}
