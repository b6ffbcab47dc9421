import { closeSync, openSync, writeSync } from 'node:fs';
import { readContainer } from '#contract/container/read.ts';
import type { Section } from '#contract/container/sections.ts';
import { openFileSource } from '#platform/file-source.ts';

/** Reads the sections of an executable; the returned function finds one by name. */
export function sectionsOf(path: string): (name: string) => Section {
  const source = openFileSource(path);
  const { sections } = readContainer(source);
  source.close();
  return (name) => {
    const found = sections.find((section) => section.name === name);
    if (!found) throw new Error(`no section ${name}`);
    return found;
  };
}

/** Replaces bytes of a file in place, to damage it. */
export function overwrite(path: string, offset: number, bytes: string | Uint8Array): void {
  const fd = openSync(path, 'r+');
  writeSync(fd, typeof bytes === 'string' ? Buffer.from(bytes) : bytes, 0, bytes.length, offset);
  closeSync(fd);
}
