import { trimEndOf } from '#core/text/trim-text.ts';

/** The tag of an image, from a version of any kind. */
export function imageTag(version: string): string {
  const tag = version
    .replaceAll(/[^\w.-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 128);
  return tag === '' ? 'latest' : tag;
}

/** The name of an image with its tag, from a model name of any kind. `localhost` is not a registry, so it is never pulled. */
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
