import { readdirSync, readlinkSync, realpathSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { configError, messageOf } from '#contract/errors.ts';
import { sha256 } from '../sha256.ts';
import { isTrustedFolder, nativeFolder } from './find-unpacked.ts';
import { writeNativeFolder } from './write-folder.ts';

/**
 * ONNX Runtime searches for its providers only in its own folder, so this returns a folder with links to
 * its files and to the providers. It is created in the first possible one of the cache folders `roots`.
 */
export function linkProviders(addon: string, providers: readonly string[], roots: readonly string[]): string {
  const folder = dirname(addon);
  const own = readdirSync(folder)
    .filter((name) => name.includes('onnxruntime'))
    .map((name) => join(folder, name));
  const links = [...own, ...providers].map((path): Link => [basename(path), realpathSync(path)]);
  const name = `cuda-${sha256(JSON.stringify(links)).slice(0, 32)}`;
  const failures: string[] = [];
  for (const root of roots) {
    try {
      return join(findLinks(root, name, links) ?? writeLinks(root, name, links), basename(addon));
    } catch (error) {
      failures.push(`${root}: ${messageOf(error)}`);
    }
  }
  throw configError(
    `--gpu-libraries: cannot write a folder with links to the libraries. Set --cache-dir to a folder. Tried:\n  ${failures.join('\n  ')}`,
  );
}

type Link = readonly [name: string, target: string];

/** The folder, if this user controls it and it has all links. */
function findLinks(root: string, name: string, links: readonly Link[]): string | undefined {
  const folder = join(nativeFolder(root), name);
  try {
    const isTrusted = [root, nativeFolder(root), folder].every(isTrustedFolder);
    const isComplete = links.every(([link, target]) => readlinkSync(join(folder, link)) === target);
    return isTrusted && isComplete ? folder : undefined;
  } catch {
    return undefined;
  }
}

function writeLinks(root: string, name: string, links: readonly Link[]): string {
  const write = (scratch: string): void => {
    for (const [link, target] of links) symlinkSync(target, join(scratch, link));
  };
  const isThere = (): boolean => findLinks(root, name, links) !== undefined;
  return writeNativeFolder(root, join(nativeFolder(root), name), write, isThere);
}
