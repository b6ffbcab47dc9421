import { trimEndOf } from '#core/text/trim-text.ts';

/** Converts any version string to an image tag. */
export function imageTag(version: string): string {
  const tag = version
    .replaceAll(/[^\w.-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 128);
  return tag === '' ? 'latest' : tag;
}

/**
 * Converts any model name to an image name with a tag. The name starts with `localhost`, which is
 * not a registry, so container engines never try to pull the image.
 */
export function imageName(model: string, version: string): string {
  const components = model
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split('/')
    .map((part) => part.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, ''))
    .filter((part) => part !== '');
  const name = trimEndOf(components.join('/').slice(0, 200), '-/');
  return `localhost/${name === '' ? 'model' : name}:${imageTag(version)}`;
}
