/** The same response; tells once when its body has been read to its end or, `gone`, will not be. */
export function watchBody(response: Response, onEnd: (gone: boolean) => void): Response {
  if (!response.body) return response;
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    flush: () => onEnd(false),
    cancel: () => onEnd(true),
  });
  return new Response(response.body.pipeThrough(watch), response);
}
