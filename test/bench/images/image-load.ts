import { openRawConnection, type RawConnection } from '../measure/raw-connection.ts';

/** How an image is sent. */
export type ImageForm = 'body' | 'json';

export interface ImageLoad {
  readonly form: ImageForm;
  readonly count: number;
  readonly concurrency: number;
}

export interface ImageLoadResult {
  readonly imagesPerSecond: number;
  /** Latencies in milliseconds, one per image. */
  readonly latencies: readonly number[];
}

/** Classifies images over persistent connections with a fixed concurrency. */
export async function putImageLoad(
  port: number,
  files: readonly Buffer[],
  { form, count, concurrency }: ImageLoad,
): Promise<ImageLoadResult> {
  const requests = files.map((file) => requestOf(port, file, form));
  const connections = await Promise.all(Array.from({ length: concurrency }, () => openRawConnection(port)));
  const latencies: number[] = [];
  let next = 0;
  const client = async (connection: RawConnection): Promise<void> => {
    while (next < count) {
      const request = requests[next++ % requests.length] ?? Buffer.alloc(0);
      const started = performance.now();
      await connection.ask(request).whole;
      latencies.push(performance.now() - started);
    }
  };
  const started = performance.now();
  await Promise.all(connections.map(client));
  const seconds = (performance.now() - started) / 1000;
  for (const { close } of connections) close();
  return { imagesPerSecond: count / seconds, latencies };
}

/** The labels of an image, as JSON. */
export async function classifyImage(port: number, file: Buffer): Promise<string> {
  const connection = await openRawConnection(port);
  try {
    const { body } = await connection.ask(requestOf(port, file, 'body')).whole;
    return body.toString();
  } finally {
    connection.close();
  }
}

function requestOf(port: number, file: Buffer, form: ImageForm): Buffer {
  const body = form === 'body' ? file : Buffer.from(JSON.stringify({ inputs: file.toString('base64') }));
  const type = form === 'body' ? 'image/jpeg' : 'application/json';
  const head =
    `POST / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: ${type}\r\n` +
    `content-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}
