import { realpathSync } from 'node:fs';
import { dirname, join, basename } from 'node:path';
import { configError } from '#contract/errors.ts';
import type { FileTarget } from '#platform/files/output-target.ts';

/** Rejects an output folder that is the layout of the base image, is inside it, or contains it. */
export function refuseFolderOf(layout: string, { path, shown }: FileTarget): void {
  const [base, output] = [real(layout), real(path)];
  if (!isWithin(base, output) && !isWithin(output, base)) return;
  throw configError(
    `Cannot write ${shown}: it overlaps with the base image ${layout}. Choose another output path.`,
  );
}

/** Resolves symbolic links in the part of a path that exists. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(real(parent), basename(path));
  }
}

const isWithin = (one: string, other: string): boolean => one === other || one.startsWith(`${other}/`);
