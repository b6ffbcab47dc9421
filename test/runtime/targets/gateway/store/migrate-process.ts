import { parseDatabaseUrl } from '#gateway/store/database-url.ts';
import { openStore } from '#gateway/store/open-store.ts';

// One of several processes that start together on an empty database.
const [url = ''] = process.argv.slice(2);
await (await openStore(parseDatabaseUrl(url), { autoMigrate: true })).close();
