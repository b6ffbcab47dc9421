/** A minimal browser for sign-ins, with redirects, cookies per origin, and forms. */
export class Browser {
  readonly #jars = new Map<string, Map<string, string>>();

  /** Follows redirects and fills in the provider's forms, until another page is reached. */
  async signIn(start: string, login: string): Promise<Response> {
    let response = await this.send(start);
    for (let steps = 0; steps < 20; steps += 1) {
      const html = response.headers.get('content-type')?.startsWith('text/html') ? await response.text() : '';
      const action = /<form[^>]* action="([^"]+)"/.exec(html)?.[1];
      if (action === undefined) return response;
      const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1] ?? '';
      const body = new URLSearchParams({ prompt, ...(prompt === 'login' && { login, password: 'any' }) });
      const headers = { origin: new URL(response.url).origin };
      response = await this.send(new URL(action, response.url).href, { method: 'POST', headers, body });
    }
    throw new Error('The sign-in does not end.');
  }

  async send(address: string, init: RequestInit = {}): Promise<Response> {
    let [url, request] = [address, init];
    for (let redirects = 0; redirects < 20; redirects += 1) {
      const response = await this.#sendOnce(url, request);
      const location = response.headers.get('location');
      if (location === null || response.status >= 400) return response;
      [url, request] = [new URL(location, url).href, {}];
    }
    throw new Error(`Too many redirects from ${address}.`);
  }

  async #sendOnce(url: string, init: RequestInit): Promise<Response> {
    const { origin } = new URL(url);
    const jar = this.#jars.get(origin) ?? new Map<string, string>();
    this.#jars.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = new Headers(init.headers);
    if (cookie !== '') headers.set('cookie', cookie);
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      const at = pair.indexOf('=');
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }
}
