import { createHash } from 'node:crypto';

interface OpenApi {
  readonly paths: Readonly<Record<string, object>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/**
 * A hash for each part of an OpenAPI document, in document order, and for its whole text, so that a difference can be located and every
 * changed byte is detected.
 */
export function documentHashes(text: string): object {
  const { paths, components, ...rest } = JSON.parse(text) as OpenApi;
  return {
    text: hash(text),
    rest: hash(JSON.stringify(rest)),
    ...Object.fromEntries(
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, one]) => [
          `${method.toUpperCase()} ${path}`,
          hash(JSON.stringify(one)),
        ]),
      ),
    ),
    ...Object.fromEntries(
      Object.entries(components.schemas).map(([name, one]) => [name, hash(JSON.stringify(one))]),
    ),
  };
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
