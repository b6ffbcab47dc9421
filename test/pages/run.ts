/** Serves the page that documents the design language: `npm run pages`. */
import { listenHttp } from '#serve/http/listen.ts';
import { galleryApp } from './gallery-app.ts';

const port = Number(process.env.PORT ?? 0);
const listener = await listenHttp({ app: galleryApp(), hostname: '127.0.0.1', port, portFlag: 'PORT' });
console.log(`Design language: http://127.0.0.1:${listener.port}/ (stop with Ctrl+C)`);
process.once('SIGINT', () => void listener.close(0));
