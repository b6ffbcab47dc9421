import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { memberOf } from '#core/values/member-of.ts';

type KeyValues = readonly { readonly key: string; readonly value?: string | undefined }[];

/** Names of labels by column, which the library `datasets` writes into Parquet files of columns with numbers. */
export function labelNames(metadata: KeyValues | undefined): ReadonlyMap<string, readonly string[]> {
  const text = metadata?.find(({ key }) => key === 'huggingface')?.value;
  const found = new Map<string, readonly string[]>();
  if (text === undefined) return found;
  const features = memberOf(memberOf(jsonIn(text), 'info'), 'features');
  for (const [column, feature] of Object.entries(isObject(features) ? features : {})) {
    const names = memberOf(labelFeature(feature), 'names');
    if (Array.isArray(names) && names.every((name) => typeof name === 'string')) found.set(column, names);
  }
  return found;
}

/** The feature of a label; that of a list of labels is a member, or the only element of a list in older files. */
function labelFeature(feature: unknown): unknown {
  const [element] = Array.isArray(feature) ? feature : [];
  const inner = element ?? memberOf(feature, 'feature') ?? feature;
  return memberOf(inner, '_type') === 'ClassLabel' ? inner : undefined;
}

function jsonIn(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}
