#!/usr/bin/env node
// A browser whose user consents to everything: `BROWSER=browser.mjs mcp-manager login`. It keeps cookies, follows redirects and fills in
// the forms of oidc-provider and Keycloak. With `--stop`, it prints the URL of the redirect to 127.0.0.1.
const person = process.env.PERSON ?? 'ann';
const FIELDS = { login: person, password: `${person}-password`, username: person };
const MAX_PAGES = 20;
const isStopping = process.argv[2] === '--stop';
const cookies = new Map();
let request = { url: process.argv.at(-1) };

for (let pages = 0; pages < MAX_PAGES; pages += 1) {
  const { url, form } = request;
  const { hostname, pathname } = new URL(url);
  const isCallback = hostname === '127.0.0.1' && pathname === '/callback';
  if (isCallback && isStopping) {
    console.log(url);
    break;
  }
  const response = await fetch(url, {
    redirect: 'manual',
    headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    ...(form && { method: 'POST', body: form }),
  });
  for (const cookie of response.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    cookies.set(name, value);
  }
  const location = response.headers.get('location');
  if (location !== null) {
    request = { url: new URL(location, url).href };
    continue;
  }
  const html = await response.text();
  if (isCallback) {
    console.log(html.trim());
    break;
  }
  const [, action] = /<form[^>]*action="([^"]*)"/.exec(html) ?? [];
  if (action === undefined) throw new Error(`${url} has no form: ${response.status} ${html.slice(0, 300)}`);
  const inputs = [...html.matchAll(/<input[^>]*>/g)].map(([input]) => ({
    name: /name="([^"]*)"/.exec(input)?.[1] ?? '',
    value: /value="([^"]*)"/.exec(input)?.[1] ?? '',
  }));
  const filled = inputs
    .filter(({ name }) => name !== '')
    .map(({ name, value }) => [name, FIELDS[name] ?? value]);
  request = { url: new URL(action.replaceAll('&amp;', '&'), url).href, form: new URLSearchParams(filled) };
}
