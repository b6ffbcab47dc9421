/** A project and a location of Google Cloud. */
export interface VertexPlace {
  readonly project: string;
  readonly location: string;
}

/** The name of a model without the parts of its resource name before it. */
export const bareModel = (model: string): string =>
  model.replace(/^(?:projects\/[^/]+\/locations\/[^/]+\/)?(?:publishers\/[^/]+\/)?(?:models\/)?(?=.)/, '');

/** The company that publishes a model. */
export type Publisher = 'google' | 'anthropic';

export const publisherOf = (model: string): Publisher =>
  model.includes('publishers/anthropic/') || bareModel(model).startsWith('claude') ? 'anthropic' : 'google';

/** All names of one model, the canonical name first. */
export function modelNames(model: string): readonly [string, string] {
  const bare = bareModel(model);
  return [bare, `publishers/${publisherOf(model)}/models/${bare}`];
}

/** The path of a method of a model. The name is encoded, because it comes from clients; `@` before a version stays. */
export function modelPath(
  { project, location }: VertexPlace,
  publisher: Publisher,
  model: string,
  method: string,
): string {
  const name = encodeURIComponent(bareModel(model)).replaceAll('%40', '@');
  return `/v1/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(location)}/publishers/${publisher}/models/${name}:${method}`;
}

/** The address of a location. */
export function vertexUrl(location: string): string {
  if (location === 'global') return 'https://aiplatform.googleapis.com';
  // The regions of the United States and Europe as a whole have addresses of another form.
  if (location === 'us' || location === 'eu') return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}
