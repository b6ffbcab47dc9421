import { isObject } from '../../../core/json/is-object.ts';
import type { GatewayFile } from './schemas/file.ts';

type Path = readonly string[];

/** Which settings hold a secret as it is, instead of a variable's name. */
export function literalSecrets(file: GatewayFile, isExpanded: (path: Path) => boolean): string[] {
  const found: string[] = [];
  const look = (value: unknown, path: Path): void => {
    if (isObject(value)) for (const [key, member] of Object.entries(value)) look(member, [...path, key]);
    const isSecret = /^(api_key|master_key)$/.test(path.at(-1) ?? '');
    if (typeof value === 'string' && isSecret && !isExpanded(path)) found.push(path.join('.'));
  };
  look(file, []);
  return found;
}
