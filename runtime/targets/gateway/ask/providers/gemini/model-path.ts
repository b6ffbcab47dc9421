/** Gemini lists its models as `models/pro`, and takes `pro` for the same one. A prefix with nothing behind it is left. */
export const bareModel = (model: string): string => model.replace(/^(?:models\/)+(?=.)/, '');

/** All names of one model, first the one that it goes by. */
export function modelNames(model: string): readonly [string, string] {
  const bare = bareModel(model);
  return [bare, `models/${bare}`];
}

/** Where a method of a model is. Names come from clients, and must not lead elsewhere. */
export function modelPath(model: string, method: string): string {
  return `/v1beta/models/${encodeURIComponent(bareModel(model))}:${method}`;
}
