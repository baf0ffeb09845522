import { acceptsHtml } from '../core/accept.ts'
import type { PageFile, PageFiles } from '../ports/page-files.ts'
import { acceptedEncodings } from './compress.ts'
import type { HttpEvent, HttpHandler, HttpResult } from './event.ts'

const HASHED = 'assets/'
const INDEX = 'index.html'
const YEAR = 'public, max-age=31536000, immutable'

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  webmanifest: 'application/manifest+json',
  woff2: 'font/woff2',
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const SAFETY = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
}
/** Of scripts and styles. A worker has the policy of its script, and the first load has some thirty of these heads. */
const ASSET_SAFETY = {
  'content-security-policy': "default-src 'self'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
}

type Needs = { files: PageFiles; otherwise: HttpHandler }

/**
 * Serves the page: its files to all callers, and its index to browsers that open an address of a view. Requests under
 * `/api`, other methods than GET and HEAD, and requests for a missing file that do not accept HTML go to `otherwise`.
 */
export const createPage =
  ({ files, otherwise }: Needs): HttpHandler =>
  async (event, context) => {
    const { method, path } = event.requestContext.http
    const isRead = method === 'GET' || method === 'HEAD'
    if (!isRead || path === '/api' || path.startsWith('/api/')) return otherwise(event, context)
    const name = path.slice(1) || INDEX
    const encodings = acceptedEncodings(event.headers['accept-encoding'])
    const file = await files.read(name, encodings)
    if (file) return answer(event, name, file)
    if (name.startsWith(HASHED) || !(name === INDEX || acceptsHtml(event.headers.accept)))
      return otherwise(event, context)
    const index = await files.read(INDEX, encodings)
    return index ? answer(event, INDEX, index) : notBuilt(event)
  }

const answer = (event: HttpEvent, name: string, { content, encoding, tag }: PageFile): HttpResult => {
  const etag = `"${tag}"`
  const headers: Record<string, string> = {
    ...(name.startsWith(HASHED) ? ASSET_SAFETY : SAFETY),
    etag,
    // A file with a fixed name is revalidated each time.
    'cache-control': name.startsWith(HASHED) ? YEAR : 'no-cache',
    // A view's address is the page for browsers, and not found for programs.
    vary: 'Accept, Accept-Encoding',
    'x-request-id': event.requestContext.requestId,
  }
  if (matches(event.headers['if-none-match'], etag)) return { statusCode: 304, headers, body: '' }
  headers['content-type'] = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
  if (encoding) headers['content-encoding'] = encoding
  return { statusCode: 200, headers, body: content }
}

/** RFC 9110, section 13.1.2: weak comparison. */
const matches = (given: string | undefined, etag: string) =>
  given?.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag) ?? false

const notBuilt = ({ requestContext }: HttpEvent): HttpResult => ({
  statusCode: 503,
  headers: {
    ...SAFETY,
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': requestContext.requestId,
  },
  body: 'The page is not built here. Run: npm run page\n',
})
