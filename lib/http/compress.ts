import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { readQualities } from '../core/accept.ts'
import { PAGE_ENCODINGS, type PageEncoding } from '../ports/page-files.ts'
import type { HttpEvent, HttpHandler, HttpResult } from './event.ts'

/** A smaller body fits the first packets anyway. */
const SMALLEST = 1_024
/**
 * Of the four threads of libuv's pool, password hashes use up to two: one stays free for file access and the syncs of
 * storage, which each commit waits for.
 */
const MOST_AT_ONCE = 1
/** One for the process, as the pool is. */
let busy = 0

/** The default quality takes about a hundred times as long. The window bounds the memory of each call. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 } }

const [brotli, gzipped] = [promisify(brotliCompress), promisify(gzip)]
const compressors: Readonly<Record<PageEncoding, (text: string) => Promise<Uint8Array>>> = {
  br: (text) => brotli(text, BROTLI),
  gzip: (text) => gzipped(text),
}

/** The encodings that a caller accepts, the smallest first. */
export const acceptedEncodings = (header = ''): PageEncoding[] => {
  const qualities = readQualities(header)
  return PAGE_ENCODINGS.filter((encoding) => (qualities.get(encoding) ?? qualities.get('*') ?? 0) !== 0)
}

/**
 * Compresses the whole JSON answers of a handler for callers that accept it (RFC 9110, section 8.4). An answer that would
 * have to wait for others is sent uncompressed, so that large answers do not delay each other. A request that a browser
 * marks as cross-site is never compressed: the length would reveal the content to that site (BREACH).
 */
export const compressing =
  (handle: HttpHandler): HttpHandler =>
  async (event, context) => {
    const result = await handle(event, context)
    const { headers, body } = result
    if (typeof body !== 'string' || body.length < SMALLEST || !isJson(result)) return result
    headers.vary = headers.vary === undefined ? 'Accept-Encoding' : `${headers.vary}, Accept-Encoding`
    const [encoding] = acceptedEncodings(event.headers['accept-encoding'])
    if (encoding === undefined || busy >= MOST_AT_ONCE || isOfOtherSite(event)) return result
    busy += 1
    try {
      const compressed = await compressors[encoding](body)
      return { ...result, headers: { ...headers, 'content-encoding': encoding }, body: compressed }
    } finally {
      busy -= 1
    }
  }

const isJson = ({ headers }: HttpResult): boolean =>
  headers['content-type']?.startsWith('application/json') === true &&
  headers['content-encoding'] === undefined

/** `none` is an address that a person entered. */
const isOfOtherSite = ({ headers }: HttpEvent): boolean =>
  !['same-origin', 'none', undefined].includes(headers['sec-fetch-site'])
