import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';
import { CHROMIUM_FLAGS } from '../helpers/chromium.ts';

/** A web page from another origin, with tus-js-client. */
export interface UploadPage {
  readonly origin: string;
  readonly close: () => void;
}

export async function serveUploadPage(script: string): Promise<UploadPage> {
  const server: Server = createServer((request, response) => {
    if (request.url === '/tus.js')
      return response.setHeader('content-type', 'text/javascript').end(readFileSync(script));
    return response
      .setHeader('content-type', 'text/html')
      .end('<!doctype html><script src="tus.js"></script>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Uploads a file with this number of rows from a page in Chromium, with an interruption. Resolves with the ID of the dataset. */
export async function uploadFromPage(
  { origin }: UploadPage,
  executablePath: string,
  given: { readonly endpoint: string; readonly rows: number },
): Promise<{ readonly dataset: string; readonly resumedAt: number; readonly complaints: readonly string[] }> {
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
  try {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.goto(origin);
    const found = await page.evaluate(uploadTwice, given);
    return { ...found, complaints };
  } finally {
    await browser.close();
  }
}

interface UploadOptions {
  readonly endpoint: string;
  readonly chunkSize: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly onChunkComplete?: (size: number, accepted: number) => void;
  readonly onAfterResponse?: (
    request: { getMethod(): string },
    response: { getHeader(name: string): string | undefined },
  ) => void;
  readonly onSuccess?: () => void;
  readonly onError: (error: Error) => void;
}

interface Upload {
  start(): void;
  abort(): Promise<void>;
  findPreviousUploads(): Promise<readonly object[]>;
  resumeFromPreviousUpload(previous: object): void;
}

declare const tus: { readonly Upload: new (file: File, options: UploadOptions) => Upload };

/** Runs in the page: uploads two chunks, stops, and resumes with the data that the browser has stored, as after a reload. */
async function uploadTwice({ endpoint, rows }: { readonly endpoint: string; readonly rows: number }) {
  const lines = Array.from({ length: rows }, (_, row) => `Text ${row} ä,label${row % 3}\n`);
  const file = new File(['text,label\n', ...lines], 'page.csv', { type: 'text/csv' });
  const shared = {
    endpoint,
    chunkSize: 200_000,
    metadata: { filename: 'page.csv', columns: '{"examples":"text","ground_truth":"label"}' },
  };
  await new Promise<void>((resolve, reject) => {
    const upload = new tus.Upload(file, {
      ...shared,
      onChunkComplete: (_size, accepted) => {
        if (accepted >= 400_000) void upload.abort().then(resolve);
      },
      onError: reject,
    });
    upload.start();
  });
  return await new Promise<{ dataset: string; resumedAt: number }>((resolve, reject) => {
    let [dataset, resumedAt] = ['', 0];
    const upload = new tus.Upload(file, {
      ...shared,
      onAfterResponse: (request, response) => {
        if (request.getMethod() === 'HEAD') resumedAt = Number(response.getHeader('Upload-Offset'));
        dataset = response.getHeader('Upload-Dataset') ?? dataset;
      },
      onSuccess: () => resolve({ dataset, resumedAt }),
      onError: reject,
    });
    void upload.findPreviousUploads().then(([previous]) => {
      if (!previous) return reject(new Error('the browser has stored no upload'));
      upload.resumeFromPreviousUpload(previous);
      return upload.start();
    });
  });
}
