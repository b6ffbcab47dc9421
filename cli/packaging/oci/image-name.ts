import { trimEndOf } from '#core/text/trim-text.ts';

/** An image tag, from any version string. */
export function imageTag(version: string): string {
  const tag = version
    .replaceAll(/[^\w.-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 128);
  return tag === '' ? 'latest' : tag;
}

/** An image name with tag, from any model name. `localhost` is not a registry, so it is never pulled. */
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
