import { isObject } from '../../../core/json/is-object.ts';
import type { GatewayFile } from './schemas/file.ts';

type Path = readonly string[];

/** Returns the settings that contain a secret itself instead of a variable. */
export function literalSecrets(file: GatewayFile, isExpanded: (path: Path) => boolean): string[] {
  const found: string[] = [];
  const visit = (value: unknown, path: Path): void => {
    if (isObject(value)) for (const [key, member] of Object.entries(value)) visit(member, [...path, key]);
    const isSecret = /^(api_key|master_key)$/.test(path.at(-1) ?? '');
    if (typeof value === 'string' && isSecret && !isExpanded(path)) found.push(path.join('.'));
  };
  visit(file, []);
  return found;
}
