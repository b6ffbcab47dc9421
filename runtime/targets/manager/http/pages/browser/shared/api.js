/**
 * The path of an operation. Each part is one segment, even if it contains a slash.
 * @param {...string} parts
 */
export const api = (...parts) => `api/v1/${parts.map(encodeURIComponent).join('/')}`;

/** @param {...string} parts */
export const admin = (...parts) => api('admin', ...parts);
