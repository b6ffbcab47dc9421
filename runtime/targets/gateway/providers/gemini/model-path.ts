/** Where a method of a model is. Names come from clients, and must not lead elsewhere. */
export function modelPath(model: string, method: string): string {
  return `/v1beta/models/${encodeURIComponent(model.replace(/^models\//, ''))}:${method}`;
}
