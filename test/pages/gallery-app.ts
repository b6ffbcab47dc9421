import { Hono } from 'hono';
import { streamText } from 'hono/streaming';
import { createPage, sharedAssetRoutes } from '#serve/http/pages/page.ts';
import { pageFiles } from '#serve/http/pages/page-files.ts';

const FILES = pageFiles('gallery', new URL('gallery/', import.meta.url));
const HOSTILE = '<img src=x onerror=alert(1)>';

/** The page with every component of the design language, and a server with the data that they need. */
export function galleryApp(): Hono {
  const app = new Hono();
  app.route('/', sharedAssetRoutes());
  const { document, assets } = createPage(FILES, 'index.html');
  app.get('/', document);
  app.route('/', assets);
  app.get('/rows', (c) => c.json(pageOf(c.req.query())));
  app.get('/locked', (c) =>
    c.req.header('Authorization') === 'Bearer right-key'
      ? c.json({ words: 'The key is right.' })
      : c.json({ detail: 'Missing or invalid API key.' }, 401),
  );
  app.get('/log', (c) =>
    streamText(c, async (stream) => {
      for (let line = 1; line <= 3000; line++)
        await stream.writeln(`${line} ${line % 500 === 0 ? HOSTILE : 'request served'}`);
    }),
  );
  return app;
}

interface Row {
  readonly name: string;
  readonly team: string;
  readonly state: string;
  readonly cost: number;
  readonly created: string;
}

const ROWS: readonly Row[] = Array.from({ length: 1000 }, (_, at) => ({
  name: at === 999 ? `${HOSTILE} ${'long'.repeat(30)}` : `key-${at}`,
  team: ['search', 'support', 'research and development'][at % 3] ?? '',
  state: at % 10 === 0 ? 'revoked' : 'active',
  cost: at * at * 0.0001,
  created: new Date(Date.UTC(2026, 0, 1) + at * 3_600_000).toISOString(),
}));

function pageOf({
  sort = '',
  cursor = '0',
  limit = '20',
  name = '',
  state = '',
  since = '',
}: Record<string, string>) {
  const key = sort.replace('-', '') as keyof Row;
  const direction = sort.startsWith('-') ? -1 : 1;
  const found = ROWS.filter(
    (row) => row.name.includes(name) && (state === '' || row.state === state) && row.created >= since,
  );
  if (sort !== '') found.sort((one, other) => (one[key] < other[key] ? -direction : direction));
  const [from, size] = [Number(cursor), Number(limit)];
  return {
    rows: found.slice(from, from + size),
    total: found.length,
    ...(from + size < found.length ? { next: String(from + size) } : {}),
  };
}
