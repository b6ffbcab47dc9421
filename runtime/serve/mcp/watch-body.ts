/** The same response; tells once when its body has been read to its end or, `gone`, will not be. */
export function watchBody(response: Response, onEnd: (gone: boolean) => void): Response {
  if (!response.body) return response;
  const reader = response.body.getReader();
  // Not a TransformStream: that is two streams more for every request.
  const watched = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        onEnd(false);
        controller.close();
      } catch (error) {
        onEnd(true);
        throw error;
      }
    },
    async cancel(reason) {
      onEnd(true);
      await reader.cancel(reason);
    },
  });
  return new Response(watched, response);
}
