/**
 * The script of the page around an app, as the source of a function. The app runs in a frame without an origin, so that
 * it cannot change this script or send messages in its name. The script passes messages on between the app and the
 * client. It adds the server to the names in the app's requests, so that they always reach the app's own server.
 * Methods that could reach other servers are rejected.
 */
export const RELAY_SCRIPT = `(server, key, html) => {
  const host = window.parent;
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-scripts allow-forms';
  frame.allow = 'camera *; microphone *; geolocation *; clipboard-write *; fullscreen *';
  frame.srcdoc = html;
  const uiPrefix = 'ui://mcp-manager/' + encodeURIComponent(server) + '/';
  const otherPrefix = 'mcp:' + encodeURIComponent(server) + ':';
  const toolPrefix = server + '__';
  const outer = (uri) => uri.startsWith('ui://') ? uiPrefix + uri.slice(5) : otherPrefix + uri;
  const inner = (uri) => typeof uri !== 'string' ? uri
    : uri.startsWith(uiPrefix) ? 'ui://' + uri.slice(uiPrefix.length)
    : uri.startsWith(otherPrefix) ? uri.slice(otherPrefix.length) : uri;
  const open = new Map();
  const passed = (method) => method === 'ping' || method === 'sampling/createMessage'
    || method.startsWith('notifications/')
    || (method.startsWith('ui/') && !method.startsWith('ui/notifications/sandbox-'));
  const requestToHost = (message) => {
    const params = message.params ?? {};
    if (message.method === 'tools/call') {
      return { ...message, params: { ...params, name: toolPrefix + params.name, _meta: { ...params._meta, [key]: server } } };
    }
    if (message.method === 'resources/read') return { ...message, params: { ...params, uri: outer(String(params.uri)) } };
    return passed(message.method) ? message : undefined;
  };
  const fromApp = (message) => {
    if (typeof message.method !== 'string') return host.postMessage(message, '*');
    const sent = requestToHost(message);
    if (sent) {
      if (message.id !== undefined) open.set(message.id, message.method);
      return host.postMessage(sent, '*');
    }
    if (message.id === undefined) return;
    const error = { code: -32601, message: message.method + ' is not available to apps.' };
    frame.contentWindow.postMessage({ jsonrpc: '2.0', id: message.id, error }, '*');
  };
  const named = (context) => {
    const name = context?.toolInfo?.tool?.name;
    if (typeof name !== 'string' || !name.startsWith(toolPrefix)) return context;
    return { ...context, toolInfo: { ...context.toolInfo, tool: { ...context.toolInfo.tool, name: name.slice(toolPrefix.length) } } };
  };
  const toApp = (message) => {
    if (message.method === 'ui/notifications/host-context-changed') return { ...message, params: named(message.params) };
    if (message.method !== undefined) return message;
    const method = open.get(message.id);
    open.delete(message.id);
    const result = message.result;
    if (method === 'ui/initialize' && result) return { ...message, result: { ...result, hostContext: named(result.hostContext) } };
    if (method === 'resources/read' && Array.isArray(result?.contents)) {
      return { ...message, result: { ...result, contents: result.contents.map((item) => ({ ...item, uri: inner(item.uri) })) } };
    }
    return message;
  };
  window.addEventListener('message', ({ source, data }) => {
    if (typeof data !== 'object' || data === null) return;
    if (source === frame.contentWindow) fromApp(data);
    else if (source === host) frame.contentWindow.postMessage(toApp(data), '*');
  });
  document.body.append(frame);
}`;
