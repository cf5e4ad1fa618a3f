/** What each response tells a browser that it must not do with it. */

/** Nothing but what this server gives; nothing inside of anything else. `inline`: hashes of what stands in the page itself. */
export function pagePolicy(
  inline: { readonly scripts?: readonly string[]; readonly styles?: readonly string[] } = {},
): string {
  const { scripts = [], styles = [] } = inline;
  return [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
    ["style-src 'self'", ...styles].join(' '),
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

const ALWAYS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** The same response; one that has a policy of its own keeps it. */
export function withHeaders(response: Response): Response {
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(ALWAYS)) headers.set(name, value);
  if (!headers.has('content-security-policy')) headers.set('content-security-policy', pagePolicy());
  return new Response(response.body, { status, statusText, headers });
}
