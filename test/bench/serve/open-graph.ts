import { type Model, openModel } from '../../../runtime/targets/encoder/model.ts';

/** Opens a model with a graph. */
export function openGraph(path: string): Model & { readonly body: { readonly kind: 'graph' } } {
  const { body, ...model } = openModel(path);
  if (body.kind !== 'graph') throw new Error(`${path} is a static model`);
  return { ...model, body };
}
