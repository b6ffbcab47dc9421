import type { Finding } from '../../../core/yaml/issue.ts';
import { isObject } from '../../../core/json/is-object.ts';

/** A file without the values that are wrong, so that what is wrong elsewhere can be told at the same time. */
export function withoutFindings(value: unknown, findings: readonly Finding[]): unknown {
  return findings.reduce((left, { path }) => without(left, path), value);
}

function without(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return {};
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    // Those behind it keep their places.
    return rest.length > 0
      ? list.map((item, at) => (String(at) === key ? without(item, rest) : item))
      : undefined;
  }
  if (!isObject(value)) return value;
  const { [key]: member, ...others } = value;
  const left = rest.length === 0 ? undefined : without(member, rest);
  return left === undefined ? others : { ...others, [key]: left };
}
