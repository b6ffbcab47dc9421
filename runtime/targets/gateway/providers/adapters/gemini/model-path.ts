/** The name without `models/`: Gemini lists `models/pro` and accepts `pro` for the same model. A bare prefix stays as it is. */
export const bareModel = (model: string): string => model.replace(/^(?:models\/)+(?=.)/, '');

/** All names of one model, the canonical name first. */
export function modelNames(model: string): readonly [string, string] {
  const bare = bareModel(model);
  return [bare, `models/${bare}`];
}

/** The path of a method of a model. The name is encoded, because it comes from clients and must not change the path. */
export function modelPath(model: string, method: string): string {
  return `/v1beta/models/${encodeURIComponent(bareModel(model))}:${method}`;
}
