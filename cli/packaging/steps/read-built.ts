import { findSection, readContainer } from '../../../runtime/contract/container/read.ts';
import type { SectionName } from '../../../runtime/contract/container/sections.ts';
import type { Manifest, RuntimeInfo } from '../../../runtime/contract/manifest.ts';
import { parseJsonText } from '../../../runtime/core/json/json-text.ts';
import { withFileSource } from '../../../runtime/platform/file-source.ts';

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
      const read = (name: SectionName): unknown => {
        const section = findSection(container, name);
        if (!section) return undefined;
        return parseJsonText(new TextDecoder().decode(source.readAt(section.offset, section.length)));
      };
      return {
        manifest: read('manifest') as Manifest | undefined,
        program: (read('runtime') as RuntimeInfo | undefined)?.program,
      };
    });
  } catch {
    return undefined;
  }
}
